import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { afterStatement } from "../../../../test/support/after-statement.ts";
import { blocksAnother } from "../../../../test/support/blocks-another.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { unique } from "../../../../test/support/metering.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { until } from "../../../../test/support/until.ts";
import { verifyExport } from "../../../cli/audit-export/audit-export.ts";
import type { Act } from "../../../core/access.ts";
import { recordChange } from "../../../core/changes/record.ts";
import { linkHash } from "../../../lib/crypto/hash-chain.ts";
import { Keyring } from "../../../lib/crypto/keyring.ts";
import { DurableReader } from "../../../platform/storage/change-feed/durable-reader.ts";
import type { Reads, Storage } from "../../../platform/storage/storage.ts";
import { Log } from "../../../platform/telemetry/log.ts";
import { createAccount } from "../../access/accounts/accounts.ts";
import { AuditLog } from "./audit-log.ts";
import { trimAuditLog } from "./retention.ts";
import { readerName, Sealer } from "./sealer.ts";
import { SigningKeys } from "./signing-keys.ts";
import { verifyChain } from "./verification.ts";

const day = 24 * 60 * 60 * 1000;

eachEngine((engine) => {
  const storage = useStorage(engine);
  const keyring = new Keyring([Buffer.alloc(32)]);
  let keys: SigningKeys;
  let sealer: Sealer;
  let reader: DurableReader;

  beforeAll(async () => {
    const { open, clock } = storage;
    keys = await SigningKeys.open(open, keyring, clock.now());
    reader = new DurableReader(open, readerName);
    sealer = sealerOn(open);
  });

  function sealerOn(open: Storage): Sealer {
    const log = new Log({ level: "error", readable: false, sink: { write: () => true } });
    return new Sealer({ storage: open, reader: new DurableReader(open, readerName), keys, clock: storage.clock, log });
  }

  const accountOf = () =>
    storage.open.write((transaction) =>
      createAccount(transaction, { actor: "system", now: storage.clock.now() }, unique("account")),
    );

  async function record(account: Act["account"], count: number): Promise<void> {
    const act = { account, actor: "system", now: storage.clock.now() };
    await storage.open.write(async (transaction) => {
      for (let index = 0; index < count; index++)
        recordChange(transaction, act, "token.created", { type: "token", id: `tokn_${index}`, after: { index } });
    });
  }
  async function change(account: Act["account"], count: number): Promise<void> {
    await record(account, count);
    await sealer.seal();
  }
  /** Only this account has entries to trim; two more entries are unsealed. */
  async function accountToTrim(): Promise<Act["account"]> {
    storage.clock.advance(31 * day);
    await trim();
    const account = await accountOf();
    await change(account, 5);
    storage.clock.advance(31 * day);
    await record(account, 2);
    return account;
  }
  const verify = (account: Act["account"], head?: { count: number; hash: string }) =>
    verifyChain(storage.open.reads, account, keys, storage.clock.now(), head);
  const trim = () => trimAuditLog(storage.open, storage.clock.now() - 30 * day);
  /** Verifies the output of `tollgate audit export` as `tollgate audit verify` does, after a manipulation. */
  async function verifiedExport(account: Act["account"], change = (lines: string[]) => lines) {
    const folder = await temporaryFolder("export");
    const file = join(folder.path, "audit.jsonl");
    const { head } = await verify(account);
    const lines = [{ head }, ...(await entries(account))].map((line) => JSON.stringify(line));
    await Bun.write(file, change(lines).join("\n"));
    const verified = await verifyExport(file, { keys: keys.publicKeys });
    await folder.remove();
    return verified;
  }
  const entries = (account: Act["account"]) => new AuditLog(reader).list(storage.open.reads, account, {}, 1000);

  test("expired entries are trimmed in batches, and the rest verifies from the new anchor", async () => {
    const [old, recent, silent] = [await accountOf(), await accountOf(), await accountOf()];
    await change(old, 2500);
    await change(silent, 3);
    storage.clock.advance(31 * day);
    await change(old, 4);
    await change(recent, 2);
    const { head } = await verify(old);
    await trim();
    expect(await verify(old, head)).toMatchObject({ intact: true, entries: 4, head: { count: 2505, trimmed: 2501 } });
    expect(await verifiedExport(old)).toMatchObject({ intact: true, entries: 4 });
    const cut = { number: 2502, detail: "is missing" };
    expect(await verifiedExport(old, (lines) => lines.slice(0, -1))).toMatchObject({ intact: false, firstBroken: cut });
    const further = (lines: string[]) =>
      lines.with(0, lines[0]!.replace('"trimmed":2501', '"trimmed":2502')).slice(0, -1);
    expect(await verifiedExport(old, further)).toMatchObject({ intact: false, firstBroken: { number: 2505 } });
    expect(await verify(recent)).toMatchObject({ intact: true, entries: 2 });
    expect(await verify(silent)).toMatchObject({ intact: true, entries: 0, head: { count: 4 } });
    await change(silent, 1);
    expect(await verify(silent)).toMatchObject({ intact: true, entries: 1, head: { count: 5 } });
    for (const { seal, isSealed, ...entry } of await entries(old)) {
      expect(isSealed).toBe(true);
      expect(linkHash(seal!.previousHash, seal!.number, JSON.stringify(entry))).toBe(seal!.hash);
    }
  });

  test("a seal waits for a trim of the same chain, and neither undoes the other", async () => {
    const account = await accountToTrim();
    let sealed: Promise<void> | undefined;
    const whileTrimming = afterStatement(storage.open, /audit_chains/, async (transaction) => {
      sealed ??= sealer.seal();
      await until(() => blocksAnother(transaction));
    });
    await trimAuditLog(whileTrimming, storage.clock.now() - 30 * day);
    await sealed;
    expect(await verify(account)).toMatchObject({ intact: true, entries: 2, head: { count: 8, trimmed: 6 } });
    await change(account, 1);
    storage.clock.advance(31 * day);
    await trim();
    expect(await verify(account)).toMatchObject({ intact: true, entries: 0, head: { count: 9, trimmed: 9 } });
  });

  test("a trim waits for a seal of the same chain, and neither undoes the other", async () => {
    const account = await accountToTrim();
    let trimmed: Promise<void> | undefined;
    const whileSealing = afterStatement(storage.open, /audit_chains/, async (transaction) => {
      trimmed ??= trim();
      await until(() => blocksAnother(transaction));
    });
    await sealerOn(whileSealing).seal();
    await trimmed;
    expect(await verify(account)).toMatchObject({ intact: true, entries: 2, head: { count: 8, trimmed: 6 } });
  });

  test("a verification is correct while other nodes seal and trim", async () => {
    const account = await accountOf();
    for (let index = 0; index < 8; index++) await change(account, 1);
    storage.clock.advance(31 * day);
    await change(account, 1);
    const { reads } = storage.open;
    const beside = (work: () => Promise<unknown>) => {
      let isFirst = true;
      const all: Reads["all"] = async (sql, parameters) => {
        // After the head and before the last segments were read.
        if (isFirst) await work();
        isFirst = false;
        return reads.all(sql, parameters);
      };
      return verifyChain({ ...reads, all }, account, keys, storage.clock.now());
    };
    expect(await beside(() => change(account, 3))).toMatchObject({ intact: true, entries: 10, head: { count: 10 } });
    expect(await beside(trim)).toMatchObject({ intact: true, entries: 4, head: { count: 13, trimmed: 9 } });
    expect(await verify(account)).toMatchObject({ intact: true, entries: 4 });
  });

  test("an entry beyond the head is detected", async () => {
    const account = await accountOf();
    await change(account, 2);
    const { hash } = (await verify(account)).head!;
    await change(account, 1);
    await storage.open.write((transaction) =>
      transaction.run("UPDATE audit_chains SET count = 3, hash = ? WHERE account_seq = ?", [hash, account.seq]),
    );
    const firstBroken = { number: 4, detail: "is beyond the head of the chain" };
    expect(await verify(account)).toMatchObject({ intact: false, firstBroken });
  });

  test("unsealed entries are listed and counted completely, however many", async () => {
    const account = await accountOf();
    await sealer.seal();
    for (let index = 0; index < 11; index++) await record(account, 1000);
    const auditLog = new AuditLog(reader);
    const { reads } = storage.open;
    expect(await auditLog.countUnsealed(reads, account)).toBe(11_000);
    const ids = new Set<string>();
    let before: string | undefined;
    for (;;) {
      const page = await auditLog.list(reads, account, { before, action: "token.*" }, 5000);
      for (const { id } of page) ids.add(id);
      before = page.at(-1)?.id;
      if (page.length < 5000) break;
    }
    expect(ids.size).toBe(11_000);
  });

  test("an anchor that was moved to hide entries is detected", async () => {
    const account = await accountOf();
    await change(account, 5);
    await sealer.signHeads();
    await storage.open.write((transaction) =>
      transaction.run("UPDATE audit_chains SET anchor = 3 WHERE account_seq = ?", [account.seq]),
    );
    expect(await verify(account)).toMatchObject({ intact: false, firstBroken: { number: 4 } });
  });

  test("a head that the installation's key did not sign is detected", async () => {
    const account = await accountOf();
    await change(account, 2);
    await sealer.signHeads();
    await storage.open.write((transaction) =>
      transaction.run("UPDATE audit_chains SET head = replace(head, '2', '3') WHERE account_seq = ?", [account.seq]),
    );
    expect(await verify(account)).toMatchObject({ intact: false });
  });

  test("the signing key stays the same, and gets a successor only where its encryption key is lost", async () => {
    const { open } = storage;
    expect((await SigningKeys.open(open, keyring, 1)).publicKeys).toEqual(keys.publicKeys);
    const other = await SigningKeys.open(open, new Keyring([Buffer.alloc(32, 1)]), storage.clock.now() + 1);
    expect(other.publicKeys.slice(1)).toEqual(keys.publicKeys);
    const head = keys.sign({ account: "acct_1", count: 1, hash: "ab", time: "now" });
    expect(other.isSigned(head)).toBe(true);
    expect(other.isSigned({ ...head, count: 2 })).toBe(false);
  });
});
