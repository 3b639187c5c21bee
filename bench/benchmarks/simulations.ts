import { Database } from "bun:sqlite";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { meter } from "../metering.ts";
import { newPostgresDatabase } from "../postgres.ts";
import { cpuMicrosecondsOfTree } from "../process-cpu.ts";
import { progress } from "../progress.ts";
import { limit, limitRow, type Row } from "../row.ts";
import { percentile } from "../sample.ts";
import { call, type RunningServer, startServer } from "../server.ts";
import type { Workspace } from "../workspace.ts";

const count = Number(process.env.BENCH_CUSTOMERS ?? 10_000);
/** Customers with a history of their own. The others are copies of them. */
const templates = 20;
const limitMilliseconds = 2 * 60_000;
const limitDelayMilliseconds = 50;
const from = "2031-01-01T00:00:00.000Z";
const to = "2031-04-05T00:00:00.000Z";

const rate = (unitAmount: string) => ({
  [meter]: { overage: "bill", tierMode: "graduated", tiers: [{ upTo: null, unitAmount }] },
});
const gold = {
  label: "Gold",
  planExternalId: "gold",
  price: { currency: "EUR", amount: "10.00", interval: "month" },
  meters: { [meter]: { max: 100 } },
  rates: rate("0.10"),
};

/** A simulation of other prices for 10,000 customers over three months, a fifth of them with credit, caps or prepaid rates. */
export async function simulations(workspace: Workspace): Promise<Row[]> {
  return [
    ...(await simulate(workspace, "SQLite", {})),
    ...(await simulate(workspace, "PostgreSQL", await newPostgresDatabase())),
  ];
}

async function simulate(workspace: Workspace, engine: string, environment: Record<string, string>): Promise<Row[]> {
  const dataDirectory = workspace.newDirectory("simulations");
  const bucket = await seed(dataDirectory, environment);
  const delays = workspace.newDirectory("delays");
  mkdirSync(delays, { recursive: true });
  await using server = await workspace.startServer(dataDirectory, {
    ...environment,
    BENCH_DELAYS: delays,
    BUN_OPTIONS: "--preload ./bench/event-loop-delay.ts",
  });
  // What starts in the background delays the loop too.
  await Bun.sleep(3000);
  const changed = { price: { ...gold.price, amount: "12.00" }, meters: { [meter]: { max: 50 } }, rates: rate("0.05") };
  const plans = { gold: changed, prepaid: { price: changed.price } };
  const cpuBefore = cpuMicrosecondsOfTree(server.processId);
  const startedAt = Date.now();
  const { id } = await call<{ id: string }>(server, "POST", `${bucket}/$simulate`, { from, to, plans });
  for (;;) {
    await Bun.sleep(500);
    const { state, done, result } = await call<Simulation>(server, "GET", `${bucket}/simulations/${id}`);
    progress(`simulations on ${engine}: ${done} of ${count}, ${Date.now() - startedAt} ms`);
    if (state === "failed") throw new Error("the simulation failed");
    if (state !== "succeeded") continue;
    const { more, less, same } = result.customers;
    if (more + less + same !== count) throw new Error(`${more + less + same} customers have a result`);
    break;
  }
  const milliseconds = Date.now() - startedAt;
  const cpuSeconds = (cpuMicrosecondsOfTree(server.processId) - cpuBefore) / 1e6;
  await Bun.sleep(1200);
  const sorted = delaysOf(delays, startedAt);
  progress(`simulations on ${engine}: delays p99 ${percentile(sorted, 0.99)}, p99.9 ${percentile(sorted, 0.999)}`);
  const words = (what: string, explanation: string) => ({
    what: `${what} of ${count.toLocaleString("en")} customers over 90 days, ${engine}`,
    against: limit,
    explanation,
    note: `${cpuSeconds.toFixed(0)} s of CPU time`,
  });
  return [
    limitRow(
      words(
        "simulation",
        "Other fees, maximums and rates; a fifth of the customers have credit, caps or prepaid rates.",
      ),
      { comparison: "<=", value: limitMilliseconds, unit: "ms" },
      [milliseconds],
    ),
    limitRow(
      words("longest event loop delay in a simulation", "How late a timer fires in the server that simulates."),
      { comparison: "<", value: limitDelayMilliseconds, unit: "ms" },
      [sorted.at(-1)!],
    ),
  ];
}

interface Simulation {
  state: string;
  done: number;
  result: { customers: Record<"more" | "less" | "same", number> };
}

function delaysOf(directory: string, since: number): Float64Array {
  const lines = readdirSync(directory).flatMap((name) =>
    readFileSync(join(directory, name), "utf8").trimEnd().split("\n"),
  );
  const delays = lines.map((line) => line.split(" ").map(Number)).filter(([time]) => time! >= since);
  if (delays.length === 0) throw new Error("the server did not measure its event loop");
  return Float64Array.from(delays.map(([, delay]) => delay!)).sort();
}

