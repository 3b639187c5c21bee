import { expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { MeteringAccount } from "../../../../test/support/metering-rules.ts";
import { Died, mortalStorage } from "../../../../test/support/mortal-storage.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import { findMeteringBucket } from "../../metering/metering-buckets.ts";
import { allInvoicesOf } from "../invoices/invoice-store.ts";
import { setProfile } from "../settings/settings.ts";
import { moveClock } from "./bucket-clock.ts";
import { billingHooks } from "./subscription-hooks.ts";

const plan = { price: { currency: "EUR", amount: "10.00", interval: "month" } };
const address = { line1: "Hauptstr. 1", city: "Berlin", country: "DE" };
const years = 3;

eachEngine((engine) => {
  const storage = useStorage(engine);

  test("a move of the clock that is interrupted keeps what it has done, and continues there", async () => {
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
    await open.write((transaction) => billingHooks.created(transaction, act, bucket, subscription));
    const end = Date.UTC(new Date(start).getUTCFullYear() + years, new Date(start).getUTCMonth(), 1);
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
});
