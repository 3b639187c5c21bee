import { beforeAll, expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { unique } from "../../../../test/support/metering.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import type { Act } from "../../../core/access.ts";
import { recordChange } from "../../../core/changes/record.ts";
import { Keyring } from "../../../lib/crypto/keyring.ts";
import { DurableReader } from "../../../platform/storage/change-feed/durable-reader.ts";
import { Log } from "../../../platform/telemetry/log.ts";
import { createAccount } from "../../access/accounts/accounts.ts";
import { readerName, Sealer } from "./sealer.ts";
import { findSealed } from "./search.ts";
import { SigningKeys } from "./signing-keys.ts";
import { verifyChain } from "./verification.ts";

eachEngine((engine) => {
  const storage = useStorage(engine);
  let keys: SigningKeys;
  let account: Act["account"];

  beforeAll(async () => {
    const { open, clock } = storage;
    keys = await SigningKeys.open(open, new Keyring([Buffer.alloc(32)]), clock.now());
    const log = new Log({ level: "error", readable: false, sink: { write: () => true } });
    const reader = new DurableReader(open, readerName, { page: 1000 });
    const act = { actor: "system", now: clock.now() };
    account = await open.write((transaction) => createAccount(transaction, act, unique("account")));
    await open.write(async (transaction) => {
      for (let index = 0; index < 10_000; index++)
        recordChange(transaction, { ...act, account }, "token.created", { type: "token", id: `tokn_${index}` });
    });
    await new Sealer({ storage: open, reader, keys, clock, log }).seal();
  });

  /** The number of turns of the event loop during the search. */
  async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await work();
    isDone = true;
    return turns;
  }

  test("other requests are served while a long log is searched or verified", async () => {
    const { reads } = storage.open;
    let found: unknown[] = [];
    const searching = await turnsDuring(async () => {
      found = await findSealed(reads, account.seq, { action: "token.deleted" }, 10);
    });
    expect(found).toEqual([]);
    expect(searching).toBeGreaterThan(5);
    let verified: unknown;
    const verifying = await turnsDuring(async () => {
      verified = await verifyChain(reads, account, keys, storage.clock.now());
    });
    expect(verified).toMatchObject({ intact: true, entries: 10_001 });
    expect(verifying).toBeGreaterThan(5);
  });
});
