import { savingBook } from "../../src/areas/commerce/billing/book/book.ts";
import { registerProviders } from "../../src/areas/commerce/billing/payments/providers.ts";
import { billingHooks } from "../../src/areas/commerce/billing/periods/subscription-hooks.ts";
import { setProfile } from "../../src/areas/commerce/billing/settings/settings.ts";
import { createMeteringBucket } from "../../src/areas/commerce/metering-buckets/metering-buckets.ts";
import { createPlan } from "../../src/areas/commerce/plans/plans.ts";
import { createSubscription } from "../../src/areas/commerce/subscriptions/subscriptions.ts";
import type { AccountReference } from "../../src/core/access.ts";
import type { Storage, WriteTransaction } from "../../src/platform/storage/storage.ts";
import { paymentProviders } from "../../src/server/background-services/payments.ts";
import { startRival } from "../child-process.ts";
import { load } from "../measure.ts";
import { meter } from "../metering.ts";
import { analyze } from "../postgres.ts";
import { progress } from "../progress.ts";
import { atLeast, atMost, limit, limitRow, type Row } from "../row.ts";
import type { Sample } from "../sample.ts";
import { call, startProgram } from "../server.ts";
import { openBenchStorage } from "../storage.ts";
import type { Workspace } from "../workspace.ts";
import {
  browserHeaders,
  createWorld,
  customerName,
  Draw,
  deployWorld,
  planOf,
  type World,
  worldPath,
} from "../world.ts";

const count = Number(process.env.BENCH_INVOICES ?? 5_000);
const batch = 50;
const longestSeconds = 300;
/** A response may take as much longer beside the work of a month's end. */
const allowedMicroseconds = 25_000;

/** Guarded requests of customers whose month ends at the same time, while their invoices are written. */
export async function monthEnd(workspace: Workspace): Promise<Row[]> {
  registerProviders(paymentProviders);
  return [...(await monthEndOn(workspace, "SQLite")), ...(await monthEndOn(workspace, "PostgreSQL"))];
}

export async function monthEndOn(workspace: Workspace, engine: "SQLite" | "PostgreSQL"): Promise<Row[]> {
  registerProviders(paymentProviders);
  await using upstream = await startRival("bench/rivals/fixed-bytes-server.ts", ["1000"]);
  const world = await createWorld(workspace.newDirectory(`month-end-${engine}`), engine);
  const { dataDirectory, environment } = world;
  const meteringId = await withStorage(world, subscribePaying);
  if (environment.DATABASE_URL) await analyze(environment.DATABASE_URL);
  const before: Sample[] = [];
  const during: Sample[] = [];
  {
    const program = [process.execPath, "bench/server-with-clock.ts"];
    await using server = await startProgram(program, dataDirectory, environment);
    const host = await deployWorld(server, { ...world, meteringId }, upstream.port);
    const draw = new Draw();
    const requests = Array.from({ length: 20_000 }, () => {
      const token = world.keys[Math.floor(draw.share() * count)]!;
      return { method: "GET", path: worldPath(draw), host, token, headers: browserHeaders };
    });
    const plan = await planOf(workspace, "month-end", requests, { warmSeconds: 0, seconds: 4 });
    const turn = async () => {
      const { slots, ...rest } = plan;
      return load(server, { ...rest, slots: { ...slots, first: Math.floor(draw.share() * requests.length) } });
    };
    for (let round = 0; round < 6; round++) {
      const sample = await turn();
      // The first ones compile the code and load the customers.
      if (round >= 3) before.push(sample);
    }
    process.kill(server.processId, "SIGUSR2");
    const startedAt = performance.now();
    const invoices = `/v1/metering/${meteringId}/invoices?limit=1`;
    while ((await call<{ total: number }>(server, "GET", invoices)).total < 2 * count) {
      if (performance.now() - startedAt > longestSeconds * 1000) throw new Error("not all invoices were written");
      during.push(await turn());
      progress(`month-end, ${engine}: ${Math.round(during.at(-1)!.perSecond).toLocaleString("en")}/s`);
    }
  }
  await withStorage(world, checkNumbers);
  const words = (what: string, explanation: string) => ({
    what: `world: ${what} at the end of a month of ${count.toLocaleString("en")} customers, ${engine}`,
    against: limit,
    explanation: `${explanation} Guarded requests of the same customers, 64 at once, while all invoices are written.`,
  });
  const usual = medianOf(before, "p50Microseconds");
  return [
    limitRow(
      words("p50 of guarded requests", "The median beyond 25 ms, as a multiple of the median before."),
      atMost(4),
      during.map((sample) => (sample.p50Microseconds - allowedMicroseconds) / usual),
    ),
    limitRow(
      words("p99 of guarded requests", "As a multiple of the p99 before."),
      atMost(4),
      during.map((sample) => sample.p99Microseconds / medianOf(before, "p99Microseconds")),
    ),
    limitRow(
      words("rate of guarded requests", "As a share of the rate before."),
      atLeast(0.7),
      during.map((sample) => sample.perSecond / medianOf(before, "perSecond")),
    ),
  ];
}

