import { expect, test } from "bun:test";
import { leakedKeys } from "../src/areas/api-keys/keys/leaks.ts";
import { MailQueue } from "../src/areas/common/mail/mail-queue.ts";
import { ratesOfPlans } from "../src/areas/console/overview/store.ts";
import { seqRange } from "../src/areas/operations/exports/recorded-store.ts";
import type { Storage } from "../src/platform/storage/storage.ts";
import { Log } from "../src/platform/telemetry/log.ts";
import { recordingStatements, scannedTables } from "./support/counted-statements.ts";
import { sqlite } from "./support/engines.ts";
import { useStorage } from "./support/storage.ts";

const storage = useStorage(sqlite);

const log = new Log({ level: "error", readable: false, sink: { write: () => true } });
const removedMail = (open: Storage) =>
  new MailQueue({ storage: open, clock: storage.clock, log, mailer: undefined }).removeOld(1);

/** Work that is repeated, or that a page waits for. */
test.each<[string, (open: Storage) => Promise<unknown>]>([
  ["the mail about leaked keys", ({ reads }) => leakedKeys(reads, 1, ["key_a", "key_b"])],
  ["the range of an export", ({ reads }) => seqRange(reads, "usage_events")],
  ["the rates of plans", ({ reads }) => ratesOfPlans(reads, 1, ["plan_a"])],
  ["the removal of old mail", removedMail],
])("%s reads no table of many rows from end to end", async (_, work) => {
  const { storage: recorded, statements } = recordingStatements(storage.open);
  await work(recorded);
  expect(statements).not.toEqual([]);
  expect(await scannedTables(storage.open, statements)).toEqual([]);
});
