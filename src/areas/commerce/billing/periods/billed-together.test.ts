import { expect, test } from "bun:test";
import { postgres } from "../../../../../test/support/engines.ts";
import { MeteringAccount } from "../../../../../test/support/metering-rules.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import { raiseCounters } from "../../../../counting/counters/raise-counters.ts";
import { amountOf } from "../../../../lib/amount.ts";
import { StorageUnavailable } from "../../../../platform/storage/errors.ts";
import { saveRow } from "../../../../platform/storage/query.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import type { Plan } from "../../plans/plans.ts";
import { periodOf } from "../../subscriptions/state.ts";
import type { Subscription } from "../../subscriptions/subscriptions.ts";
import { setPaymentMethod } from "../customers/customers.ts";
import { setProfile } from "../settings/settings.ts";
import { billDue, settleDueCredits } from "./billing-job.ts";
import { addGrant, changeCustomer } from "./grant-actions.ts";
import { cancelSubscription, changePlans } from "./plan-changes.ts";
import { billingHooks } from "./subscription-hooks.ts";

const hour = 60 * 60 * 1000;
const day = 24 * hour;
const address = { line1: "Hauptstr. 1", city: "Berlin", country: "DE" };
const profile = { legalName: "Seller", address, numberPrefix: "I-" };
const customers = Array.from({ length: 15 }, (_, index) => ({ index, key: `customer-${index}` }));
const behaviors = [undefined, "succeeds", "fails"] as const;

const withPrice = (amount: string, interval = "month") => ({ price: { currency: "EUR", amount, interval } });
const withRates = (overage: "bill" | "prepaid") => ({
  rates: { requests: { overage, tierMode: "graduated", tiers: [{ upTo: null, unitAmount: "0.10" }] } },
});
const offers = [
  withPrice("10.00"),
  { ...withPrice("20.00"), ...withRates("bill"), rollover: { requests: { maximum: 60, periods: 2 } } },
  { ...withPrice("5.00"), ...withRates("prepaid") },
  withPrice("90.00", "year"),
];

/** One database each: the customers of one are billed in one transaction, those of the other in one of their own. */
const databases = [
  { storage: useStorage(postgres), isTogether: true },
  { storage: useStorage(postgres), isTogether: false },
];
type Database = (typeof databases)[number];
const slow: Database = { storage: useStorage(postgres), isTogether: true };

/** Customers with different plans, credits, caps, payment methods and scheduled changes. */
async function arrange({ storage }: Database) {
  const { open, clock } = storage;
  clock.set("2031-01-05T10:00:00Z");
  const account = await MeteringAccount.create(open, clock);
  const { bucket, act } = account;
  const plans: Plan[] = [];
  for (const offer of offers) plans.push(await account.plan({ requests: { max: 100 } }, offer));
  await open.write(async (transaction) => {
    await setProfile(transaction, act, profile, () => {});
    const changed = { version: 1, created_on: act.now, updated_on: act.now };
    const provider = { type: "sandbox", secret_key: null, webhook_secret: null };
    const row = { account_seq: act.account.seq, mode: "live", ...provider, ...changed };
    await saveRow(transaction, "payment_providers", row, ["account_seq", "mode"]);
  });
  const subscriptions: Subscription[] = [];
  for (const { index, key } of customers)
    for (let number = 0; number < (index % 8 === 0 ? 2 : 1); number += 1) {
      const subscription = await account.subscribe(plans[(index + number) % plans.length]!, key);
      subscriptions.push(subscription);
      await open.write(async (transaction) => {
        await billingHooks.created({ transaction, act, bucket }, subscription);
        const { id } = subscription.row;
        const behavior = behaviors[index % behaviors.length];
        const method = behavior && { type: "sandbox" as const, behavior };
        if (method) await setPaymentMethod({ transaction, act, bucket }, key, method, () => {});
        const contact = { email: `${key}@example.com`, name: key };
        const spendCap = { amount: "7.00", action: index % 12 === 0 ? ("block" as const) : ("notify" as const) };
        await changeCustomer(
          { transaction, act, bucket },
          key,
          index % 6 === 0 ? { ...contact, spendCap } : contact,
          () => {},
        );
        const money = { currency: "EUR", amount: "12.50", funding: "paid" as const };
        if (index % 5 === 0) await addGrant({ transaction, act, bucket }, key, money);
        const units = { meter: "requests", amount: 40, expiresOn: act.now + 45 * day };
        if (index % 7 === 0) await addGrant({ transaction, act, bucket }, key, { ...units, funding: "promotional" });
        const change = { planExternalIds: [plans[0]!.external_id], timing: "period-end" as const };
        if (index % 9 === 1) await changePlans({ transaction, act, bucket }, id, change);
        if (index % 11 === 3) await cancelSubscription({ transaction, act, bucket }, id, { timing: "period-end" });
      });
    }
  return { account, subscriptions };
}

