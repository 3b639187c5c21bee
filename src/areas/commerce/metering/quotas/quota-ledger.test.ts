import { expect, test } from "bun:test";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { unique } from "../../../../../test/support/metering.ts";
import { MeteringAccount } from "../../../../../test/support/metering-rules.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import { customerPlace } from "../../../../counting/quotas/customer-place.ts";
import { Hold, type MeterAmounts } from "../../../../counting/quotas/hold.ts";
import { amountOf } from "../../../../lib/amount.ts";
import { updateMeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { deleteSubscription } from "../../subscriptions/subscriptions.ts";
import { UsageEvents } from "../usage/events.ts";
import { openQuotaLedger } from "./quota-source.ts";
import { Quotas } from "./quotas.ts";

const one: MeterAmounts = new Map([["requests", amountOf(1)!]]);

eachEngine((engine) => {
  const storage = useStorage(engine);

  async function scene(max = 10) {
    const ledger = openQuotaLedger(storage.open, storage.clock);
    const account = await MeteringAccount.create(storage.open, storage.clock);
    const plan = await account.plan({ requests: { max } });
    const customer = unique("customer");
    const subscription = await account.subscribe(plan, customer);
    const find = () =>
      ledger.find(customerPlace(account.account.seq, account.bucket.id, customer), storage.clock.now());
    /** One incoming request: its hold, or undefined if it is rejected. */
    const take = async (amounts = one): Promise<Hold | undefined> => {
      const hold = (await find()).hold(amounts);
      return hold instanceof Hold ? hold : undefined;
    };
    /** Returns how many of the requests are admitted and count. */
    const spend = async (count: number) => {
      let admitted = 0;
      for (let each = 0; each < count; each++) {
        const hold = await take();
        hold?.settle();
        if (hold) admitted += 1;
      }
      return admitted;
    };
    return { ledger, account, plan, customer, subscription, find, take, spend };
  }

  test("admits exactly as many requests as the quota allows, however many are concurrent", async () => {
    const { ledger, account, subscription, take } = await scene(10);
    const held = (await Promise.all(Array.from({ length: 100 }, () => take()))).filter((hold) => hold !== undefined);
    expect(held).toHaveLength(10);
    expect(await account.used(subscription)).toEqual({ requests: 0 });
    for (const hold of held) hold.settle();
    expect(ledger.unwritten).toBe(1);
    await ledger.flush();
    expect(ledger.unwritten).toBe(0);
    expect(await account.used(subscription)).toEqual({ requests: 10 });
    expect(await take()).toBeUndefined();
  });

  test("decides from the cache once it has loaded", async () => {
    const { find } = await scene();
    expect(find()).toBeInstanceOf(Promise);
    await find();
    expect(find()).not.toBeInstanceOf(Promise);
  });

  test("released amounts are available to the next request", async () => {
    const { ledger, account, subscription, take } = await scene(1);
    const first = await take();
    expect(await take()).toBeUndefined();
    first!.release();
    const second = await take();
    second!.settle();
    expect(await take()).toBeUndefined();
    await ledger.flush();
    expect(await account.used(subscription)).toEqual({ requests: 1 });
  });

  test("begins with the total in storage, and continues with it after a write", async () => {
    const { account, subscription, spend, ledger, customer } = await scene(10);
    expect(await spend(4)).toBe(4);
    await ledger.flush();
    const another = openQuotaLedger(storage.open);
    const place = customerPlace(account.account.seq, account.bucket.id, customer);
    const quota = await another.find(place, storage.clock.now());
    const held = quota.hold(one) as Hold;
    held.release();
    expect(quota.hold(new Map([["requests", amountOf(7)!]]))).not.toBeInstanceOf(Hold);
    expect(await spend(10)).toBe(6);
    await ledger.flush();
    expect(await account.used(subscription)).toEqual({ requests: 10 });
  });

  test("usage events affect the next request", async () => {
    const { account, customer, take, ledger } = await scene(10);
    (await take())!.settle();
    const item = { specversion: "1.0", id: unique("e"), source: "s", type: "t", subject: customer };
    await new UsageEvents(storage.open).ingest({
      act: account.act,
      bucketId: account.bucket.id,
      items: [{ ...item, data: { requests: 8.5 } }],
    });
    expect(await take()).toBeUndefined();
    expect(await take(new Map([["requests", amountOf(0.5)!]]))).toBeDefined();
    await ledger.flush();
    expect(await take()).toBeUndefined();
  });

  test("consumption by the API affects the next request", async () => {
    const { account, subscription, take, ledger } = await scene(10);
    (await take())!.release();
    await new Quotas(storage.open, ledger).consume({
      act: account.act,
      bucketId: account.bucket.id,
      subscriptionId: subscription.row.id,
      amounts: new Map([["requests", amountOf(10)!]]),
    });
    expect(await take()).toBeUndefined();
  });

  test("the API cannot consume amounts that requests hold or have used, whether written or not", async () => {
    const { account, subscription, take, ledger } = await scene(10);
    const quotas = new Quotas(storage.open, ledger);
    const consume = (count: number) =>
      quotas.consume({
        act: account.act,
        bucketId: account.bucket.id,
        subscriptionId: subscription.row.id,
        amounts: new Map([["requests", amountOf(count)!]]),
      });
    const first = await take();
    (await take())!.settle();
    expect(await consume(9)).toMatchObject({ allowed: false, meters: { requests: { used: 2, available: 8 } } });
    first!.release();
    expect(await consume(9)).toMatchObject({ allowed: true, meters: { requests: { used: 10, available: 0 } } });
    expect(await take()).toBeUndefined();
    await ledger.flush();
    expect(await account.used(subscription)).toEqual({ requests: 10 });
  });

  test("usage that is being written while the API consumes counts once", async () => {
    for (let turns = 0; turns < 12; turns++) {
      const { account, subscription, spend, ledger } = await scene(10);
      expect(await spend(6)).toBe(6);
      const flushing = ledger.flush();
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
      const { allowed } = await new Quotas(storage.open, ledger).consume({
        act: account.act,
        bucketId: account.bucket.id,
        subscriptionId: subscription.row.id,
        amounts: new Map([["requests", amountOf(4)!]]),
      });
      expect(allowed).toBe(true);
      await flushing;
      expect(await spend(1)).toBe(0);
      expect(await account.used(subscription)).toEqual({ requests: 10 });
    }
  });

  test("consumption by the API for customers without requests is not cached", async () => {
    const { ledger, account, subscription } = await scene(10);
    const quotas = new Quotas(storage.open, ledger);
    const amounts = new Map([["requests", amountOf(1)!]]);
    await quotas.consume({
      act: account.act,
      bucketId: account.bucket.id,
      subscriptionId: subscription.row.id,
      amounts,
    });
    expect(ledger.periods).toBe(0);
  });

  test("settles less or more than was held, and meters that were not held", async () => {
    const { ledger, account, subscription, take } = await scene(10);
    await account.change(subscription, {
      planExternalIds: [(await account.plan({ requests: { max: 10 }, tokens: { max: 100 } })).external_id],
    });
    const five: MeterAmounts = new Map([["requests", amountOf(5)!]]);
    (await take(five))!.settle(new Map([["requests", amountOf(2)!]]));
    expect(await take(new Map([["requests", amountOf(8.5)!]]))).toBeUndefined();
    (await take(five))!.settle(new Map([["tokens", amountOf(70)!]]));
    expect(await take(new Map([["tokens", amountOf(31)!]]))).toBeUndefined();
    (await take(five))!.settle(new Map([["requests", amountOf(9)!]]));
    await ledger.flush();
    expect(await account.used(subscription)).toEqual({ requests: 11, tokens: 70 });
    expect(await take()).toBeUndefined();
  });

  test("a change of the plan affects the next request, and loses no usage", async () => {
    const { account, plan, spend } = await scene(2);
    expect(await spend(5)).toBe(2);
    await account.changePlan(plan, { requests: { max: 3 } });
    expect(await spend(5)).toBe(1);
    await account.changePlan(plan, { calls: { max: 3 } });
    expect(await spend(5)).toBe(0);
  });

  test("a change of the subscription affects the next request", async () => {
    const { account, plan, customer, subscription, find, spend } = await scene(5);
    expect(await spend(1)).toBe(1);
    await account.change(subscription, { status: "canceled" });
    expect((await find()).owner).toBeUndefined();
    const newer = await account.subscribe(plan, customer);
    expect((await find()).owner!.subscriber.subscriptionId).toBe(newer.row.id);
    expect(await spend(10)).toBe(5);
    await account.change(newer, { status: "inactive" });
    await account.change(subscription, { status: "active" });
    expect(await spend(10)).toBe(4);
  });

  test("the absence of a subscription is cached until there is one", async () => {
    const { ledger, account, plan } = await scene();
    const find = () =>
      ledger.find(customerPlace(account.account.seq, account.bucket.id, "newcomer"), storage.clock.now());
    expect((await find()).owner).toBeUndefined();
    expect(find()).not.toBeInstanceOf(Promise);
    await account.subscribe(plan, "newcomer");
    expect((await find()).owner).toBeDefined();
  });

  test("another account's bucket, or a missing one, has no subscription", async () => {
    const { ledger, account, customer } = await scene();
    const other = await MeteringAccount.create(storage.open, storage.clock);
    const now = storage.clock.now();
    expect(
      (await ledger.find(customerPlace(other.account.seq, account.bucket.id, customer), now)).owner,
    ).toBeUndefined();
    expect((await ledger.find(customerPlace(account.account.seq, "mtr_none", customer), now)).owner).toBeUndefined();
  });

  test("a trial ends by the clock alone, and the subscription before it counts again", async () => {
    const { account, plan, customer, subscription, find } = await scene();
    const trial = await account.subscribe(plan, customer, {
      status: "trialing",
      trialEndDate: storage.clock.now() + 1000,
      trialEndStatus: "canceled",
    });
    expect((await find()).owner!.subscriber.subscriptionId).toBe(trial.row.id);
    storage.clock.advance(999);
    expect((await find()).owner!.subscriber.subscriptionId).toBe(trial.row.id);
    storage.clock.advance(1);
    expect((await find()).owner!.subscriber.subscriptionId).toBe(subscription.row.id);
  });

  test("a new period begins with a full quota; a request counts in the period in which it came", async () => {
    const { ledger, account, subscription, take, spend } = await scene(3);
    expect(await spend(2)).toBe(2);
    const under = await take();
    expect(await take()).toBeUndefined();
    const before = storage.clock.now();
    storage.clock.advance(31 * 24 * 60 * 60 * 1000);
    expect(await spend(5)).toBe(3);
    under!.settle();
    await ledger.flush();
    expect(await account.used(subscription, before)).toEqual({ requests: 3 });
    expect(await account.used(subscription)).toEqual({ requests: 3 });
  });

  test("holds and counts of fractions are exact", async () => {
    const { ledger, account, subscription, take } = await scene(1);
    const tenth: MeterAmounts = new Map([["requests", amountOf(0.1)!]]);
    for (let count = 0; count < 10; count++) (await take(tenth))!.settle();
    expect(await take(tenth)).toBeUndefined();
    await ledger.flush();
    expect(await account.used(subscription)).toEqual({ requests: 1 });
  });

  test("takes all meters or none", async () => {
    const { account, subscription, take, find } = await scene();
    const both: MeterAmounts = new Map([...one, ["tokens", amountOf(5)!]]);
    const plan = await account.plan({ requests: { max: 10 }, tokens: { max: 7 } });
    expect((await find()).unknownMeter(both)).toBe("tokens");
    expect(await take(both)).toBeUndefined();
    await account.change(subscription, { planExternalIds: [plan.external_id] });
    expect(await take(both)).toBeDefined();
    expect((await find()).hold(both)).toMatchObject({ meter: "tokens", used: amountOf(5)! });
    expect(await take(one)).toBeDefined();
  });

  test("usage of a deleted subscription is dropped, and that of others is written", async () => {
    const { ledger, account, plan, subscription, spend } = await scene();
    await spend(2);
    const other = await account.subscribe(plan, "other");
    const now = storage.clock.now();
    const quota = await ledger.find(customerPlace(account.account.seq, account.bucket.id, "other"), now);
    (quota.hold(one) as Hold).settle();
    await storage.open.write((transaction) =>
      deleteSubscription(
        { transaction, act: account.act, bucket: account.bucket },
        subscription.row.id,
        () => {},
        undefined,
      ),
    );
    await ledger.flush();
    expect(ledger.unwritten).toBe(0);
    expect(await account.used(other)).toEqual({ requests: 1 });
  });

  test("evicts idle customers, but no unwritten usage", async () => {
    const { ledger, account, subscription, take, spend } = await scene(10);
    const under = await take();
    await spend(2);
    ledger.evictIdle();
    ledger.evictIdle();
    ledger.evictIdle();
    expect(ledger.periods).toBe(1);
    under!.settle();
    await ledger.flush();
    ledger.evictIdle();
    expect(ledger.periods).toBe(0);
    expect(await spend(10)).toBe(7);
    await ledger.flush();
    expect(await account.used(subscription)).toEqual({ requests: 10 });
  });

  test("evicts the quota under every name of its bucket", async () => {
    const { ledger, account, customer } = await scene(10);
    await storage.open.write((transaction) =>
      updateMeteringBucket(transaction, account.act, account.bucket.id, { name: "gold" }, () => {}),
    );
    const holdUnder = async (name: string) => {
      const quota = await ledger.find(customerPlace(account.account.seq, name, customer), storage.clock.now());
      return quota.hold(one);
    };
    for (const name of [account.bucket.id, "gold"]) ((await holdUnder(name)) as Hold).release();
    ledger.evictIdle();
    ledger.evictIdle();
    expect(ledger.periods).toBe(0);
    for (let count = 0; count < 10; count++)
      expect(await holdUnder(count % 2 ? account.bucket.id : "gold")).toBeInstanceOf(Hold);
    for (const name of [account.bucket.id, "gold"]) expect(await holdUnder(name)).not.toBeInstanceOf(Hold);
  });

  test("writes many counters in one batch", async () => {
    const { ledger, account, plan } = await scene();
    const customers = Array.from({ length: 150 }, () => unique("many"));
    // One after the other: 150 at once wait for a connection longer than the pool lets them on a slow machine.
    const subscriptions: Awaited<ReturnType<typeof account.subscribe>>[] = [];
    for (const customer of customers) subscriptions.push(await account.subscribe(plan, customer));
    for (const [index, customer] of customers.entries()) {
      const quota = await ledger.find(
        customerPlace(account.account.seq, account.bucket.id, customer),
        storage.clock.now(),
      );
      for (let times = 0; times <= index % 3; times++) (quota.hold(one) as Hold).settle();
    }
    await ledger.flush();
    for (const [index, subscription] of subscriptions.entries())
      expect(await account.used(subscription)).toEqual({ requests: (index % 3) + 1 });
  });
});
