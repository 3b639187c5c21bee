import { afterAll, beforeAll, expect, test } from "bun:test";
import { postgres } from "../../../../../test/support/engines.ts";
import { unique } from "../../../../../test/support/metering.ts";
import { MeteringAccount } from "../../../../../test/support/metering-rules.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import { customerPlace } from "../../../../counting/quotas/customer-place.ts";
import { Hold, type MeterAmounts } from "../../../../counting/quotas/hold.ts";
import { deleteExpiredHolds } from "../../../../counting/quotas/published-holds.ts";
import type { QuotaLedger } from "../../../../counting/quotas/quota-ledger.ts";
import { amountOf } from "../../../../lib/amount.ts";
import { openStorage } from "../../../../platform/storage/engines/open.ts";
import { StorageUnavailable } from "../../../../platform/storage/errors.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import { openQuotaLedger } from "./quota-source.ts";
import { Quotas } from "./quotas.ts";

const tokens = (amount: number): MeterAmounts => new Map([["tokens", amountOf(amount)!]]);
const ten = tokens(10);
let second: Storage;

// Closed before the storage, whose database is removed last.
afterAll(() => second.close());

const storage = useStorage(postgres);
const { clock } = storage;

beforeAll(async () => {
  second = await openStorage(storage.options);
});

async function scene(max: number) {
  const account = await MeteringAccount.create(storage.open, clock);
  const plan = await account.plan({ tokens: { max } });
  const customer = unique("customer");
  const subscription = await account.subscribe(plan, customer);
  const place = customerPlace(account.account.seq, account.bucket.id, customer);
  const one = openQuotaLedger(storage.open, clock);
  const other = openQuotaLedger(second, clock);
  /** The holds of the requests that a node admits. */
  const admit = async (ledger: QuotaLedger, count: number, amounts = ten) => {
    const holds: Hold[] = [];
    for (let each = 0; each < count; each++) {
      const hold = (await ledger.find(place, clock.now())).hold(amounts, { isShared: true });
      if (hold instanceof Hold) holds.push(hold);
    }
    return holds;
  };
  const flushBoth = async () => {
    for (const ledger of [one, other]) await ledger.flush();
  };
  return { account, subscription, place, one, other, admit, flushBoth };
}

test("two nodes exceed a quota by at most what the other admits in two flush intervals", async () => {
  const { account, subscription, one, other, admit, flushBoth } = await scene(100);
  const holds: Hold[] = [];
  const admitted: number[][] = [];
  for (let interval = 0; interval < 4; interval++) {
    const counts = [];
    for (const ledger of [one, other]) {
      const some = await admit(ledger, 6);
      counts.push(some.length);
      holds.push(...some);
    }
    admitted.push(counts);
    await flushBoth();
  }
  // The first flush of the first node is too early for what the second publishes.
  expect(admitted).toEqual([
    [6, 6],
    [4, 0],
    [0, 0],
    [0, 0],
  ]);
  for (const hold of holds) hold.settle(tokens(9));
  await flushBoth();
  expect(await account.used(subscription)).toEqual({ tokens: 16 * 9 });
});

test("a settled hold of the other node counts as usage immediately, and the rest is returned", async () => {
  const { one, other, admit, flushBoth } = await scene(100);
  // Both know the customer before the other holds anything.
  for (const ledger of [one, other]) (await admit(ledger, 1))[0]!.release();
  const holds = await admit(one, 10);
  await flushBoth();
  expect(await admit(other, 1)).toEqual([]);
  for (const hold of holds) hold.settle(tokens(7));
  await flushBoth();
  expect(await admit(other, 10)).toHaveLength(3);
});

test("holds that one node releases return to the other", async () => {
  const { one, other, admit, flushBoth } = await scene(100);
  const holds = await admit(one, 9);
  await flushBoth();
  expect(await admit(other, 10)).toHaveLength(1);
  for (const hold of holds.slice(0, 3)) hold.release();
  await flushBoth();
  expect(await admit(other, 10)).toHaveLength(3);
});

test("usage that the other node settled is read by a node with open holds", async () => {
  const { one, other, admit, flushBoth } = await scene(100);
  await admit(other, 1);
  for (const hold of await admit(one, 9)) hold.settle();
  await flushBoth();
  expect(await admit(other, 10)).toEqual([]);
});

test("quotas/consume counts the holds of other nodes", async () => {
  const { account, subscription, one, other, admit, flushBoth } = await scene(100);
  await admit(one, 9);
  await flushBoth();
  const quotas = new Quotas(second, other);
  const consume = async (amount: number) => {
    const { act, bucket } = account;
    const amounts = new Map(tokens(amount));
    const consumed = await quotas.consume({ act, bucketId: bucket.id, subscriptionId: subscription.row.id, amounts });
    return consumed.allowed;
  };
  expect(await consume(11)).toBe(false);
  expect(await consume(10)).toBe(true);
});

test("holds of a killed node return when their lease expires; those of a living one are renewed", async () => {
  const { one, other, admit } = await scene(100);
  const killed = openQuotaLedger(second, clock);
  await admit(killed, 5);
  await killed.flush();
  await admit(one, 4);
  await one.flush();
  await other.flush();
  expect(await admit(other, 10)).toHaveLength(1);
  for (let second = 0; second < 9; second++) {
    clock.advance(1000);
    await one.flush();
    await other.flush();
    expect(await admit(other, 1)).toEqual([]);
  }
  clock.advance(1000);
  await one.flush();
  await other.flush();
  expect(await admit(other, 10)).toHaveLength(5);
  await deleteExpiredHolds(storage.open, clock.now());
  const rows = await storage.open.reads.all<{ writer: string }>("SELECT writer FROM quota_holds", []);
  expect(rows.map(({ writer }) => writer)).not.toContain(killed.writer);
  expect(rows.map(({ writer }) => writer)).toContain(one.writer);
});

test("leases expire while storage is unavailable", async () => {
  const { place, one, admit } = await scene(100);
  let isAway = false;
  const failing: Storage = Object.create(second, {
    reads: {
      get: () => {
        if (isAway) throw new StorageUnavailable("test");
        return second.reads;
      },
    },
  });
  const other = openQuotaLedger(failing, clock);
  await admit(one, 10);
  await one.flush();
  await other.flush();
  const quota = await other.find(place, clock.now());
  isAway = true;
  for (const [seconds, isAdmitted] of [
    [9, false],
    [1, true],
  ] as const) {
    clock.advance(seconds * 1000);
    await other.flush();
    expect(quota.hold(ten) instanceof Hold).toBe(isAdmitted);
  }
});

test("counters are evicted when their holds have ended for the other nodes, too", async () => {
  const { one, admit } = await scene(100);
  const [hold] = await admit(one, 1);
  await one.flush();
  hold!.release();
  for (let round = 0; round < 2; round++) one.evictIdle();
  expect(one.periods).toBe(1);
  await one.flush();
  one.evictIdle();
  expect(one.periods).toBe(0);
});