async function use(storage: Storage, now: number, subscriptions: Subscription[]): Promise<void> {
  for (const [index, subscription] of subscriptions.entries()) {
    const amount = amountOf((index * 37) % 250)!;
    const place = { subscriptionSeq: subscription.row.seq, periodStart: periodOf(subscription, now).start };
    const hours = new Map([[now - (now % hour), amount]]);
    const change = { ...place, meter: "requests", events: 1, amount, consumed: 0n, hours };
    await storage.write((transaction) => raiseCounters(transaction, [change]));
  }
}

/** What is stored of each customer, without ids and numbers. */
async function stored(storage: Storage, bucketSeq: number) {
  const rows = async (sql: string) =>
    (await storage.reads.all<object>(sql, [bucketSeq]))
      .map((row) => JSON.stringify(row).replaceAll(/(plan|inv|grnt|sbsc)_\w+/g, "$1"))
      .toSorted();
  return {
    invoices: await rows(
      `SELECT customer_key, status, lines, total, tax, amount_due, from_credits, written_off, credited, netted, collected,
         corrects_id IS NOT NULL AS corrects, finalizes_on, finalized_on, due_on, failed_on, paid_on, buyer, version
       FROM invoices WHERE bucket_seq = ?`,
    ),
    subscriptions: await rows(
      `SELECT customer_key, status, bills_on, blocks_on, payment, has_credits, version,
         (SELECT COUNT(*) FROM billing_segments WHERE subscription_seq = subscriptions.seq) AS segments
       FROM subscriptions WHERE bucket_seq = ?`,
    ),
    segments: await rows(
      `SELECT customer_key, kind, period_start, starts_on, ends_on, billed FROM billing_segments
         JOIN subscriptions ON subscriptions.seq = subscription_seq WHERE bucket_seq = ?`,
    ),
    entries: await rows(
      `SELECT customer_key, grants.amount AS granted, grant_entries.kind, grant_entries.amount, grant_entries.balance, hour
       FROM grant_entries JOIN grants ON grants.seq = grant_seq WHERE bucket_seq = ?`,
    ),
    rollovers: await rows(
      "SELECT customer_key, period_start, granted, ended_on, allowance, maximum FROM rollovers WHERE bucket_seq = ?",
    ),
    dues: await rows("SELECT customer_key, due FROM customer_dues WHERE bucket_seq = ?"),
    mails: await rows(
      `SELECT mails.kind, recipient, state, due_on FROM mails JOIN metering_buckets ON metering_buckets.account_seq = mails.account_seq
       WHERE metering_buckets.seq = ?`,
    ),
    changes: await rows(
      `SELECT kind, COUNT(*) AS times FROM changes JOIN metering_buckets ON metering_buckets.account_seq = changes.account_seq
       WHERE metering_buckets.seq = ? GROUP BY kind`,
    ),
  };
}

