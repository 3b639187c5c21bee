import { afterAll, beforeAll, expect, test } from "bun:test";
import { recordingStatements } from "../../../../../test/support/counted-statements.ts";
import { postgres } from "../../../../../test/support/engines.ts";
import { unique } from "../../../../../test/support/metering.ts";
import { MeteringAccount } from "../../../../../test/support/metering-rules.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import { until } from "../../../../../test/support/until.ts";
import { customerPlace } from "../../../../counting/quotas/customer-place.ts";
import { Hold, type MeterAmounts } from "../../../../counting/quotas/hold.ts";
import { holdQuota } from "../../../../counting/quotas/hold-quota.ts";
import type { QuotaLedger } from "../../../../counting/quotas/quota-ledger.ts";
import { amountOf } from "../../../../lib/amount.ts";
import { openStorage } from "../../../../platform/storage/engines/open.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import { UsageEvents } from "../usage/events.ts";
import { openQuotaLedger } from "./quota-source.ts";

const one: MeterAmounts = new Map([["requests", amountOf(1)!]]);
let second: Storage;
/** The subjects of changes that the second node has followed. */
const followed: string[] = [];

// Closed before the storage, whose database is removed last.
afterAll(() => second.close());

const storage = useStorage(postgres);

beforeAll(async () => {
  second = await openStorage(storage.options);
  second.feed.subscribe(
    (changes) => followed.push(...changes.map(({ subject }) => subject)),
    () => {},
  );
});

async function scene(max: number) {
  const account = await MeteringAccount.create(storage.open, storage.clock);
  const plan = await account.plan({ requests: { max } });
  const customer = unique("customer");
  const subscription = await account.subscribe(plan, customer);
  const ledgers = [openQuotaLedger(storage.open), openQuotaLedger(second)] as const;
  /** Returns how many of the requests a node admits. */
  const spend = async (ledger: QuotaLedger, count: number) => {
    let admitted = 0;
    for (let each = 0; each < count; each++) {
      const quota = await ledger.find(
        customerPlace(account.account.seq, account.bucket.id, customer),
        storage.clock.now(),
      );
      const hold = quota.hold(one);
      if (!(hold instanceof Hold)) continue;
      hold.settle();
      admitted += 1;
    }
    return admitted;
  };
  return { account, plan, customer, subscription, ledgers, spend };
}

test("two nodes go over by at most what one lets through in two flush intervals, and storage counts all of it", async () => {
  const { account, subscription, ledgers, spend } = await scene(100);
  const perInterval = 60;
  const admitted: number[] = [];
  for (let interval = 0; interval < 4; interval++) {
    const counts = [];
    for (const ledger of ledgers) counts.push(await spend(ledger, perInterval));
    // One after the other, which is the worst case: the first does not see what the other admitted in the meantime.
    for (const ledger of ledgers) await ledger.flush();
    admitted.push(counts[0]! + counts[1]!);
  }
  expect(admitted.slice(0, 2)).toEqual([120, 40]);
  expect(admitted.slice(2)).toEqual([0, 0]);
  expect(await account.used(subscription)).toEqual({ requests: 160 });
});

test("two nodes that flush after each request are exact", async () => {
  const { account, subscription, ledgers, spend } = await scene(20);
  let admitted = 0;
  for (let turn = 0; turn < 30; turn++)
    for (const ledger of ledgers) {
      // Receives the usage that the other has written before it admits a request.
      ledger.customers.clear();
      admitted += await spend(ledger, 1);
      await ledger.flush();
    }
  expect(admitted).toBe(20);
  expect(await account.used(subscription)).toEqual({ requests: 20 });
});

test("flushes of both at once lose nothing", async () => {
  const { account, subscription, ledgers, spend } = await scene(1_000_000);
  let admitted = 0;
  for (let turn = 0; turn < 20; turn++) {
    for (const ledger of ledgers) admitted += await spend(ledger, 7);
    await Promise.all(ledgers.flatMap((ledger) => [ledger.flush(), ledger.flush()]));
  }
  expect(admitted).toBe(280);
  expect(await account.used(subscription)).toEqual({ requests: 280 });
});

