import { expect, test } from "bun:test";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { MeteringAccount } from "../../../../../test/support/metering-rules.ts";
import { slowStorage } from "../../../../../test/support/slow-storage.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import { findMeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { findSubscription } from "../../subscriptions/subscriptions.ts";
import { creditRevision } from "../credit-grants/grant-store.ts";
import { ensureCustomer } from "../customers/customers.ts";
import { allInvoicesOf } from "../invoices/invoice-store.ts";
import { openSegment } from "../plan-terms/segments.ts";
import { setProfile } from "../settings/settings.ts";
import { billDue } from "./billing-job.ts";
import { settleBilling } from "./billing-steps.ts";
import { moveClock } from "./bucket-clock.ts";
import { Piece } from "./due.ts";
import { addGrant } from "./grant-actions.ts";
import { billingHooks } from "./subscription-hooks.ts";

const price = { price: { currency: "EUR", amount: "10.00", interval: "month" } };
const address = { line1: "Hauptstr. 1", city: "Berlin", country: "DE" };
const years = 4;
/** A PostgreSQL in another data center. */
const statementMilliseconds = 10;

eachEngine((engine) => {
  const storage = useStorage(engine);

  async function subscribed({ isTest }: { isTest: boolean }) {
    const { open, clock } = storage;
    const account = await MeteringAccount.create(open, clock);
    const { act } = account;
    await open.write(async (transaction) => {
      await setProfile(transaction, act, { legalName: "Seller", address, numberPrefix: "I-" }, () => {});
      const testClock = isTest ? clock.now() : null;
      await transaction.run("UPDATE metering_buckets SET test_clock = ? WHERE id = ?", [testClock, account.bucket.id]);
    });
    const readBucket = () => findMeteringBucket(open.reads, act.account.seq, account.bucket.id);
    const bucket = await readBucket();
    const subscription = await account.subscribe(await account.plan({ requests: { max: 100 } }, price), "acme");
    await open.write((transaction) => billingHooks.created({ transaction, act, bucket }, subscription));
    const { id } = subscription.row;
    const billedPeriods = async () => {
      const invoices = await allInvoicesOf(open.reads, bucket.seq, id);
      return new Set(
        invoices.flatMap(({ lines }) => JSON.parse(lines).map((line: { periodStart: string }) => line.periodStart)),
      ).size;
    };
    return { act, bucket, id, readBucket, billedPeriods };
  }

  const yearsLater = (from: number) =>
    Date.UTC(new Date(from).getUTCFullYear() + years, new Date(from).getUTCMonth(), 1);

  test("a long move of the clock fits into transactions of slow storage", async () => {
    const { act, bucket, readBucket, billedPeriods } = await subscribed({ isTest: true });
    const slow = slowStorage(storage.open, statementMilliseconds);
    const end = yearsLater(bucket.test_clock!);
    await moveClock(slow.open, act, bucket.id, end, slow.elapsed);
    expect((await readBucket()).test_clock).toBe(end);
    expect(await billedPeriods()).toBe(years * 12);
    expect(slow.transactions()).toBeGreaterThan(years);
  });

  test("the credits of many customers are settled before a move in transactions that fit", async () => {
    const { act, bucket, readBucket } = await subscribed({ isTest: true });
    const customers = Array.from({ length: 150 }, (_, index) => `customer-${index}`);
    await storage.open.write(async (transaction) => {
      for (const customer of customers) {
        await ensureCustomer({ transaction, act, bucket }, customer);
        await addGrant({ transaction, act, bucket }, customer, { currency: "EUR", amount: "25.00", funding: "paid" });
      }
    });
    const revisions = () =>
      Promise.all(customers.map((customer) => creditRevision(storage.open.reads, bucket.seq, customer)));
    const before = await revisions();
    const slow = slowStorage(storage.open, 2 * statementMilliseconds);
    await moveClock(slow.open, act, bucket.id, bucket.test_clock! + 1, slow.elapsed);
    expect((await readBucket()).test_clock).toBe(bucket.test_clock! + 1);
    expect(await revisions()).toEqual(before.map((revision) => revision + 1));
  });

  test("a subscription that is years overdue is billed in transactions that fit", async () => {
    const { id, bucket, billedPeriods } = await subscribed({ isTest: false });
    const { clock } = storage;
    clock.advance(yearsLater(clock.now()) - clock.now());
    const slow = slowStorage(storage.open, statementMilliseconds);
    const failures: unknown[] = [];
    await billDue(slow.open, clock, (error) => failures.push(error), undefined, slow.elapsed);
    expect(failures).toEqual([]);
    expect(await billedPeriods()).toBe(years * 12);
    const { row } = await findSubscription(storage.open.reads, bucket, id);
    expect(row.bills_on).toBeGreaterThan(clock.now());
  });

  test("billing that does not advance fails instead of repeating, and changes nothing", async () => {
    const { act, bucket, id, billedPeriods } = await subscribed({ isTest: false });
    const { row } = await findSubscription(storage.open.reads, bucket, id);
    const { period_end: due } = (await openSegment(storage.open.reads, row.seq))!;
    const periods = await billedPeriods();
    let first: object | undefined;
    let reads = 0;
    /** The open segment is always that whose period has ended. */
    const standing = (transaction: WriteTransaction) =>
      new Proxy(transaction, {
        get(target, name: keyof WriteTransaction) {
          const value = target[name];
          if (typeof value !== "function") return value;
          if (name !== "one") return value.bind(target);
          return async (sql: string, parameters: unknown[]) => {
            const found = await target.one<object>(sql, parameters);
            if (!sql.includes("billing_segments WHERE subscription_seq = ? AND ends_on IS NULL")) return found;
            reads += 1;
            if (reads > 100) throw new Error("Billing repeats without end");
            first ??= found;
            return first;
          };
        },
      });
    const billing = storage.open.write((transaction) =>
      settleBilling({ transaction: standing(transaction), act, bucket }, id, due),
    );
    await expect(billing).rejects.toThrow(`Billing of ${id} does not advance`);
    expect(await billedPeriods()).toBe(periods);
    expect((await findSubscription(storage.open.reads, bucket, id)).row.bills_on).toBe(row.bills_on);
  });
});

test("a piece begins at least one step, however slow the storage is", () => {
  let time = 0;
  const piece = new Piece(() => (time += 60_000));
  expect(piece.begins()).toBe(true);
  expect(piece.begins()).toBe(false);
});
