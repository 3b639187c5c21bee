import { beforeEach, describe, expect, test } from "bun:test";
import { createPublicKey, verify } from "node:crypto";
import type { Client } from "../../../../test/support/client.ts";
import { eachEngine, postgres } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { unique } from "../../../../test/support/metering.ts";
import { runSql } from "../../../../test/support/run-sql.ts";
import { TestServer, useServer } from "../../../../test/support/server.ts";
import { operatorToken } from "../../../../test/support/server-settings.ts";
import { tableContent } from "../../../../test/support/table-content.ts";
import { until } from "../../../../test/support/until.ts";
import { headText } from "../../../lib/crypto/hash-chain.ts";
import { auditEntriesOf, auditRangeOf, boundsOf, idAndTimeOf, packEntries } from "./segment.ts";
import type { AuditSegmentRow } from "./store.ts";

async function fill(operator: Client, count: number) {
  const name = unique("sealed");
  const path = `/v1/accounts/${name}`;
  await operator.post("/v1/accounts", { name });
  await operator.post(`${path}/key-buckets`, { name: "main" });
  for (let index = 2; index < count; index++)
    await operator.post(`${path}/key-buckets/main/consumers`, { name: `consumer-${index}` });
  return { path, log: `${path}/audit-log` };
}

/** Sealed by whichever node is first. */
async function sealed(operator: Client, log: string, count: number) {
  return until(async () => {
    const { body } = await operator.get(`${log}/verification`);
    return body.entries >= count && body.unsealed === 0 && body;
  });
}