test("customers that are billed in one transaction are billed as each alone", async () => {
  const results = [];
  for (const database of databases) {
    const { account, subscriptions } = await arrange(database);
    const { open, clock } = database.storage;
    const storage = database.isTogether ? open : { ...open, isShared: false };
    for (const days of [26, 6, 9, 40]) {
      await use(open, clock.now(), subscriptions);
      clock.advance(days * day + hour);
      const failures: unknown[] = [];
      await billDue(storage, clock, (error) => failures.push(error));
      await settleDueCredits(storage, clock, (error) => failures.push(error));
      expect(failures).toEqual([]);
    }
    results.push(await stored(open, account.bucket.seq));
    const numbers = await open.reads.all<{ number: string }>(
      "SELECT number FROM invoices WHERE bucket_seq = ? AND number LIKE 'I-0%' ORDER BY number",
      [account.bucket.seq],
    );
    expect(numbers.map(({ number }) => number)).toEqual(
      numbers.map((_, index) => `I-${String(index + 1).padStart(6, "0")}`),
    );
  }
  const [together, alone] = results;
  expect(alone!.invoices.length).toBeGreaterThan(2 * customers.length);
  for (const kind of ["entries", "rollovers", "dues", "mails"] as const) expect(alone![kind].length).toBeGreaterThan(0);
  expect(together).toEqual(alone!);
});

test("a customer whose billing fails is reported once, and the others are billed", async () => {
  const { open, clock } = databases[0]!.storage;
  const account = await subscribeAll(databases[0]!);
  await open.write((transaction) =>
    transaction.run("UPDATE subscriptions SET billing = '{' WHERE bucket_seq = ? AND customer_key = ?", [
      account.bucket.seq,
      "customer-4",
    ]),
  );
  clock.advance(32 * day);
  const failures: unknown[] = [];
  await billDue(open, clock, (...failure) => failures.push(failure));
  expect(failures).toEqual([[expect.any(SyntaxError), "step"]]);
  const expected = customers.map(({ key }) => [key, key === "customer-4" ? 1 : 2]);
  expect(await invoiceCounts(open, account)).toEqual(Object.fromEntries(expected));
});

test("where a transaction of many customers takes too long, fewer are billed at once", async () => {
  const { open, clock } = slow.storage;
  const account = await subscribeAll(slow);
  clock.advance(32 * day);
  const lengths: number[] = [];
  const write: Storage["write"] = (work) =>
    open.write((transaction) => {
      const tryLockAll = (names: string[]) => {
        lengths.push(names.length);
        if (names.length > 5) throw new StorageUnavailable(new Error("the transaction took too long"));
        return transaction.tryLockAll(names);
      };
      return work({ ...transaction, tryLockAll });
    });
  const failures: unknown[] = [];
  await billDue(Object.create(open, { write: { value: write } }), clock, (_, failure) => failures.push(failure));
  // Two batches may fail at the same time.
  expect([...new Set(failures)]).toEqual(["batch"]);
  expect(lengths[0]).toBe(15);
  expect(lengths).toContain(7);
  expect(lengths.filter((length) => length === 3).length).toBeGreaterThan(3);
  expect(await invoiceCounts(open, account)).toEqual(Object.fromEntries(customers.map(({ key }) => [key, 2])));
});

async function invoiceCounts(open: Storage, { bucket }: MeteringAccount) {
  const invoices = await open.reads.all<{ customer_key: string; count: number }>(
    "SELECT customer_key, COUNT(*) AS count FROM invoices WHERE bucket_seq = ? GROUP BY customer_key",
    [bucket.seq],
  );
  return Object.fromEntries(invoices.map(({ customer_key, count }) => [customer_key, Number(count)]));
}

/** Subscribes all customers to a plan with a price. */
async function subscribeAll({ storage: { open, clock } }: Database) {
  const account = await MeteringAccount.create(open, clock);
  const plan = await account.plan({ requests: { max: 100 } }, offers[0]);
  await open.write((transaction) => setProfile(transaction, account.act, profile, () => {}));
  for (const { key } of customers) {
    const subscription = await account.subscribe(plan, key);
    await open.write((transaction) =>
      billingHooks.created({ transaction, act: account.act, bucket: account.bucket }, subscription),
    );
  }
  return account;
}
