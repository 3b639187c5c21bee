import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { sqlite } from "../../../../../test/support/engines.ts";
import { MeteringAccount } from "../../../../../test/support/metering-rules.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import { customerPlace } from "../../../../counting/quotas/customer-place.ts";
import type { Hold } from "../../../../counting/quotas/hold.ts";
import { amountOf } from "../../../../lib/amount.ts";
import { openQuotaLedger } from "./quota-source.ts";

const storage = useStorage(sqlite);
const unit = new Map([["meter_0", amountOf(1)!]]);
const warm = 1_000;
const measured = 3_000;

function heapBytes(): number {
  // A second collection frees what finalizers of the first one held.
  Bun.gc(true);
  Bun.gc(true);
  const { heapSize, extraMemorySize } = heapStats();
  return heapSize + extraMemorySize;
}

/** Returns the memory of an active customer whose plan has so many meters, and what the cache counts for it. */
async function customerBytes(meterCount: number) {
  const { open, clock } = storage;
  const account = await MeteringAccount.create(open, clock);
  const plan = await account.plan(
    Object.fromEntries(Array.from({ length: meterCount }, (_, index) => [`meter_${index}`, { max: 1000 }])),
  );
  const { row } = await account.subscribe(plan, "customer-0");
  const nameOf = (index: number) => `customer-${index}`;
  await open.write(async (transaction) => {
    const copies = Array.from({ length: warm + measured }, (_, index) => index + 1);
    const seqOf = (index: number) => row.seq + index;
    await transaction.insertAll(
      "subscriptions",
      copies.map((index) => ({ ...row, seq: seqOf(index), id: `${row.id}-${index}`, customer_key: nameOf(index) })),
    );
    await transaction.insertAll(
      "subscription_plans",
      copies.map((index) => ({ subscription_seq: seqOf(index), position: 0, plan_seq: plan.seq })),
    );
  });
  const ledger = openQuotaLedger(open, clock);
  let counted = 0;
  const use = async (from: number, to: number) => {
    const names = Array.from({ length: to - from }, (_, index) => nameOf(from + index));
    const places = names.map((name) => customerPlace(account.account.seq, account.bucket.id, name));
    for (const quota of await Promise.all(places.map((place) => ledger.find(place, clock.now())))) {
      (quota.hold(unit) as Hold).settle();
      quota.usageText;
      counted = quota.bytes;
    }
    await ledger.flush();
  };
  await use(1, warm);
  const before = heapBytes();
  await use(warm, warm + measured);
  const bytes = (heapBytes() - before) / measured;
  expect(ledger.periods).toBe(warm + measured - 1);
  return { bytes, counted };
}

/** The lower of two measurements: what else the process compiles or frees meanwhile adds to one. */
async function lowestBytes(meterCount: number) {
  const [one, other] = [await customerBytes(meterCount), await customerBytes(meterCount)];
  return one.bytes < other.bytes ? one : other;
}

test("the quota of an active customer takes less than 3 kB, and about what the cache counts", async () => {
  const few = await lowestBytes(3);
  expect(few.bytes).toBeLessThan(3_000);
  for (const { bytes, counted } of [few, await lowestBytes(20)]) {
    expect(bytes / counted).toBeGreaterThan(0.7);
    expect(bytes / counted).toBeLessThan(1.2);
  }
});