/** Two nodes with a customer whose quota of 1,000 the first has used half of, since the second used 2 of it. */
async function halfUsedElsewhere() {
  const { account, customer, subscription } = await scene(1000);
  await until(() => followed.includes(subscription.row.id));
  const { storage: recorded, statements } = recordingStatements(second);
  const ledgers = [openQuotaLedger(storage.open, storage.clock), openQuotaLedger(recorded, storage.clock)] as const;
  const place = customerPlace(account.account.seq, account.bucket.id, customer);
  const hold = (ledger: QuotaLedger, requests: number, options = {}) =>
    holdQuota(ledger, place, new Map([["requests", amountOf(requests)!]]), storage.clock.now(), options);
  const take = async (ledger: QuotaLedger, requests: number) => {
    const { result } = await hold(ledger, requests);
    (result as Hold).settle();
    await ledger.flush();
  };
  await take(ledgers[1], 2);
  await take(ledgers[0], 500);
  statements.length = 0;
  return { hold, take, ledgers, other: ledgers[1], statements };
}

test("a node that was idle reads the total before it decides about a large amount", async () => {
  const { hold, other, statements } = await halfUsedElsewhere();
  storage.clock.advance(2000);
  // A tenth of what it believes to be left is not large.
  expect((await hold(other, 99)).result).toBeInstanceOf(Hold);
  expect(statements).toEqual([]);
  const { result } = await hold(other, 500);
  expect(result).toMatchObject({ reason: "exceeded", shortage: { used: amountOf(601), amount: amountOf(500) } });
  expect(statements).toHaveLength(1);
  expect((await hold(other, 399)).result).toBeInstanceOf(Hold);
  // The total is known now. One of two flush intervals later may be old again.
  expect(statements).toHaveLength(1);
  storage.clock.advance(401);
  expect((await hold(other, 1)).result).toMatchObject({ reason: "exceeded" });
  expect(statements).toHaveLength(2);
});

test("usage in a response is at most a second old", async () => {
  const { hold, other, statements } = await halfUsedElsewhere();
  storage.clock.advance(1000);
  expect(((await hold(other, 1, { reportsUsage: true })).result as Hold).usage).toContain('"used":3,');
  expect(statements).toEqual([]);
  storage.clock.advance(1);
  const usages = await Promise.all(Array.from({ length: 20 }, () => hold(other, 1, { reportsUsage: true })));
  expect(usages.map(({ result }) => Number(/"used":(\d+)/.exec((result as Hold).usage!)![1]))).toEqual(
    Array.from({ length: 20 }, (_, index) => 504 + index),
  );
  expect(statements).toHaveLength(1);
});

test("a total that is read while the response to a flush is missing counts the usage of the flush once", async () => {
  const { hold, take, ledgers, other, statements } = await halfUsedElsewhere();
  await take(ledgers[0], 1);
  storage.clock.advance(1001);
  ((await hold(other, 3)).result as Hold).settle();
  const [committed, respond] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { write } = second;
  second.write = async (work) => {
    const result = await write(work);
    committed.resolve();
    await respond.promise;
    return result;
  };
  const flushing = other.flush();
  await committed.promise;
  statements.length = 0;
  const held = hold(other, 1, { reportsUsage: true });
  await until(() => statements.length > 0);
  await storage.open.reads.all("SELECT 1", []);
  respond.resolve();
  second.write = write;
  expect(((await held).result as Hold).usage).toContain('"used":507,');
  await flushing;
});

test("without storage, a node decides about large amounts by what it knows", async () => {
  const { hold, other } = await halfUsedElsewhere();
  storage.clock.advance(2000);
  const trust = second.feed.trust;
  second.feed.trust = () => "away";
  expect((await hold(other, 900)).result).toBeInstanceOf(Hold);
  second.feed.trust = trust;
});

test("usage that one node records reaches the other within a second, and so do changes of plan and subscription", async () => {
  const { account, plan, customer, subscription, ledgers, spend } = await scene(10);
  const [, other] = ledgers;
  expect(await spend(other, 1)).toBe(1);
  await new UsageEvents(storage.open).ingest({
    act: account.act,
    bucketId: account.bucket.id,
    items: [{ specversion: "1.0", id: "1", source: "s", type: "t", subject: customer, data: { requests: 9 } }],
  });
  await until(async () => (await spend(other, 1)) === 0);
  await account.changePlan(plan, { requests: { max: 1000 } });
  await until(async () => (await spend(other, 1)) === 1);
  await account.change(subscription, { status: "canceled" });
  await until(async () => (await spend(other, 1)) === 0);
});
