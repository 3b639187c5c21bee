import { afterAll, beforeAll, expect, test } from "bun:test";
import { postgres } from "../../../../../test/support/engines.ts";
import { unique } from "../../../../../test/support/metering.ts";
import { MeteringAccount } from "../../../../../test/support/metering-rules.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import { until } from "../../../../../test/support/until.ts";
import { raiseCounters } from "../../../../counting/counters/raise-counters.ts";
import { amountOf } from "../../../../lib/amount.ts";
import { openStorage } from "../../../../platform/storage/engines/open.ts";
import type { Storage, WriteTransaction } from "../../../../platform/storage/storage.ts";
import { periodOf } from "../../subscriptions/state.ts";
import { spendPeriodsOf } from "../credit-grants/use-store.ts";
import { lockCustomerBilling } from "../credit-grants/wallet.ts";
import { settleBilling } from "../periods/billing-steps.ts";
import { addGrant, changeCustomer } from "../periods/grant-actions.ts";
import { billingHooks } from "../periods/subscription-hooks.ts";
import { setProfile } from "../settings/settings.ts";

const rates = {
  requests: { overage: "bill", tierMode: "graduated", tiers: [{ upTo: null, unitAmount: "0.10" }] },
};
const priced = { price: { currency: "EUR", amount: "0", interval: "month" }, rates };
const hour = 60 * 60 * 1000;

let second: Storage;
// Closed before the database is dropped.
afterAll(() => second.close());
const storage = useStorage(postgres);
beforeAll(async () => {
  second = await openStorage(storage.options);
});

async function scene() {
  const account = await MeteringAccount.create(storage.open, storage.clock);
  const { bucket } = account;
  const customer = unique("customer");
  const subscription = await account.subscribe(await account.plan({ requests: { max: 0 } }, priced), customer);
  const { seq, id } = subscription.row;
  await storage.open.write((transaction) =>
    billingHooks.created({ transaction, act: account.act, bucket }, subscription),
  );
  const { start, end } = periodOf(subscription, storage.clock.now());
  /** Counts units in the first period, as an event that arrives late does. */
  const use = (transaction: WriteTransaction, units: number) => {
    const counter = { subscriptionSeq: seq, periodStart: start, meter: "requests", events: 1, consumed: 0n };
    return raiseCounters(transaction, [{ ...counter, amount: amountOf(units)!, hours: new Map() }]);
  };
  const setCap = (transaction: WriteTransaction, amount: string) =>
    changeCustomer(
      { transaction, act: account.act, bucket },
      customer,
      { spendCap: { amount, action: "block" } },
      () => {},
    );
  return { account, bucket, customer, seq, id, start, end, use, setCap };
}

/** Whether a transaction waits for a lock. */
async function isWaiting(): Promise<boolean> {
  const sql = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' LIMIT 1";
  return (await second.reads.one(sql, [])) !== undefined;
}

test("two changes of a cap at the same time: the later one writes off under the earlier one", async () => {
  const { customer, bucket, seq, start, use, setCap } = await scene();
  let later: Promise<unknown> = Promise.resolve();
  await storage.open.write(async (transaction) => {
    await lockCustomerBilling(transaction, bucket, customer);
    later = second.write((other) => setCap(other, "20.00"));
    await until(isWaiting);
    await transaction.run("UPDATE customers SET spend_cap = ? WHERE bucket_seq = ? AND customer_key = ?", [
      JSON.stringify([{ amount: "2.00", action: "block" }]),
      bucket.seq,
      customer,
    ]);
    await use(transaction, 100);
  });
  await later;
  const spend = (await spendPeriodsOf(storage.open.reads, seq)).get(start);
  expect(spend).toMatchObject({ writtenOff: 800n, owed: 200n });
});

test("usage that arrives while an invoice is finalized is paid by grants once", async () => {
  const { account, customer, bucket, id, end, use } = await scene();
  const address = { line1: "Hauptstr. 1", city: "Berlin", country: "DE" };
  const profile = { legalName: "Seller", address, numberPrefix: "I-" };
  await storage.open.write(async (transaction) => {
    await setProfile(transaction, account.act, profile, () => {});
    await addGrant({ transaction, act: account.act, bucket }, customer, {
      currency: "EUR",
      amount: "50.00",
      funding: "paid",
    });
    await use(transaction, 100);
  });
  const late: Promise<unknown>[] = [];
  const bill = (at: number, work = (transaction: WriteTransaction) => transaction) =>
    storage.open.write((transaction) =>
      settleBilling({ transaction: work(transaction), act: account.act, bucket }, id, at),
    );
  // After each comparison with credits, ten units arrive: 1.00.
  const withLateUsage = (transaction: WriteTransaction) =>
    new Proxy(transaction, {
      get(target, name: keyof WriteTransaction) {
        const value = target[name];
        if (typeof value !== "function") return value;
        if (name !== "run") return value.bind(target);
        return async (sql: string, parameters: unknown[]) => {
          await target.run(sql, parameters);
          if (!sql.startsWith("INSERT INTO customer_credits")) return;
          let isWritten = false;
          const writing = second
            .write((other) => use(other, 10))
            .then(() => {
              isWritten = true;
            });
          late.push(writing);
          await until(async () => isWritten || (await isWaiting()));
        };
      },
    });
  await bill(end);
  await bill(end + hour, withLateUsage);
  await Promise.all(late);
  await bill(end + 2 * hour);
  const sum = async (sql: string) => Number((await storage.open.reads.one<{ sum: string }>(sql, [bucket.seq]))!.sum);
  const taken = await sum(
    `SELECT -SUM(CAST(grant_entries.amount AS BIGINT)) AS sum FROM grant_entries
     JOIN grants ON grants.seq = grant_entries.grant_seq WHERE grants.bucket_seq = ? AND kind = 'consumed'`,
  );
  const open = await sum(
    `SELECT SUM(CAST(paid AS BIGINT) - CAST(applied_paid AS BIGINT)) AS sum FROM credit_uses
     JOIN subscriptions ON subscriptions.seq = credit_uses.subscription_seq WHERE subscriptions.bucket_seq = ?`,
  );
  const invoiced = await sum("SELECT SUM(CAST(from_credits AS BIGINT)) AS sum FROM invoices WHERE bucket_seq = ?");
  expect(late.length).toBeGreaterThan(1);
  expect(invoiced).toBeGreaterThanOrEqual(1000);
  // What the invoice does not have waits for the next one.
  expect({ taken, invoiced }).toEqual({ taken: 1000 + late.length * 100, invoiced: taken - open });
});
