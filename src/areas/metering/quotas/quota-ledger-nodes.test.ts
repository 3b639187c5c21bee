import { afterAll, beforeAll, expect, test } from "bun:test";
import { postgres } from "../../../../test/support/engines.ts";
import { unique } from "../../../../test/support/metering.ts";
import { MeteringAccount } from "../../../../test/support/metering-rules.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import { until } from "../../../../test/support/until.ts";
import { customerPlace } from "../../../counting/quotas/customer-place.ts";
import { Hold, type MeterAmounts } from "../../../counting/quotas/hold.ts";
import type { QuotaLedger } from "../../../counting/quotas/quota-ledger.ts";
import { amountOf } from "../../../lib/amount.ts";
import { openStorage } from "../../../platform/storage/engines/open.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { UsageEvents } from "../usage/events.ts";
import { openQuotaLedger } from "./quota-source.ts";

const one: MeterAmounts = new Map([["requests", amountOf(1)!]]);
let second: Storage;

// Closed before the storage, whose database is removed last.
afterAll(() => second.close());

const storage = useStorage(postgres);

beforeAll(async () => {
  second = await openStorage(storage.options);
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
      const hold = quota.hold(one, storage.clock.now());
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
