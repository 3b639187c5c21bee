import { expect, test } from "bun:test";
import { recordingStatements } from "../../../../test/support/counted-statements.ts";
import { postgres } from "../../../../test/support/engines.ts";
import { KeyAccount } from "../../../../test/support/key-rules.ts";
import { unique, usageEvent } from "../../../../test/support/metering.ts";
import { MeteringAccount } from "../../../../test/support/metering-rules.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import { RateLimitWindows } from "../../../counting/limits/windows.ts";
import { customerPlace } from "../../../counting/quotas/customer-place.ts";
import type { Hold } from "../../../counting/quotas/hold.ts";
import { amountOf } from "../../../lib/amount.ts";
import { generateSecret } from "../../../lib/crypto/secret-text.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { KeyBucketDirectory } from "../../key-buckets/directory.ts";
import { KeyVerifier } from "../../keys/verification/verifier.ts";
import { openQuotaLedger } from "../quotas/quota-source.ts";
import { Quotas } from "../quotas/quotas.ts";
import { UsageEvents } from "./events.ts";

const storage = useStorage(postgres);
const one = new Map([["requests", amountOf(1)!]]);

/** Customers of one bucket, each with a subscription to one of two plans. */
async function customers(count: number) {
  const account = await MeteringAccount.create(storage.open, storage.clock);
  const plans = [
    await account.plan({ requests: { max: 10 } }),
    await account.plan({ requests: { max: 20 }, mb: { max: 5 } }),
  ];
  const keys = Array.from({ length: count }, () => unique("customer"));
  const subscriptions = [];
  for (const [index, key] of keys.entries()) subscriptions.push(await account.subscribe(plans[index % 2]!, key));
  return { account, keys, subscriptions };
}
type Customers = Awaited<ReturnType<typeof customers>>;

/** Returns the statements of the work for a few customers, and expects the same number for ten times as many. */
async function statementsOf(work: (customers: Customers, recorded: Storage) => Promise<() => Promise<void>>) {
  const counts = [];
  const texts = [];
  for (const count of [5, 50]) {
    const { storage: recorded, statements } = recordingStatements(storage.open);
    const measured = await work(await customers(count), recorded);
    statements.length = 0;
    await measured();
    counts.push(statements.length);
    texts.push(...statements);
  }
  expect(counts[1], texts.join("\n")).toBe(counts[0]!);
  return counts[0]!;
}

test("a flush of the ledger has as many statements for many customers as for few", async () => {
  const count = await statementsOf(async ({ account, keys, subscriptions }, recorded) => {
    const ledger = openQuotaLedger(recorded, storage.clock);
    const take = async (isShared: boolean) => {
      for (const key of keys) {
        const now = storage.clock.now();
        const quota = await ledger.find(customerPlace(account.account.seq, account.bucket.id, key), now);
        const hold = quota.hold(one, now, { isShared }) as Hold;
        if (!isShared) hold.settle();
      }
    };
    await take(false);
    await take(true);
    return async () => {
      await ledger.flush();
      expect(ledger.unwritten).toBe(0);
      expect(await account.used(subscriptions.at(-1)!)).toMatchObject({ requests: 1 });
    };
  });
  // The batch, counters, hours and days, and holds.
  expect(count).toBeLessThan(12);
});

test("a large flush takes several transactions", async () => {
  const { account, keys } = await customers(3);
  const ledger = openQuotaLedger(storage.open, storage.clock);
  const quota = await ledger.find(customerPlace(account.account.seq, account.bucket.id, keys[0]!), storage.clock.now());
  const { subscriptionSeq, periodStart, periodEnd } = quota.heldIn!;
  const meters = Array.from({ length: 12_000 }, (_, index) => `meter_${index}`);
  const place = { subscriptionSeq, periodStart, periodEnd };
  for (const meter of meters) ledger.takeOver(place, { amounts: new Map([[meter, 1n]]), isShared: false }).settle();
  const sizes: number[] = [];
  const { write } = storage.open;
  storage.open.write = (work) =>
    write((transaction) => {
      const all: typeof transaction.all = async (sql, parameters) => {
        const rows = await transaction.all(sql, parameters);
        if (sql.includes("INTO usage_counters")) sizes.push(rows.length);
        return rows as never;
      };
      return work({ ...transaction, all });
    });
  await ledger.flush();
  storage.open.write = write;
  expect(sizes).toEqual([5_000, 5_000, 2_000]);
  expect(ledger.unwritten).toBe(0);
});

