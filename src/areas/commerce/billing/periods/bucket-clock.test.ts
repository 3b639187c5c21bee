import { expect, test } from "bun:test";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { MeteringAccount } from "../../../../../test/support/metering-rules.ts";
import { Died, mortalStorage } from "../../../../../test/support/mortal-storage.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import { findMeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { creditRevision } from "../credit-grants/grant-store.ts";
import { ensureCustomer } from "../customers/customers.ts";
import { allInvoicesOf } from "../invoices/invoice-store.ts";
import { setProfile } from "../settings/settings.ts";
import { moveClock } from "./bucket-clock.ts";
import { addGrant } from "./grant-actions.ts";
import { billingHooks } from "./subscription-hooks.ts";

const plan = { price: { currency: "EUR", amount: "10.00", interval: "month" } };
const address = { line1: "Hauptstr. 1", city: "Berlin", country: "DE" };
const years = 3;

eachEngine((engine) => {
  const storage = useStorage(engine);

  /** A test bucket with a customer who pays monthly. */
  async function openTestBucket() {
    const { open, clock } = storage;
    const account = await MeteringAccount.create(open, clock);
    const { act } = account;
    const start = clock.now();
    const readBucket = () => findMeteringBucket(open.reads, act.account.seq, account.bucket.id);
    await open.write(async (transaction) => {
      await setProfile(transaction, act, { legalName: "Seller", address, numberPrefix: "I-" }, () => {});
      await transaction.run("UPDATE metering_buckets SET test_clock = ? WHERE id = ?", [start, account.bucket.id]);
    });
    const bucket = await readBucket();
    const subscription = await account.subscribe(await account.plan({ requests: { max: 100 } }, plan), "acme");
    await open.write((transaction) => billingHooks.created({ transaction, act, bucket }, subscription));
    const endAfter = (count: number) =>
      Date.UTC(new Date(start).getUTCFullYear() + count, new Date(start).getUTCMonth(), 1);
    return { act, start, bucket, subscription, readBucket, endAfter };
  }

  test("a move of the clock that is interrupted keeps what it has done, and continues there", async () => {
    const { open } = storage;
    const { act, start, bucket, subscription, readBucket, endAfter } = await openTestBucket();
    const end = endAfter(years);
    let statements = 500;
    let last = start;
    for (let moves = 0; moves < 100; moves += 1) {
      const isAfterCommit = moves % 2 === 0;
      const move = moveClock(mortalStorage(open, { statements, isAfterCommit }), act, bucket.id, end);
      const isDone = await move.then(
        () => true,
        (error) => {
          if (!(error instanceof Died)) throw error;
          return false;
        },
      );
      const now = (await readBucket()).test_clock!;
      expect(now).toBeGreaterThanOrEqual(last);
      if (isDone) break;
      // Each process lives longer, so that one of them completes a transaction.
      statements += 500;
      expect(now).toBeLessThanOrEqual(end);
      last = now;
    }
    expect(last).toBeGreaterThan(start);
    expect((await readBucket()).test_clock).toBe(end);
    const invoices = await allInvoicesOf(open.reads, bucket.seq, subscription.row.id);
    const periods = invoices.map(({ lines }) => JSON.parse(lines)[0].periodStart as string);
    expect(new Set(periods).size).toBe(periods.length);
    expect(periods).toHaveLength(years * 12);
  });

  test("a long move of the clock settles the credits of customers without steps once", async () => {
    const { open } = storage;
    const { act, bucket, readBucket, endAfter } = await openTestBucket();
    const grant = { currency: "EUR", amount: "25.00", funding: "paid" } as const;
    await open.write(async (transaction) => {
      await ensureCustomer({ transaction, act, bucket }, "idle");
      await addGrant({ transaction, act, bucket }, "idle", grant);
    });
    const before = await creditRevision(open.reads, bucket.seq, "idle");
    let transactions = 0;
    const counted: typeof open = Object.create(open, {
      write: {
        value: (work: Parameters<typeof open.write>[0]) => {
          transactions += 1;
          return open.write(work);
        },
      },
    });
    await moveClock(counted, act, bucket.id, endAfter(years));
    expect(transactions).toBeGreaterThan(1);
    expect((await readBucket()).test_clock).toBe(endAfter(years));
    expect((await creditRevision(open.reads, bucket.seq, "idle")) - before).toBe(1);
  });
});
