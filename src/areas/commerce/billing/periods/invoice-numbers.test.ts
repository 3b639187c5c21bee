import { expect, test } from "bun:test";
import { blocksAnother } from "../../../../../test/support/blocks-another.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { MeteringAccount } from "../../../../../test/support/metering-rules.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import { until } from "../../../../../test/support/until.ts";
import { openStorage } from "../../../../platform/storage/engines/open.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import { numberFor } from "../invoices/invoices.ts";
import { setProfile } from "../settings/settings.ts";
import { billDue } from "./billing-job.ts";
import { billingHooks } from "./subscription-hooks.ts";

const day = 24 * 60 * 60 * 1000;
const customers = 60;
const price = { currency: "EUR", amount: "10.00", interval: "month" };
const address = { line1: "Hauptstr. 1", city: "Berlin", country: "DE" };
const terms = { termsDays: 14, graceDays: 7, buyerAddress: "optional", taxBehavior: "exclusive" } as const;
const profile = { legalName: "Seller", address, numberPrefix: "I-", ...terms };

eachEngine((engine) => {
  const storage = useStorage(engine);

  test("invoices that nodes finalize at the same time have numbers without gaps, and each renewal has one", async () => {
    const { open, clock } = storage;
    const account = await MeteringAccount.create(open, clock);
    const plan = await account.plan({ requests: { max: 100 } }, { price });
    await open.write((transaction) => setProfile(transaction, account.act, profile, () => {}));
    for (let index = 0; index < customers; index += 1) {
      const subscription = await account.subscribe(plan, `customer-${index}`);
      await open.write((transaction) =>
        billingHooks.created({ transaction, act: account.act, bucket: account.bucket }, subscription),
      );
    }
    clock.advance(32 * day);
    const failures: unknown[] = [];
    // Nodes have connections of their own; only PostgreSQL has several nodes.
    const other = open.isShared ? await openStorage(storage.options) : open;
    const nodes = [open, other, open];
    try {
      await Promise.all(nodes.map((node) => billDue(node, clock, (error) => failures.push(error))));
    } finally {
      if (other !== open) await other.close();
    }
    expect(failures).toEqual([]);
    const rows = await open.reads.all<{ customer_key: string; number: string }>(
      "SELECT customer_key, number FROM invoices WHERE bucket_seq = ? ORDER BY number",
      [account.bucket.seq],
    );
    const expected = Array.from({ length: 2 * customers }, (_, index) => `I-${String(index + 1).padStart(6, "0")}`);
    expect(rows.map(({ number }) => number)).toEqual(expected);
    const renewed = rows.slice(customers).map(({ customer_key }) => customer_key);
    expect(new Set(renewed).size).toBe(customers);
  });

  test("transactions that number invoices and credit notes in a different order do not deadlock", async () => {
    const { open, clock } = storage;
    const account = await MeteringAccount.create(open, clock);
    const orders = [
      ["", "CN-"],
      ["CN-", ""],
    ] as const;
    const begun = Promise.withResolvers<void>();
    const second = { isNumbered: false };
    let attempts = 0;
    const numberIn = (order: (typeof orders)[number], afterFirst: (transaction: WriteTransaction) => unknown) =>
      open.write(async (transaction) => {
        attempts += 1;
        const numbers: string[] = [];
        for (const kind of order) {
          numbers.push(await numberFor({ transaction, act: account.act, bucket: account.bucket }, profile, kind));
          if (numbers.length === 1) await afterFirst(transaction);
        }
        return numbers;
      });
    const one = numberIn(orders[0], async (transaction) => {
      begun.resolve();
      await until(async () => second.isNumbered || (await blocksAnother(transaction)));
    });
    await begun.promise;
    const other = numberIn(orders[1], () => {
      second.isNumbered = true;
    });
    expect(await Promise.all([one, other])).toEqual([
      ["I-000001", "I-CN-000001"],
      ["I-CN-000002", "I-000002"],
    ]);
    // A transaction that deadlocks is retried.
    expect(attempts).toBe(2);
  });
});
