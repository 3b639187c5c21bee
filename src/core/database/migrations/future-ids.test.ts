import { afterAll, beforeAll, expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { TestStorage } from "../../../../test/support/storage.ts";
import { AuditLog } from "../../../areas/audit-log/audit-log.ts";
import { trimAuditLog } from "../../../areas/audit-log/retention.ts";
import { readerName, Sealer } from "../../../areas/audit-log/sealer.ts";
import { appendSegment, auditRangeOf } from "../../../areas/audit-log/segment.ts";
import { SigningKeys } from "../../../areas/audit-log/signing-keys.ts";
import * as auditStore from "../../../areas/audit-log/store.ts";
import { verifyChain } from "../../../areas/audit-log/verification.ts";
import { RequestRecorder } from "../../../areas/request-log/request-recorder.ts";
import { listRequests } from "../../../areas/request-log/requests.ts";
import { insertRequests } from "../../../areas/request-log/store.ts";
import { emptyChain } from "../../../lib/crypto/hash-chain.ts";
import { Keyring } from "../../../lib/crypto/keyring.ts";
import { firstIdOf } from "../../../lib/ids.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import { DurableReader } from "../../../platform/storage/change-feed/durable-reader.ts";
import { Log } from "../../../platform/telemetry/log.ts";
import { migrations } from "./index.ts";

const day = 24 * 60 * 60 * 1000;
const year = 365 * day;
const account = { seq: 7, id: "acct_7", name: "acme" };

/** Ids of a process that were created at a time: its counter orders them, whatever time they have. */
let counter = 0;
function idAt(prefix: string, time: number): string {
  counter += 1;
  return `${firstIdOf(prefix, time)}${String(counter).padStart(4, "0")}abcdefABCDEF`;
}

eachEngine((engine) => {
  const storage = new TestStorage(engine);
  let start: number;
  let reader: DurableReader;
  let keys: SigningKeys;
  let sealer: Sealer;
  /** In the order of the chain. */
  const auditIds: string[] = [];
  /** In the order in which they were served. */
  const requests: { time: number; path: string }[] = [];

  /** Data of an earlier version whose test bucket was moved by four years on the second day, and restarted on the fifth. */
  beforeAll(async () => {
    start = storage.clock.now();
    const ahead = start + 4 * year;
    const at = (days: number) => start + days * day;
    storage.migrations = migrations.filter(({ name }) => name < "0320");
    await storage.start();
    await storage.open.write(async (transaction) => {
      const insert = (table: string, row: Record<string, string | number>) =>
        transaction.run(
          `INSERT INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${Object.keys(row)
            .map(() => "?")
            .join(", ")})`,
          Object.values(row),
        );
      const revision = { version: 1, created_on: 1, updated_on: 1 };
      await insert("accounts", { ...account, ...revision });
      await insert("deployments", {
        ...{ seq: 1, account_seq: 7, name: "shop-a-1", project: "shop", branch: "a", code: "1", message: "" },
        ...revision,
      });
      const request = (days: number, idTime: number) => {
        const [time, path] = [at(days), `/${days}`];
        requests.push({ time, path });
        const common = { account_seq: 7, deployment_seq: 1, version_seq: 1, is_failure: 0, status: 200, method: "GET" };
        const texts = { route: null, consumer: null, request_id: path, entry: '{"decisions":[]}', bytes: 100 };
        return { id: idAt("req", idTime), time, path, ...common, ...texts };
      };
      const served = [
        [request(0, at(0)), request(1, at(1))],
        [request(2, ahead), request(3, ahead), request(4, ahead)],
        [request(5, at(5)), request(6, at(6))],
      ];
      await insertRequests(transaction, served.flat(), []);

      const chain: auditStore.ChainRow = {
        ...{ account_seq: 7, account: "acct_7", count: 0, hash: emptyChain, sealed_on: at(7) },
        ...{ anchor: 0, anchor_hash: emptyChain, oldest_on: start, signed_count: 0, head: null },
      };
      const sealed = (...entries: [time: number, idTime: number][]) => {
        const recorded = entries.map(([time, idTime]) => {
          const entry = { id: idAt("audt", idTime), time: formatDateTime(time) };
          auditIds.push(entry.id);
          const resource = { type: "token", id: `tokn_${auditIds.length % 2}` };
          const content = { ...entry, action: "token.created", actor: { type: "system", id: "system" }, resource };
          const text = JSON.stringify({ ...content, changes: [] });
          return { content: text, count: 1, range: auditRangeOf(entry), topics: [] };
        });
        return { segment: appendSegment(chain, recorded) as auditStore.AuditSegmentRow, topics: ["tokn_0", "tokn_1"] };
      };
      const segments = [
        sealed([at(0), at(0)], [at(0), at(0)]),
        // The first entry of the test bucket, then one of the account, then only the bucket's.
        sealed([at(1), at(1)], [ahead, ahead]),
        sealed([at(2), ahead]),
        sealed([ahead, ahead]),
        sealed([at(5), at(5)]),
        // A test bucket whose clock stands still.
        sealed([at(-300), at(6)]),
        sealed([at(7), at(7)]),
      ];
      await auditStore.addChain(transaction, chain);
      await auditStore.addSegments(transaction, segments);
    });
    await storage.close();
    storage.migrations = migrations;
    storage.clock.advance(8 * day);
    await storage.start();
    keys = await SigningKeys.open(storage.open, new Keyring([Buffer.alloc(32)]), start);
    reader = new DurableReader(storage.open, readerName);
    const log = new Log({ level: "error", readable: false, sink: { write: () => true } });
    sealer = new Sealer({ storage: storage.open, reader, keys, clock: storage.clock, log });
    await sealer.seal();
  });
  afterAll(() => storage.stop());

  const entries = async (limit: number, filter: { before?: string; resource?: string } = {}) => {
    const found = await new AuditLog(reader).list(storage.open.reads, account, filter, limit);
    return found.map(({ id }) => id);
  };

  /** All pages, of a size. */
  async function pages(size: number, next: (before: string | undefined) => Promise<string[]>): Promise<string[]> {
    const all: string[] = [];
    for (let page = await next(undefined); page.length > 0; page = await next(page.at(-1)!)) {
      expect(page.length).toBeLessThanOrEqual(size);
      all.push(...page);
    }
    return all;
  }

  test("audit entries are listed in the order of the chain, sealed or not, on pages of any size", async () => {
    for (const isSealed of [false, true]) {
      for (let index = 0; index < 2; index++) {
        storage.clock.advance(1000);
        const time = storage.clock.now();
        const entry = { id: idAt("audt", time), time: formatDateTime(time), action: "token.created" };
        const rest = {
          actor: { type: "system", id: "system" },
          resource: { type: "token", id: "tokn_1" },
          changes: [],
        };
        auditIds.push(entry.id);
        await storage.open.write((transaction) =>
          transaction.run(
            `INSERT INTO changes (at, origin, account_seq, actor, kind, subject, details)
              VALUES (?, 'test', 7, 'system', 'token.created', 'tokn_1', ?)`,
            [time, JSON.stringify({ ...entry, ...rest })],
          ),
        );
      }
      if (isSealed) await sealer.seal();
      const newest = auditIds.toReversed();
      for (const size of [1, 2, 3, 100])
        expect(await pages(size, (before) => entries(size, { ...(before && { before }) }))).toEqual(newest);
      // As the console finds one entry.
      for (const id of auditIds) expect(await entries(1, { before: `${id}0` })).toEqual([id]);
      expect(await entries(100, { before: firstIdOf("audt", start - year) })).toEqual([]);
    }
    const ofToken = auditIds.filter((_, index) => index < 9 && index % 2 === 1).toReversed();
    expect(await entries(100, { resource: "tokn_0" })).toEqual(ofToken);
    expect(await verifyChain(storage.open.reads, account, keys, start)).toMatchObject({ intact: true, entries: 13 });
  });

  test("audit entries are removed by the time at which they were sealed", async () => {
    const numbers = async (olderThan: number) => {
      await trimAuditLog(storage.open, start + olderThan);
      const verified = await verifyChain(storage.open.reads, account, keys, start);
      expect(verified.intact).toBe(true);
      return verified.entries;
    };
    expect(await numbers(0)).toBe(13);
    // The one of the second day is between those of the first and third.
    expect(await numbers(1 * day)).toBe(11);
    expect(await numbers(3 * day)).toBe(8);
    // The one that only has times of the bucket counts as sealed with the next one.
    expect(await numbers(5 * day)).toBe(8);
    expect(await numbers(5 * day + 1)).toBe(6);
    expect(await numbers(6 * day + 1)).toBe(5);
    expect(await numbers(8 * day)).toBe(4);
  });

  test("a node of the earlier version that still runs does not stop the removal of audit entries", async () => {
    await storage.open.write(async (transaction) => {
      await transaction.run("UPDATE audit_chains SET oldest_on = ?", [start + 4 * year]);
      await transaction.run("UPDATE audit_segments SET sealed_on = NULL WHERE number = 10", []);
    });
    await trimAuditLog(storage.open, start + 9 * day);
    expect(await entries(100)).toEqual([]);
    expect(await verifyChain(storage.open.reads, account, keys, start)).toMatchObject({ intact: true, entries: 0 });
  });

  const paths = async (filter: { before?: string; from?: number; limit?: number } = {}) => {
    const scope = { accountSeq: 7, deploymentSeq: 1 };
    return (await listRequests(storage.open.reads, scope, { limit: 100, ...filter }, storage.clock.now())).data;
  };
  const newestPaths = () => requests.toSorted((one, other) => other.time - one.time).map(({ path }) => path);

  test("requests are listed and paged by time", async () => {
    expect((await paths()).map(({ path }) => path)).toEqual(newestPaths());
    const pathOf = new Map((await paths()).map(({ id, path }) => [id, path]));
    const ids = await pages(2, async (before) =>
      (await paths({ limit: 2, ...(before && { before }) })).map(({ id }) => id),
    );
    expect(ids.map((id) => pathOf.get(id)!)).toEqual(newestPaths());
    expect((await paths({ from: start + 3 * day })).map(({ path }) => path)).toEqual(["/6", "/5", "/4", "/3"]);
  });

  test("requests are removed by time, also those of a node of the earlier version that still runs", async () => {
    await storage.open.write((transaction) =>
      transaction.run("UPDATE requests SET id = ? WHERE path = '/4'", [idAt("req", start + 4 * year)]),
    );
    const recorder = new RequestRecorder(storage.open, {
      ...{ isOn: true, days: 3, failed: (error: unknown) => expect(error).toBeUndefined() },
    });
    await recorder.trim(start + 6 * day);
    expect((await paths()).map(({ path }) => path)).toEqual(["/6", "/5", "/4", "/3"]);
    await recorder.trim(start + 8 * day);
    expect((await paths()).map(({ path }) => path)).toEqual(["/6", "/5"]);
    await recorder.stop();
  });
});