test("a batch of events has as many statements for many customers as for few", async () => {
  const count = await statementsOf(async ({ account, keys, subscriptions }, recorded) => {
    const events = new UsageEvents(recorded);
    const items = (source: string) => keys.map((subject) => usageEvent({ requests: 2 }, { source, subject }));
    const send = (source: string) =>
      events.ingest({ act: account.act, bucketId: account.bucket.id, items: items(source) });
    // Plans are read once for each version.
    await send("first");
    return async () => {
      expect(await send("second")).toEqual({ accepted: keys.length, duplicates: 0, rejected: [] });
      expect(await account.used(subscriptions.at(-1)!)).toMatchObject({ requests: 4 });
    };
  });
  // The bucket, subscriptions, plans, events with keys, counters, hours with days, and marks.
  expect(count).toBe(7);
});

test("a group of consumed quotas has as many statements for many customers as for few", async () => {
  const count = await statementsOf(async ({ account, subscriptions }, recorded) => {
    const quotas = new Quotas(recorded, openQuotaLedger(storage.open, storage.clock));
    const consume = () =>
      Promise.all(
        subscriptions.map(({ row }) =>
          quotas.consume({ act: account.act, bucketId: account.bucket.id, subscriptionId: row.id, amounts: one }),
        ),
      );
    // Plans are read once for each version.
    await consume();
    return async () => {
      const consumed = await consume();
      expect(consumed.every(({ allowed, meters }) => allowed && meters.requests!.used === 2)).toBe(true);
      expect(await account.used(subscriptions.at(-1)!)).toMatchObject({ requests: 2 });
    };
  });
  // The bucket, subscriptions, plans, totals, counters, and hours with days.
  expect(count).toBe(6);
});

test("quotas that are needed at once are loaded with as many statements for many customers as for few", async () => {
  const count = await statementsOf(async ({ account, keys }, recorded) => {
    const ledger = openQuotaLedger(recorded, storage.clock);
    const find = (some: string[]) =>
      Promise.all(
        some.map((key) => ledger.find(customerPlace(account.account.seq, account.bucket.id, key), storage.clock.now())),
      );
    // The bucket and both plans are read once.
    await find(keys.slice(0, 2));
    return async () => {
      for (const quota of await find(keys.slice(2))) expect(quota.owner).toBeDefined();
    };
  });
  // Subscriptions, their plans, and totals.
  expect(count).toBe(3);
});

test("keys that are used for the first time at once are found with one statement", async () => {
  const keys = await KeyAccount.create(storage);
  const consumers = [];
  for (let index = 0; index < 20; index++) consumers.push(await keys.consumer("main"));
  const { storage: recorded, statements } = recordingStatements(storage.open);
  const verifier = new KeyVerifier(
    recorded,
    new KeyBucketDirectory(recorded),
    1024 * 1024,
    new RateLimitWindows(recorded),
  );
  const place = verifier.buckets.place(keys.account.seq, "main");
  const verify = (key: string) => verifier.verify(place, key, storage.clock.now());
  await verify(consumers[0]!.key);
  statements.length = 0;
  const values = consumers.slice(1).map(({ key }) => key);
  const verdicts = await Promise.all([...values, ...values, generateSecret("tgt")].map(verify));
  for (const [index, { known }] of verdicts.entries()) {
    const holder = index < 2 * values.length ? consumers[1 + (index % values.length)]!.consumer : undefined;
    expect(known?.identity.consumerId).toBe(holder?.id);
  }
  expect(statements).toHaveLength(1);
});