/** The templates live three months in a test bucket, and with the server stopped their rows are copied. Returns its path. */
async function seed(dataDirectory: string, environment: Record<string, string>): Promise<string> {
  let bucket: string;
  {
    await using server = await startServer(dataDirectory, environment);
    bucket = await live(server);
  }
  const url = environment.DATABASE_URL;
  if (url === undefined) {
    const database = new Database(join(dataDirectory, "tollgate.db"));
    database.run("PRAGMA synchronous = OFF");
    await copyRows(async (sql) => database.query<object, []>(sql).all());
    database.run("ANALYZE");
    database.close();
  } else {
    const connection = new SQL(url, { max: 1 });
    await copyRows((sql) => connection.unsafe(sql));
    await connection.unsafe("VACUUM ANALYZE");
    await connection.close();
  }
  return bucket;
}

async function live(server: RunningServer): Promise<string> {
  const address = { line1: "Hauptstr. 1", city: "Berlin", country: "DE" };
  const seller = { legalName: "Seller", address, numberPrefix: "I-", termsDays: 365, graceDays: 3 };
  await call(server, "PUT", "/v1/accounts/default/billing-profile", seller);
  const { id } = await call<{ id: string }>(server, "POST", "/v1/metering", { isTest: true });
  const bucket = `/v1/metering/${id}`;
  const moveTo = (now: string) => call(server, "POST", `${bucket}/clock`, { now });
  await moveTo(from);
  const prepaid = { [meter]: { ...rate("0.10")[meter], overage: "prepaid" } };
  const plans: Record<string, string> = {};
  for (const plan of [gold, { ...gold, planExternalId: "prepaid", rates: prepaid }])
    plans[plan.planExternalId] = (await call<{ id: string }>(server, "POST", `${bucket}/plans`, plan)).id;
  const keys = Array.from({ length: templates }, (_, index) => `customer-${index}`);
  for (const [index, customerKey] of keys.entries()) {
    const planExternalId = index === 2 ? "prepaid" : "gold";
    await call(server, "POST", `${bucket}/subscriptions`, {
      ...{ planIds: [plans[planExternalId]], planExternalIds: [planExternalId], status: "active", type: "periodic" },
      ...{ renewalStrategy: "monthly", region: "europe-west4", customerKey },
      ...{ subscriptionExternalId: customerKey, customerExternalId: customerKey },
    });
    const customer = `${bucket}/customers/${customerKey}`;
    if (index % 10 === 0)
      await call(server, "POST", `${customer}/grants`, { currency: "EUR", amount: "12.00", funding: "promotional" });
    if (index === 1)
      await call(server, "PATCH", customer, { spendCap: { amount: "4.00", action: "block", currency: "EUR" } });
  }
  for (let day = 1; day <= 90; day += 3) {
    const time = new Date(Date.parse(from) + day * 24 * 60 * 60 * 1000).toISOString();
    await moveTo(time);
    const events = keys.map((subject, index) => ({
      ...{ specversion: "1.0", id: `${subject}-${day}`, source: "bench", type: "usage", subject, time },
      data: { [meter]: 3 + index },
    }));
    await call(server, "POST", `${bucket}/events`, events);
  }
  await moveTo(to);
  return bucket;
}

/** All that is billed to the templates. */
const copied = [
  ...["customers", "subscriptions", "subscription_plans", "billing_segments", "segment_marks", "usage_counters"],
  ...[
    "usage_days",
    "usage_hours",
    "usage_events",
    "invoices",
    "grants",
    "grant_entries",
    "credit_uses",
    "spend_periods",
  ],
  ...["customer_credits", "customer_dues", "carried_amounts"],
];
const ownNames = [
  "id",
  "customer_key",
  "external_id",
  "subscription_id",
  "invoice_id",
  "corrects_id",
  "event_id",
  "number",
];
const sharedSeqs = ["bucket_seq", "plan_seq"];
const stride = 1_000_000;

async function copyRows(run: (sql: string) => Promise<object[]>): Promise<void> {
  const copies = count / templates - 1;
  for (const table of copied) {
    const [first] = await run(`SELECT * FROM ${table} LIMIT 1`);
    if (!first) continue;
    const columns = Object.keys(first);
    const values = columns.map((column) => {
      if (ownNames.includes(column)) return `${column} || '-' || i`;
      return column.endsWith("seq") && !sharedSeqs.includes(column) ? `${column} + i * ${stride}` : column;
    });
    await run(`INSERT INTO ${table} (${columns.join(", ")})
      WITH RECURSIVE copies(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM copies WHERE i < ${copies})
      SELECT ${values.join(", ")} FROM (SELECT * FROM ${table}) AS own CROSS JOIN copies`);
    progress(`seeded ${table}`);
  }
}
