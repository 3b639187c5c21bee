import { expect, test } from "bun:test";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { unique } from "../../../../../test/support/metering.ts";
import { MeteringAccount } from "../../../../../test/support/metering-rules.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import type { CounterTotal } from "../../../../counting/counters/counter-store.ts";
import { raiseCounters } from "../../../../counting/counters/raise-counters.ts";
import { recordTotals } from "../../../../counting/counters/totals.ts";
import { customerPlace } from "../../../../counting/quotas/customer-place.ts";
import { Hold } from "../../../../counting/quotas/hold.ts";
import { amountOf } from "../../../../lib/amount.ts";
import { periodOf } from "../../subscriptions/state.ts";
import { moveEarlyUsage } from "../usage/early-usage.ts";
import { UsageEvents } from "../usage/events.ts";
import { openQuotaLedger } from "./quota-source.ts";
import { Quotas } from "./quotas.ts";

const units = (count: number) => new Map([["requests", amountOf(count)!]]);

eachEngine((engine) => {
  const storage = useStorage(engine);

  async function scene() {
    const { open, clock } = storage;
    const ledger = openQuotaLedger(open, clock);
    const account = await MeteringAccount.create(open, clock);
    const plan = await account.plan({ requests: { max: 100 } });
    const customer = unique("customer");
    const subscription = await account.subscribe(plan, customer);
    const place = customerPlace(account.account.seq, account.bucket.id, customer);
    const canHold = async (count: number) => {
      const hold = (await ledger.find(place, clock.now())).hold(units(count));
      if (hold instanceof Hold) hold.release();
      return hold instanceof Hold;
    };
    /** Adds to the total, or subtracts from it, and returns it. */
    const count = async (requests: number): Promise<CounterTotal[]> =>
      open.write(async (transaction) => {
        const { seq } = subscription.row;
        const counter = { subscriptionSeq: seq, periodStart: periodOf(subscription, clock.now()).start };
        const amount = requests < 0 ? -amountOf(-requests)! : amountOf(requests)!;
        const change = { ...counter, meter: "requests", events: 0, amount, consumed: 0n, hours: new Map() };
        const totals = await raiseCounters(transaction, [change]);
        const owner = { act: account.act, bucketId: account.bucket.id };
        await recordTotals(transaction, totals, new Map([[seq, owner]]));
        return totals;
      });
    const consume = (requests: number) =>
      new Quotas(open, ledger).consume({
        act: account.act,
        bucketId: account.bucket.id,
        subscriptionId: subscription.row.id,
        amounts: units(requests),
      });
    return { ledger, account, plan, customer, subscription, canHold, count, consume };
  }

  test("a total that decreases is used, and an earlier one that arrives after it is not", async () => {
    const { ledger, canHold, count, consume } = await scene();
    expect(await canHold(100)).toBe(true);
    const before = await count(80);
    expect(await canHold(21)).toBe(false);
    const after = await count(-50);
    expect(await canHold(70)).toBe(true);
    expect(await canHold(71)).toBe(false);
    ledger.update(before);
    expect(await canHold(70)).toBe(true);
    ledger.update(after);
    expect(await consume(71)).toMatchObject({ allowed: false, meters: { requests: { used: 30 } } });
    expect(await consume(70)).toMatchObject({ allowed: true, meters: { requests: { used: 100 } } });
  });

  test("usage that moves to another subscription is left to the former one", async () => {
    const { ledger, account, plan, customer, subscription, canHold, consume } = await scene();
    const { open, clock } = storage;
    expect(await canHold(100)).toBe(true);
    const event = { specversion: "1.0", id: unique("e"), source: "s", type: "t", subject: customer };
    const time = new Date(clock.now() + 1_000).toISOString();
    await new UsageEvents(open).ingest({
      act: account.act,
      bucketId: account.bucket.id,
      items: [{ ...event, time, data: { requests: 60 } }],
    });
    expect(await canHold(41)).toBe(false);
    const next = await account.subscribe(plan, customer);
    await open.write(async (transaction) => {
      await transaction.run("UPDATE subscriptions SET billing = 'active' WHERE seq = ?", [next.row.seq]);
      await moveEarlyUsage({ transaction, act: account.act, bucket: account.bucket }, customer);
    });
    expect(await account.used(next)).toEqual({ requests: 60 });
    const former = ledger.pin(subscription.row.seq, periodOf(subscription, clock.now()));
    expect(former.counter("requests").used).toBe(0n);
    ledger.unpin(former);
    expect(await consume(100)).toMatchObject({ allowed: true, meters: { requests: { used: 100 } } });
    expect(await account.used(subscription)).toEqual({ requests: 100 });
  });
});
