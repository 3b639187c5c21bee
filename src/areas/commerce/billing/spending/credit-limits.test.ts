import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eachEngine, postgres } from "../../../../../test/support/engines.ts";
import { unique } from "../../../../../test/support/metering.ts";
import { MeteringAccount } from "../../../../../test/support/metering-rules.ts";
import { contextOf, pass, placeOf } from "../../../../../test/support/request-context.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import { until } from "../../../../../test/support/until.ts";
import { LedgerQuotas } from "../../../../counting/quotas/hold-quota.ts";
import { QuotaPolicy } from "../../../../gateway/policies/quota/quota.ts";
import { quotaOptions } from "../../../../gateway/policies/quota/schema.ts";
import { openStorage } from "../../../../platform/storage/engines/open.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import { openQuotaLedger } from "../../metering/quotas/quota-source.ts";
import { setBilling } from "../../subscriptions/state.ts";
import { findSubscriptionForUpdate } from "../../subscriptions/subscriptions.ts";
import { listGrants } from "../credit-grants/grants.ts";
import { spendPeriodsOf } from "../credit-grants/use-store.ts";
import type { Caps } from "../customers/caps.ts";
import { addGrant, changeCustomer } from "../periods/grant-actions.ts";
import { billingHooks } from "../periods/subscription-hooks.ts";
import { settleCredits } from "./credit-settlement.ts";
import { fixSpending } from "./spending.ts";
import { spendingLimits } from "./spending-limits.ts";

type Stored = ReturnType<typeof useStorage>;

const rates = {
  requests: { overage: "bill", tierMode: "graduated", tiers: [{ upTo: null, unitAmount: "0.10" }] },
};
const priced = { price: { currency: "EUR", amount: "0", interval: "month" }, rates };

/** A customer of a gateway on one or several nodes. */
async function scene(storage: Stored, max: number, plan: object = {}, nodes: Storage[] = [storage.open]) {
  const account = await MeteringAccount.create(storage.open, storage.clock);
  const { bucket, act } = account;
  const customer = unique("customer");
  const subscription = await account.subscribe(await account.plan({ requests: { max } }, plan), customer);
  await storage.open.write((transaction) => billingHooks.created({ transaction, act, bucket }, subscription));
  const ledgers = nodes.map((node) => openQuotaLedger(node, storage.clock, { credits: spendingLimits }));
  const options = quotaOptions.parse({ bucketId: bucket.id, meters: { requests: 1 } });
  const policies = ledgers.map(
    (ledger) => new QuotaPolicy(new LedgerQuotas(ledger), options, placeOf(account.account.seq)),
  );
  /** The statuses of concurrent requests to a node. */
  const send = async (count: number, node = 0) => {
    const sending = Array.from({ length: count }, () => {
      const context = contextOf(new Request("http://shop.localhost/things"), {
        now: storage.clock.now(),
        user: { sub: customer, data: {} },
      });
      return pass([policies[node]!], context, () => new Response("from the target"));
    });
    return Promise.all(sending);
  };
  const admitted = async (count: number, node = 0) =>
    (await send(count, node)).filter(({ status }) => status === 200).length;
  const grant = (amount: number) =>
    storage.open.write((transaction) =>
      addGrant({ transaction, act: account.act, bucket }, customer, { meter: "requests", amount, funding: "paid" }),
    );
  const setCap = (amount: string) =>
    storage.open.write((transaction) =>
      changeCustomer(
        { transaction, act: account.act, bucket },
        customer,
        { spendCap: { amount, action: "block" } },
        () => {},
      ),
    );
  /** What is left after all usage is written and compared with credits. */
  const balances = async () => {
    for (const ledger of ledgers) await ledger.flush();
    await storage.open.write((transaction) => settleCredits({ transaction, act: account.act, bucket }, customer));
    const { data } = await listGrants(storage.open.reads, bucket, customer, { limit: 10, offset: 0 });
    return data.map(({ balance }) => balance);
  };
  return { account, customer, subscription, ledgers, send, admitted, grant, setCap, balances };
}

