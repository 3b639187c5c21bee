import { createAccount } from "../../src/areas/access/accounts/accounts.ts";
import { savingBook } from "../../src/areas/commerce/billing/book/book.ts";
import { registerProviders } from "../../src/areas/commerce/billing/payments/providers.ts";
import { billDue } from "../../src/areas/commerce/billing/periods/billing-job.ts";
import { billingHooks } from "../../src/areas/commerce/billing/periods/subscription-hooks.ts";
import { setProfile } from "../../src/areas/commerce/billing/settings/settings.ts";
import { createMeteringBucket } from "../../src/areas/commerce/metering-buckets/metering-buckets.ts";
import { createPlan } from "../../src/areas/commerce/plans/plans.ts";
import { createSubscription } from "../../src/areas/commerce/subscriptions/subscriptions.ts";
import type { Storage, WriteTransaction } from "../../src/platform/storage/storage.ts";
import { paymentProviders } from "../../src/server/background-services/payments.ts";
import { newPostgresDatabase } from "../postgres.ts";
import { progress } from "../progress.ts";
import { limit, limitRow, type Row } from "../row.ts";
import { openBenchStorage } from "../storage.ts";
import type { Workspace } from "../workspace.ts";

const count = Number(process.env.BENCH_INVOICES ?? 10_000);
const batch = 50;
const dayMilliseconds = 24 * 60 * 60 * 1000;
const limitMilliseconds = 2 * 60_000;

const price = { currency: "EUR", amount: "10.00", interval: "month" } as const;
const profile = {
  legalName: "Seller",
  address: { line1: "Hauptstr. 1", city: "Berlin", country: "DE" },
  numberPrefix: "I-",
};

/** Renewals of 10,000 subscriptions of one account that are due at the same time, on PostgreSQL: their invoices have one series of numbers. */
export async function invoices(workspace: Workspace): Promise<Row[]> {
  registerProviders(paymentProviders);
  const rows: Row[] = [];
  for (const nodes of [1, 2]) {
    progress(`invoices: ${count} subscriptions for ${nodes} nodes`);
    const milliseconds = await measured(workspace, nodes);
    const words = {
      what: `${count.toLocaleString("en")} invoices due at the same time, ${nodes === 1 ? "one node" : "two nodes"}`,
      against: limit,
      explanation: "Renewals of one account on PostgreSQL until every invoice has its number, which are without gaps.",
    };
    rows.push(limitRow(words, { comparison: "<=", value: limitMilliseconds, unit: "ms" }, [milliseconds]));
  }
  return rows;
}

async function measured(workspace: Workspace, nodeCount: number): Promise<number> {
  const { DATABASE_URL: databaseUrl } = await newPostgresDatabase();
  let now = Date.now();
  const clock = { now: () => now };
  const open = () => openBenchStorage(workspace.newDirectory("invoices"), { databaseUrl, now: clock.now });
  const nodes: Storage[] = [];
  try {
    for (let index = 0; index < nodeCount; index += 1) nodes.push(await open());
    await subscribe(nodes[0]!, now);
    now += 32 * dayMilliseconds;
    const failures: unknown[] = [];
    const startedAt = performance.now();
    await Promise.all(nodes.map((storage) => billDue(storage, clock, (error) => failures.push(error))));
    const milliseconds = performance.now() - startedAt;
    if (failures.length > 0) throw failures[0];
    await checkNumbers(nodes[0]!);
    return milliseconds;
  } finally {
    for (const storage of nodes) await storage.close();
  }
}

/** One customer for each subscription. The first invoice of each is numbered at once. */
async function subscribe(storage: Storage, now: number): Promise<void> {
  const { act, bucket, plan } = await storage.write(async (transaction) => {
    const account = await createAccount(transaction, { actor: "system", now }, "invoices");
    const act = { account, actor: "system", now };
    const bucket = await createMeteringBucket(transaction, act);
    await setProfile(transaction, act, profile, () => {});
    const meters = { requests: { max: 100 } };
    const plan = await createPlan(
      { transaction, act, bucket },
      { label: "Gold", planExternalId: "gold", meters, price },
    );
    return { act, bucket, plan };
  });
  const subscribeOne = (index: number) => async (transaction: WriteTransaction) => {
    const subscription = await createSubscription(
      { transaction, act, bucket },
      {
        planIds: [plan.id],
        planExternalIds: [plan.external_id],
        status: "active",
        renewalStrategy: "monthly",
        region: "europe-west4",
        customerKey: `customer-${index}`,
        subscriptionExternalId: `sub-${index}`,
        customerExternalId: `cus-${index}`,
      },
    );
    await billingHooks.created({ transaction, act, bucket }, subscription);
  };
  for (let from = 0; from < count; from += batch) {
    const indexes = Array.from({ length: Math.min(batch, count - from) }, (_, index) => from + index);
    const customerKeys = indexes.map((index) => `customer-${index}`);
    await storage.write((transaction) =>
      savingBook(storage, transaction, { act, bucket, customerKeys, planExternalIds: ["gold"] }, async (book) => {
        for (const index of indexes) await book.part(transaction, subscribeOne(index));
      }),
    );
  }
}

async function checkNumbers(storage: Storage): Promise<void> {
  const rows = await storage.reads.all<{ number: string }>("SELECT number FROM invoices ORDER BY number", []);
  const expected = Array.from({ length: 2 * count }, (_, index) => `I-${String(index + 1).padStart(6, "0")}`);
  const numbers = rows.map(({ number }) => number);
  if (JSON.stringify(numbers) !== JSON.stringify(expected)) throw new Error("The numbers of invoices have gaps");
}
