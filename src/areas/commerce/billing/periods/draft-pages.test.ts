import { expect, test } from "bun:test";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { MeteringAccount } from "../../../../../test/support/metering-rules.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import { raiseCounters } from "../../../../counting/counters/raise-counters.ts";
import { amountOf } from "../../../../lib/amount.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import { periodOf } from "../../subscriptions/state.ts";
import type { Subscription } from "../../subscriptions/subscriptions.ts";
import { lockCustomerBilling } from "../credit-grants/wallet.ts";
import { deleteDraft, type InvoiceRow } from "../invoices/invoice-store.ts";
import { setProfile } from "../settings/settings.ts";
import { billDue } from "./billing-job.ts";
import { addGrant } from "./grant-actions.ts";
import { withPendingOverage } from "./invoice-drafts.ts";
import { previewPlanChange, upcomingInvoice } from "./previews.ts";
import { billingHooks } from "./subscription-hooks.ts";

const hour = 60 * 60 * 1000;
const address = { line1: "Hauptstr. 1", city: "Berlin", country: "DE" };
const rates = { requests: { overage: "bill", tierMode: "graduated", tiers: [{ upTo: null, unitAmount: "0.10" }] } };
const price = { currency: "EUR", amount: "10.00", interval: "month" };
/** The last one has two subscriptions. */
const customers = ["e", "d", "c", "b", "a", "a"].map((letter) => `customer-${letter}`);

eachEngine((engine) => {
  let queries = 0;
  const operation = () => {
    queries += 1;
  };
  const storage = useStorage(engine, { observer: { operation, group: () => {}, revocationLag: () => {} } });

  test("a page of drafts has the amounts of each draft alone, read with one statement for each table", async () => {
    const { open, clock } = storage;
    clock.set("2031-01-01T00:00:00Z");
    const account = await MeteringAccount.create(open, clock);
    const { act, bucket } = account;
    const plan = await account.plan({ requests: { max: 10 } }, { price, rates });
    const other = await account.plan({ requests: { max: 20 } }, { price: { ...price, amount: "20.00" }, rates });
    const profile = { legalName: "Seller", address, numberPrefix: "I-" };
    await open.write((transaction) => setProfile(transaction, act, profile, () => {}));
    const subscriptions: Subscription[] = [];
    for (const [index, customer] of customers.entries()) {
      const subscription = await account.subscribe(plan, customer);
      subscriptions.push(subscription);
      const amount = amountOf(30 + index)!;
      const { start } = periodOf(subscription, act.now);
      const hours = new Map([[act.now, amount]]);
      const place = { subscriptionSeq: subscription.row.seq, periodStart: start, meter: "requests" };
      await open.write(async (transaction) => {
        await billingHooks.created({ transaction, act, bucket }, subscription);
        await raiseCounters(transaction, [{ ...place, events: 1, amount, consumed: 0n, hours }]);
      });
    }
    // Each draft of this customer alone would take all of it.
    const money = { currency: "EUR", amount: "3.00", funding: "paid" as const, expiresOn: act.now + 90 * 24 * hour };
    clock.set("2031-02-01T00:10:00Z");
    await billDue(open, clock, (error) => expect(error).toBeUndefined());
    await open.write((transaction) => addGrant({ transaction, act: account.act, bucket }, "customer-a", money));
    const rows = () =>
      open.reads.all<InvoiceRow>("SELECT * FROM invoices WHERE bucket_seq = ? ORDER BY seq", [bucket.seq]);
    const invoices = await rows();
    const drafts = invoices.filter(({ status }) => status === "draft");
    expect(drafts).toHaveLength(customers.length);

    const reading: Storage = {
      ...open,
      write: () => Promise.reject(new Error("A page of drafts writes nothing")),
    };
    const costOf = async (some: InvoiceRow[]) => {
      queries = 0;
      const shown = await withPendingOverage(reading, account.act, bucket, some);
      return { shown, queries };
    };
    const alone: InvoiceRow[] = [];
    for (const draft of drafts) alone.push(...(await costOf([draft])).shown);
    const page = await costOf(invoices);
    expect(page.shown).toEqual(invoices.map((invoice) => alone.find(({ id }) => id === invoice.id) ?? invoice));
    expect(alone.every((draft, index) => draft.total !== drafts[index]!.total)).toBe(true);
    // The tables are read once, however many customers there are. SQLite has one statement for 1, 4, 8 or 64 rows.
    const different = drafts.filter(({ customer_key }) => customer_key !== "customer-a");
    const one = await costOf(different.slice(0, 1));
    const four = await costOf(different);
    expect(four.queries).toBe(one.queries);
    expect(await rows()).toEqual(invoices);
    // Another write of the customer is in progress, and on SQLite nothing else can be written.
    const { id } = subscriptions.at(-1)!.row;
    const previews = async () => [
      await upcomingInvoice(reading, account.act, bucket, id),
      await previewPlanChange(reading, account.act, bucket, id, { planExternalIds: [other.external_id] }),
      (await costOf(invoices)).shown,
    ];
    const free = await previews();
    await open.write(async (transaction) => {
      await lockCustomerBilling(transaction, bucket, "customer-a");
      expect(await previews()).toEqual(free);
    });
    // One that is deleted after the page was read is left out.
    await open.write((transaction) => deleteDraft(transaction, drafts[1]!.seq));
    const rest = page.shown.filter(({ id }) => id !== drafts[1]!.id);
    expect((await costOf(invoices)).shown).toEqual(rest);
  });
});
