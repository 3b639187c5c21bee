import { expect, test } from "bun:test";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { MeteringAccount } from "../../../../../test/support/metering-rules.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import { raiseCounters } from "../../../../counting/counters/raise-counters.ts";
import { amountOf } from "../../../../lib/amount.ts";
import { periodOf } from "../../subscriptions/state.ts";
import type { Subscription } from "../../subscriptions/subscriptions.ts";
import { changeCustomer } from "./grant-actions.ts";
import { billingHooks } from "./subscription-hooks.ts";
import { cappedCustomersSql, SpendThresholds } from "./threshold-job.ts";

const hour = 60 * 60 * 1000;
const rates = {
  requests: { overage: "bill", tierMode: "graduated", tiers: [{ upTo: null, unitAmount: "0.10" }] },
};
const priced = { price: { currency: "EUR", amount: "0", interval: "month" }, rates };

eachEngine((engine) => {
  let queries = 0;
  const operation = (kind: string) => {
    if (kind === "query") queries += 1;
  };
  const storage = useStorage(engine, { observer: { operation, group: () => {}, revocationLag: () => {} } });
  const count = 20;
  const tables = 35;

  test("customers with new usage or another cap are compared with it, all with one statement for each table", async () => {
    const { clock, open } = storage;
    const account = await MeteringAccount.create(open, clock);
    const { bucket, act } = account;
    const plan = await account.plan({ requests: { max: 0 } }, priced);
    const setCap = (customer: string, amount: string) =>
      open.write((transaction) =>
        changeCustomer({ transaction, act, bucket }, customer, { spendCap: { amount, action: "block" } }, () => {}),
      );
    const use = (subscription: Subscription, units: number) => {
      const now = clock.now();
      const counter = { subscriptionSeq: subscription.row.seq, periodStart: periodOf(subscription, now).start };
      const amount = amountOf(units)!;
      const hours = new Map([[now - (now % hour), amount]]);
      const change = { ...counter, meter: "requests", events: 1, amount, consumed: 0n, hours };
      return open.write((transaction) => raiseCounters(transaction, [change]));
    };
    const customers: Subscription[] = [];
    for (let index = 0; index < count; index += 1) {
      const subscription = await account.subscribe(plan, `customer-${index}`);
      await open.write((transaction) => billingHooks.created({ transaction, act, bucket }, subscription));
      await setCap(`customer-${index}`, "10.00");
      await use(subscription, 1);
      customers.push(subscription);
    }
    const failures: unknown[] = [];
    const job = new SpendThresholds({ storage: open, clock, failed: (error) => failures.push(error) });
    const run = async () => {
      queries = 0;
      storage.changes = [];
      await job.announce();
      const announced = storage.changes.filter(({ kind }) => kind === "spend.threshold").length;
      return { queries, announced };
    };
    const first = await run();
    // SQLite has one statement for 1, 4, 8 or 64 rows.
    expect(first.queries).toBeLessThan(engine.name === "sqlite" ? 2 * tables : tables);
    expect(await run()).toEqual({ queries: 1, announced: 0 });
    await use(customers[3]!, 49);
    const one = await run();
    expect(one.announced).toBe(1);
    // It is compared again in the transaction that announces it.
    expect(one.queries).toBeLessThan(2 * tables);
    expect(await run()).toEqual({ queries: 1, announced: 0 });
    await setCap("customer-4", "0.10");
    await open.write((transaction) => transaction.run("UPDATE spend_periods SET threshold = 0", []));
    expect((await run()).announced).toBe(1);
    expect(failures).toEqual([]);
  });

  if (engine.name === "sqlite")
    test("customers without a cap and the usage of other customers are not read", async () => {
      const parameters = [0, 0, 0, 0, 0, "", 100];
      const plan = await storage.open.reads.all<{ detail: string }>(
        `EXPLAIN QUERY PLAN ${cappedCustomersSql}`,
        parameters,
      );
      const details = plan.map(({ detail }) => detail);
      expect(details.join("\n")).toContain("customers USING INDEX customers_capped");
      const ofUsage = "SEARCH usage_hours USING PRIMARY KEY (time=? AND subscription_seq=?)";
      expect(details.filter((detail) => detail.includes("usage_hours"))).toEqual([ofUsage, ofUsage]);
    });
});