eachEngine((engine) => {
  const server = useServer(engine);
  const operator = server.client.as(operatorToken);
  const verification = async (log: string, query = "") => (await operator.get(`${log}/verification${query}`)).body;

  async function segmentsOf(log: string): Promise<AuditSegmentRow[]> {
    const { data } = (await operator.get(log)).body;
    const ids = data.map(({ id }: { id: string }) => id);
    const rows = (await tableContent(server.database, "audit_segments")) as unknown as AuditSegmentRow[];
    const numeric = rows.map((row) => ({ ...row, number: Number(row.number), count: Number(row.count) }));
    return numeric.filter((row) => ids.includes(row.highest_id)).sort((one, other) => one.number - other.number);
  }

  const bytes = (value: Uint8Array) => {
    const hex = Buffer.from(value).toString("hex");
    return engine.name === "postgres" ? `'\\x${hex}'::bytea` : `X'${hex}'`;
  };

  test("an unchanged log is intact, and its head is signed by the installation's key", async () => {
    const { log } = await fill(operator, 5);
    const { head, ...verified } = await sealed(operator, log, 5);
    const time = new Date(server.clock.now()).toISOString();
    expect(verified).toEqual({ intact: true, entries: 5, unsealed: 0, from: time, to: time });
    const response = await fetch(`${server.url}/.well-known/tollgate-audit-key`);
    const { keys } = (await response.json()) as { keys: { kid: string; kty: string; crv: string; x: string }[] };
    const jwk = keys.find(({ kid }) => kid === head.keyId)!;
    const key = createPublicKey({ key: { kty: jwk.kty, crv: jwk.crv, x: jwk.x }, format: "jwk" });
    const signature = Buffer.from(head.signature, "base64url");
    expect(verify(null, Buffer.from(headText(head)), key, signature)).toBe(true);
    const [row] = await tableContent(server.database, "audit_keys");
    expect(Buffer.from(row!.private_key as Uint8Array).includes("PRIVATE KEY")).toBe(false);
    expect(await verification(log, `?head=5:${head.hash}`)).toMatchObject({ intact: true });
    expectProblem(await operator.get(`${log}/verification?head=5`), 400, "validation_failed");
    expect(head).toMatchObject({ account: expect.stringMatching(/^acct_/), count: 5, time });
  });

  describe("verification names the place", () => {
    let path: string;
    let log: string;
    let segments: AuditSegmentRow[];
    let head: { count: number; hash: string };
    beforeEach(async () => {
      ({ path, log } = await fill(operator, 6));
      await server.catchUp();
      ({ head } = await sealed(operator, log, 6));
      segments = await segmentsOf(log);
    });
    const segmentWith = (number: number) => segments.findLast((each) => each.number <= number)!;
    const where = ({ account_seq, number }: AuditSegmentRow) => `account_seq = ${account_seq} AND number = ${number}`;
    const update = (segment: AuditSegmentRow, set: string) =>
      runSql(server.database, `UPDATE audit_segments SET ${set} WHERE ${where(segment)}`);

    /** Writes other entries to a segment, with matching values in its other columns. */
    async function rewrite(number: number, change: (texts: string[], index: number) => string[]) {
      const segment = segmentWith(number);
      const texts = change(auditEntriesOf(segment), number - segment.number);
      if (texts.length === 0) return runSql(server.database, `DELETE FROM audit_segments WHERE ${where(segment)}`);
      const { lowest_id, highest_id, earliest, latest } = boundsOf(
        texts.map((text) => auditRangeOf(idAndTimeOf(text))),
      );
      const hashes = segment.hashes.subarray(0, 32 * (texts.length + 1));
      return update(
        segment,
        `count = ${texts.length}, entries = ${bytes(packEntries(texts))}, hashes = ${bytes(hashes)}, earliest = ${earliest},
         latest = ${latest}, lowest_id = '${lowest_id}', highest_id = '${highest_id}'`,
      );
    }

    const idOfNumber = async (number: number): Promise<string> => {
      const { data } = (await operator.get(log)).body;
      return data.find(({ seal }: { seal: { number: number } }) => seal.number === number).id;
    };

    test("verification names the place of a byte that was changed", async () => {
      const replaced = (text: string) => text.replace("consumer-3", "consumer-9");
      await rewrite(4, (texts, index) => texts.with(index, replaced(texts[index]!)));
      const id = await idOfNumber(4);
      expect(await verification(log)).toMatchObject({ intact: false, firstBroken: { number: 4, id } });
    });

    test("verification names the place of a segment that cannot be unpacked", async () => {
      const segment = segmentWith(3);
      await update(segment, `entries = ${bytes(Buffer.from([0x28, 1, 2, 3]))}`);
      expect((await verification(log)).firstBroken).toMatchObject({ number: segment.number });
    });

    test("verification names the place of another hash", async () => {
      const segment = segmentWith(3);
      const hashes = Buffer.from(segment.hashes);
      hashes[32 * (3 - segment.number + 1)]! ^= 1;
      await update(segment, `hashes = ${bytes(hashes)}`);
      expect((await verification(log)).firstBroken).toMatchObject({ number: 3 });
    });

    test.each([
      "lowest_id = 'x' || lowest_id",
      "highest_id = 'x' || highest_id",
      "earliest = earliest + 1",
      "latest = latest + 1",
    ])("verification names the place of what a segment is searched by: %s", async (set) => {
      const segment = segmentWith(3);
      await update(segment, set);
      expect((await verification(log)).firstBroken).toMatchObject({ number: segment.number });
    });

    test("verification names the place of an entry that is no longer found by its resource", async () => {
      const variable = `${path}/projects/shop/variables/REGION`;
      await operator.raw("PUT", variable, '{"value":"eu-west"}', { "content-type": "application/json" });
      await sealed(operator, log, 7);
      const { account_seq } = segments[0]!;
      await runSql(server.database, `DELETE FROM audit_topics WHERE account_seq = ${account_seq} AND topic = 'shop'`);
      expect((await verification(log)).firstBroken).toMatchObject({ number: 7 });
    });

    test("verification names the place of an entry that was removed", async () => {
      await rewrite(5, (texts, index) => texts.toSpliced(index, 1));
      expect((await verification(log)).firstBroken).toMatchObject({ number: 5 });
    });

    test("verification names the place of a segment that was removed", async () => {
      const segment = segmentWith(5);
      await runSql(server.database, `DELETE FROM audit_segments WHERE ${where(segment)}`);
      const before = segment.number > 1 ? { previousId: await idOfNumber(segment.number - 1) } : {};
      const missing = { number: segment.number, ...before, detail: "is missing" };
      expect((await verification(log)).firstBroken).toEqual(missing);
    });

    test("verification detects that the end of the log was truncated", async () => {
      const { data } = (await operator.get(log)).body;
      const { seal } = data.find((entry: { seal: { number: number } }) => entry.seal.number === 4);
      const { account_seq } = segments[0]!;
      await runSql(server.database, `DELETE FROM audit_segments WHERE account_seq = ${account_seq} AND number > 4`);
      await rewrite(4, (texts, index) => texts.slice(0, index + 1));
      const missing = { number: 5, previousId: await idOfNumber(4), detail: "is missing" };
      expect((await verification(log)).firstBroken).toEqual(missing);
      // If the chain is changed as well, a head that was noted before detects it.
      await runSql(
        server.database,
        `UPDATE audit_chains SET count = 4, hash = '${seal.hash}', head = NULL WHERE account_seq = ${account_seq}`,
      );
      expect(await verification(log)).toMatchObject({ intact: true });
      expect((await verification(log, `?head=${head.count}:${head.hash}`)).firstBroken).toEqual(missing);
    });

    test("where the head is not the one that was noted", async () => {
      const { firstBroken } = await verification(log, `?head=3:${"0".repeat(64)}`);
      expect(firstBroken).toMatchObject({ number: 3 });
    });
  });

  test("heads go to the server's log", async () => {
    const { log } = await fill(operator, 3);
    const { head } = await sealed(operator, log, 3);
    await server.runTasks();
    await until(() => server.log.includes(head.hash));
  });
});

describe("two nodes", () => {
  test("writers on both are sealed into one chain, also after one of them dies while sealing", async () => {
    const first = new TestServer(postgres);
    await first.start();
    const second = new TestServer(postgres, { database: first.database, clock: first.clock });
    await second.start();
    try {
      const operator = first.client.as(operatorToken);
      const { path, log } = await fill(operator, 2);
      const clients = [operator, second.client.as(operatorToken)];
      await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          clients[index % 2]!.post(`${path}/key-buckets/main/consumers`, { name: `both-${index}` }),
        ),
      );
      const verified = await sealed(operator, log, 62);
      expect(verified).toMatchObject({ intact: true, entries: 62 });
      await second.stop();
      await operator.post(`${path}/key-buckets/main/consumers`, { name: "alone" });
      expect(await sealed(operator, log, 63)).toMatchObject({ intact: true });
    } finally {
      await first.stop();
    }
  });
});