function medianOf(samples: Sample[], figure: keyof Sample): number {
  return samples.map((sample) => sample[figure]).toSorted((one, other) => one - other)[samples.length >> 1]!;
}

async function withStorage<Result>(
  { dataDirectory, environment }: World,
  work: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  const storage = await openBenchStorage(dataDirectory, { databaseUrl: environment.DATABASE_URL });
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}

/** Subscriptions of the first customers to a plan with a price. Their first invoices are written at once. */
async function subscribePaying(storage: Storage): Promise<string> {
  const account = await storage.reads.one<AccountReference>("SELECT seq, id, name FROM accounts WHERE name = ?", [
    "default",
  ]);
  const act = { account: account!, actor: "system", now: Date.now() };
  const { bucket, plan } = await storage.write(async (transaction) => {
    const bucket = await createMeteringBucket(transaction, act);
    const address = { line1: "Hauptstr. 1", city: "Berlin", country: "DE" };
    // An overdue invoice would block its customer.
    const seller = { legalName: "Seller", address, numberPrefix: "I-", termsDays: 365, graceDays: 3 };
    await setProfile(transaction, act, seller, () => {});
    const price = { currency: "EUR", amount: "10.00", interval: "month" } as const;
    const meters = { [meter]: { max: 1_000_000_000 } };
    const plan = await createPlan(
      { transaction, act, bucket },
      { label: "Paid", planExternalId: "paid", meters, price },
    );
    return { bucket, plan };
  });
  const subscribeOne = (index: number) => async (transaction: WriteTransaction) => {
    const name = customerName(index);
    const subscription = await createSubscription(
      { transaction, act, bucket },
      {
        planIds: [plan.id],
        planExternalIds: [plan.external_id],
        status: "active",
        renewalStrategy: "monthly",
        region: "europe-west4",
        customerKey: name,
        subscriptionExternalId: `paid-${name}`,
        customerExternalId: name,
      },
    );
    await billingHooks.created({ transaction, act, bucket }, subscription);
  };
  for (let from = 0; from < count; from += batch) {
    const indexes = Array.from({ length: Math.min(batch, count - from) }, (_, index) => from + index);
    const owners = { act, bucket, customerKeys: indexes.map(customerName), planExternalIds: ["paid"] };
    await storage.write((transaction) =>
      savingBook(storage, transaction, owners, async (book) => {
        for (const index of indexes) await book.part(transaction, subscribeOne(index));
      }),
    );
  }
  return bucket.id;
}

async function checkNumbers(storage: Storage): Promise<void> {
  const rows = await storage.reads.all<{ number: string }>("SELECT number FROM invoices ORDER BY number", []);
  const expected = Array.from({ length: 2 * count }, (_, index) => `I-${String(index + 1).padStart(6, "0")}`);
  const numbers = rows.map(({ number }) => number);
  if (JSON.stringify(numbers) !== JSON.stringify(expected)) throw new Error("The numbers of invoices have gaps");
  const sql = "SELECT customer_key FROM invoices GROUP BY customer_key HAVING count(*) <> 2";
  if ((await storage.reads.all(sql, [])).length > 0) throw new Error("a customer does not have two invoices");
}