eachEngine((engine) => {
  const storage = useStorage(engine);

  test("a gateway admits prepaid requests as far as money covers them, however many are concurrent", async () => {
    const prepaid = { ...priced, rates: { requests: { ...rates.requests, overage: "prepaid" } } };
    const { account, customer, send, admitted, balances } = await scene(storage, 5, prepaid);
    const money = (amount: string) =>
      storage.open.write((transaction) =>
        addGrant({ transaction, act: account.act, bucket: account.bucket }, customer, {
          currency: "EUR",
          amount,
          funding: "paid",
        }),
      );
    expect(await admitted(20)).toBe(5);
    await money("1.00");
    expect(await admitted(30)).toBe(10);
    expect(await balances()).toEqual(["0"]);
    const [rejected] = await send(1);
    expect(rejected!.status).toBe(402);
    expect(await rejected!.json()).toMatchObject({ code: "credit_exhausted" });
    await money("0.30");
    expect(await admitted(10)).toBe(3);
    expect(await balances()).toEqual(["0", "0"]);
  });

  test("500 concurrent requests on the last 10 credits: 10 succeed, the others are 402", async () => {
    const { admitted, send, grant, balances } = await scene(storage, 5);
    await grant(10);
    expect(await admitted(5)).toBe(5);
    const responses = await send(500);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(10);
    const rejected = responses.filter(({ status }) => status === 402);
    expect(rejected).toHaveLength(490);
    expect(await rejected[0]!.json()).toMatchObject({ code: "credit_exhausted" });
    expect(rejected[0]!.headers.has("retry-after")).toBe(false);
    expect(await balances()).toEqual(["0"]);
    expect(await admitted(10)).toBe(0);
  });

  test("settling credits while they are used admits neither more nor less", async () => {
    const { ledgers, admitted, grant, balances } = await scene(storage, 5);
    await grant(30);
    let count = 0;
    for (let turn = 0; turn < 10; turn++) {
      count += await admitted(7);
      if (turn % 3 === 0) await ledgers[0]!.flush();
      if (turn % 2 === 0) await balances();
    }
    expect(count).toBe(35);
    expect(await balances()).toEqual(["0"]);
  });

  test("a cap is exact with concurrent requests, and a raised one takes effect", async () => {
    const { admitted, send, setCap } = await scene(storage, 5, priced);
    await setCap("2.00");
    const responses = await send(500);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(25);
    const rejected = responses.find(({ status }) => status !== 200)!;
    expect(rejected.status).toBe(402);
    expect(await rejected.json()).toMatchObject({ code: "spend_cap_reached" });
    await setCap("3.00");
    await until(async () => (await admitted(1)) === 1);
    expect(await admitted(50)).toBe(9);
  });

  test("an overdue invoice is 402 until it is paid", async () => {
    const { account, subscription, send } = await scene(storage, 5);
    const block = (blocks_on: number | null) =>
      storage.open.write(async (transaction) => {
        const { row } = await findSubscriptionForUpdate(transaction, account.bucket, subscription.row.id);
        await setBilling({ transaction, act: account.act, bucket: account.bucket }, row, { blocks_on });
      });
    await block(storage.clock.now());
    const [rejected] = await send(1);
    expect(rejected!.status).toBe(402);
    expect(await rejected!.json()).toMatchObject({ code: "payment_required" });
    await block(null);
    await until(async () => (await send(1))[0]!.status === 200);
  });

  test("without credits or caps the quota is 429 as before", async () => {
    const { send } = await scene(storage, 1);
    const statuses = (await send(3)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 429, 429]);
  });
});

describe("two nodes", () => {
  let second: Storage;
  afterAll(() => second.close());
  const storage = useStorage(postgres);
  beforeAll(async () => {
    second = await openStorage(storage.options);
  });

  test("exceed credits by at most what the other admits in two flush intervals, and no balance is negative", async () => {
    const { account, subscription, ledgers, admitted, grant, balances } = await scene(storage, 40, {}, [
      storage.open,
      second,
    ]);
    await grant(60);
    const perInterval = 60;
    const counts: number[] = [];
    for (let interval = 0; interval < 4; interval++) {
      counts.push((await admitted(perInterval, 0)) + (await admitted(perInterval, 1)));
      for (const ledger of ledgers) await ledger.flush();
    }
    const total = counts.reduce((sum, count) => sum + count, 0);
    expect(total).toBeGreaterThanOrEqual(100);
    expect(total).toBeLessThanOrEqual(100 + 2 * perInterval);
    expect(counts.slice(2)).toEqual([0, 0]);
    expect(await account.used(subscription)).toEqual({ requests: total });
    expect(await balances()).toEqual(["0"]);
  });

  test("a raised cap takes effect on the other node", async () => {
    const { admitted, ledgers, setCap } = await scene(storage, 5, priced, [storage.open, second]);
    await setCap("1.00");
    expect(await admitted(30, 1)).toBe(15);
    await ledgers[1]!.flush();
    await setCap("2.00");
    await until(async () => (await admitted(1, 1)) === 1);
  });

  test("usage that is written while a cap changes is compared with grants before it is written off", async () => {
    const { account, customer, subscription, ledgers, admitted, grant, setCap } = await scene(storage, 5, priced, [
      storage.open,
      second,
    ]);
    const { seq } = subscription.row;
    await grant(10);
    await setCap("2.00");
    expect(await admitted(50, 1)).toBe(5 + 10 + 20);
    const caps: Caps = { spendCaps: [{ amount: "2.00", action: "block" }], creditLimits: [] };
    await storage.open.write(async (transaction) => {
      await settleCredits({ transaction, act: account.act, bucket: account.bucket }, customer);
      await ledgers[1]!.flush();
      expect(await account.used(subscription)).toEqual({ requests: 35 });
      await fixSpending(transaction, seq, caps, storage.clock.now());
    });
    const periods = await spendPeriodsOf(storage.open.reads, seq);
    expect([...periods.values()].map(({ writtenOff }) => writtenOff)).toEqual([0n]);
  });
});
