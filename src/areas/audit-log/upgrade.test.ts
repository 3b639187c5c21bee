import { afterAll, expect, test } from "bun:test";
import { eachEngine } from "../../../test/support/engines.ts";
import { TestStorage } from "../../../test/support/storage.ts";
import { type RecordedChange, recordedChanges } from "../../core/changes/recorded-change.ts";
import { migrations } from "../../core/database/migrations/index.ts";
import { emptyChain, linkHash } from "../../lib/crypto/hash-chain.ts";
import { Keyring } from "../../lib/crypto/keyring.ts";
import { newId } from "../../lib/ids.ts";
import { canonicalJson } from "../../lib/text/canonical-json.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import { DurableReader } from "../../platform/storage/change-feed/durable-reader.ts";
import type { WriteTransaction } from "../../platform/storage/storage.ts";
import { Log } from "../../platform/telemetry/log.ts";
import { AuditLog } from "./audit-log.ts";
import { readerName, Sealer } from "./sealer.ts";
import { SigningKeys } from "./signing-keys.ts";
import { verifyChain } from "./verification.ts";

const account = { seq: 1, id: "acct_1", name: "acme" };

/** As versions before segments sealed entries: one row each, in canonical JSON. */
async function sealEntries(transaction: WriteTransaction, ids: string[], time: number): Promise<void> {
  let hash = emptyChain;
  for (const [index, id] of ids.entries()) {
    const resource = { type: "key", id: `key_${index}`, parent: { type: "consumer", id: "csmr_1" } };
    const actor = { type: "system", id: "system" };
    const shown = { id, time: formatDateTime(time), action: "key.created", actor, resource, changes: [] };
    const entry = canonicalJson(shown);
    hash = linkHash(hash, index + 1, entry);
    await transaction.run(
      `INSERT INTO audit_entries (account_seq, id, number, time, action, actor, resource_type, resource, parent, entry, hash)
       VALUES (1, ?, ?, ?, 'key.created', 'system', 'key', ?, 'csmr_1', ?, ?)`,
      [id, index + 1, time, resource.id, entry, hash],
    );
  }
  await transaction.run(
    `INSERT INTO audit_chains (account_seq, account, count, hash, sealed_on, anchor, anchor_hash, oldest_on, signed_count)
     VALUES (1, 'acct_1', ?, ?, ?, 0, ?, ?, 0)`,
    [ids.length, hash, time, emptyChain, time],
  );
}

/** As those versions recorded a change. */
async function recordChange(transaction: WriteTransaction, id: string, time: number): Promise<void> {
  const resource = { type: "consumer", id: "csmr_1", name: "acme", parent: { type: "bucket", id: "bckt_1" } };
  const details = {
    ...{ id, time, action: "consumer.updated", actor: { type: "system", id: "system" }, resource },
    ...{ before: { name: "acme" }, after: { name: "beta" }, changed: ["/key"] },
  };
  await transaction.run(
    `INSERT INTO changes (at, origin, account_seq, actor, kind, subject, details)
     VALUES (?, 'before', 1, 'system', 'consumer.updated', 'csmr_1', ?)`,
    [time, JSON.stringify(details)],
  );
}

eachEngine((engine) => {
  const storage = new TestStorage(engine);
  afterAll(() => storage.stop());

  test("entries that were sealed one by one, and one that waits, are in one chain after an upgrade", async () => {
    const { clock } = storage;
    const now = clock.now();
    const ids = [1, 2, 3].map(() => newId("audt", now));
    storage.migrations = migrations.filter(({ name }) => name < "0024");
    await storage.start();
    await storage.open.write(async (transaction) => {
      await sealEntries(transaction, ids.slice(0, 2), now);
      await recordChange(transaction, ids[2]!, now);
    });
    await storage.close();
    storage.migrations = migrations;
    await storage.start();

    const keys = await SigningKeys.open(storage.open, new Keyring([Buffer.alloc(32)]), now);
    const reader = new DurableReader(storage.open, readerName);
    const log = new Log({ level: "error", readable: false, sink: { write: () => true } });
    await new Sealer({ storage: storage.open, reader, keys, clock, log }).seal();
    const { reads } = storage.open;
    expect(await verifyChain(reads, account, keys, now)).toMatchObject({
      intact: true,
      entries: 3,
      head: { count: 3 },
    });
    const list = (resource: string) => new AuditLog(reader).list(reads, account, { resource }, 10);
    const found = await list("csmr_1");
    expect(found.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(found[0]).toMatchObject({
      time: formatDateTime(now),
      isSealed: true,
      changes: [
        { pointer: "/name", before: "acme", after: "beta" },
        { pointer: "/key", after: "changed" },
      ],
    });
    expect((await list("bckt_1")).map(({ id }) => id)).toEqual([ids[2]!]);
    expect((await list("key_1")).map(({ id }) => id)).toEqual([ids[1]!]);
    for (const { seal, isSealed, ...entry } of found) {
      const texts = [JSON.stringify(entry), canonicalJson(entry)];
      const hashes = texts.map((text) => linkHash(seal!.previousHash, seal!.number, text));
      expect({ isSealed, isWhole: hashes.includes(seal!.hash) }).toEqual({ isSealed: true, isWhole: true });
    }
    let change: RecordedChange | undefined;
    await new DurableReader(storage.open, "webhooks").readAll(async (_, rows) => {
      [change] = recordedChanges(rows[0]!);
    });
    expect(change).toMatchObject({
      kind: "consumer.updated",
      shown: { name: "beta" },
      details: { changes: found[0]!.changes },
    });
  });

  test("sealing continues after an upgrade if a trim had moved the end of the chain back", async () => {
    const storage = new TestStorage(engine);
    storage.migrations = migrations.filter(({ name }) => name !== "0033-audit-ends");
    try {
      await storage.start();
      const { clock } = storage;
      const keys = await SigningKeys.open(storage.open, new Keyring([Buffer.alloc(32)]), clock.now());
      const log = new Log({ level: "error", readable: false, sink: { write: () => true } });
      const sealChange = async () => {
        await storage.open.write((transaction) => recordChange(transaction, newId("audt", clock.now()), clock.now()));
        const reader = new DurableReader(storage.open, readerName);
        await new Sealer({ storage: storage.open, reader, keys, clock, log }).seal();
      };
      await sealChange();
      const { head } = await verifyChain(storage.open.reads, account, keys, clock.now());
      await sealChange();
      await storage.open.write((transaction) =>
        transaction.run("UPDATE audit_chains SET count = 1, hash = ?, oldest_on = NULL", [head!.hash]),
      );
      await expect(sealChange()).rejects.toThrow();
      await storage.close();
      storage.migrations = migrations;
      await storage.start();
      await sealChange();
      const verified = await verifyChain(storage.open.reads, account, keys, clock.now());
      expect(verified).toMatchObject({ intact: true, entries: 4, head: { count: 4 } });
      const [chain] = await storage.open.reads.all<{ oldest_on: number }>("SELECT oldest_on FROM audit_chains", []);
      expect(chain!.oldest_on).toBe(clock.now());
    } finally {
      await storage.stop();
    }
  });
});
