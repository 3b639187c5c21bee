import { rankUsage } from "../../src/areas/commerce/metering/usage/rank-usage.ts";
import { migrations } from "../../src/core/database/migrations/index.ts";
import { openStorage } from "../../src/platform/storage/engines/open.ts";
import { newPostgresDatabase } from "../postgres.ts";
import { progress } from "../progress.ts";
import { limit, limitRow, type Row } from "../row.ts";
import {
  customerEmail,
  customerName,
  customersBucketPath,
  invoiceNumber,
  keySuffix,
  nameWord,
  type SeededCustomers,
  seedCustomers,
} from "../seed-customers.ts";
import { call, type RunningServer } from "../server.ts";
import type { Workspace } from "../workspace.ts";

const count = Number(process.env.BENCH_CUSTOMERS ?? 1_000_000);
const middle = count / 2;
const warmRequests = 5;
const requests = 30;
const explanation = `Median latency of one request at a time, with ${count.toLocaleString("en")} customers that have a key, a manager, a subscription with usage and an invoice each.`;
const withinMilliseconds = { comparison: "<", value: 100, unit: "ms" } as const;

/** The type of a result that each search must return, and the text. */
const searches: Record<string, [type: string, text: string]> = {
  "a letter": ["consumer", "c"],
  "a name": ["consumer", customerName(middle)],
  "the middle word of a name": ["consumer", customerName(middle).split("-")[1]!],
  "a word that all have": ["consumer", "traders"],
  "two words that all have": ["consumer", "northwind traders"],
  "a word that all have and a rare one": ["consumer", `traders ${customerName(middle).split("-")[1]!.slice(0, 6)}`],
  "a word with a typo": ["consumer", withTypos(nameWord(middle), 2)],
  "a word with two typos": ["consumer", withTypos(nameWord(middle), 2, 5)],
  "the middle of a word": ["consumer", nameWord(middle).slice(1, 7)],
  "two words that are typed as one": ["consumer", nameWord(middle) + nameWord(middle + 1)],
  "a rare tag": ["consumer", "pilot"],
  "a tag of half of them": ["consumer", "gold"],
  "a manager's address": ["consumer", customerEmail(middle)],
  "an id of a consumer": ["consumer", `csmr_bench_${String(middle).padStart(7, "0")}`],
  "the end of a key": ["key", keySuffix(middle)],
  "an id of a key": ["key", `key_bench_${String(middle).padStart(7, "0")}`],
  "an id of a subscription": ["subscription", `sbsc_bench_${String(middle).padStart(7, "0")}`],
  "an invoice number": ["invoice", invoiceNumber(middle)],
  "the digits of an invoice number": ["invoice", `i ${middle}`],
};

/** The word with other letters at these places. */
function withTypos(word: string, ...places: number[]): string {
  return places.reduce((typed, at) => typed.slice(0, at) + (typed[at] === "e" ? "o" : "e") + typed.slice(at + 1), word);
}

/** Sorted lists of consumers, first pages and deep ones. */
const lists = ({ meteringPath }: SeededCustomers): Record<string, string> => ({
  "consumers by last request": `${customersBucketPath}/consumers?sort=lastUsedOn&limit=50`,
  "consumers by last request, after 10,000": `${customersBucketPath}/consumers?sort=lastUsedOn&limit=50&offset=10000`,
  "customers by amount due": `${meteringPath}/customers?sort=amountDue&limit=50`,
  "customers by amount due, after 10,000": `${meteringPath}/customers?sort=amountDue&limit=50&offset=10000`,
  "subscriptions by usage": `${meteringPath}/usage?limit=50`,
  "subscriptions by usage, in the middle": `${meteringPath}/usage?limit=50&offset=${middle}`,
  "subscriptions near their limits": `${meteringPath}/usage?limit=8&near=0.8`,
});

/** Search and sorted lists among a million customers. */
export const search = (workspace: Workspace) => searchOn(workspace, "SQLite", {});

export const searchPostgres = async (workspace: Workspace) =>
  searchOn(workspace, "PostgreSQL", await newPostgresDatabase());

async function searchOn(workspace: Workspace, engine: string, environment: Record<string, string>): Promise<Row[]> {
  const customers = await seedCustomers(workspace.newDirectory("customers"), count, environment);
  const rows = [await rankingRow(customers, engine)];
  await using server = await workspace.startServer(customers.dataDirectory, environment);
  for (const [by, [type, text]] of Object.entries(searches)) {
    const path = `/v1/accounts/default/search?q=${encodeURIComponent(text)}`;
    const { data } = await call<{ data: { type: string }[] }>(server, "GET", path);
    if (!data.some((found) => found.type === type)) throw new Error(`search by ${by} did not find a ${type}`);
    rows.push(await measured(server, `search by ${by}, ${engine}`, path));
  }
  for (const [what, path] of Object.entries(lists(customers))) {
    const { data } = await call<{ data: object[] }>(server, "GET", path);
    if (data.length < 8) throw new Error(`${what}: ${data.length} items`);
    rows.push(await measured(server, `list of ${what}, ${engine}`, path));
  }
  return rows;
}

/** Without a target: it happens in the background. The lists by usage that follow are in this order. */
async function rankingRow({ dataDirectory, environment }: SeededCustomers, engine: string): Promise<Row> {
  const storage = await openStorage({
    dataDirectory,
    databaseUrl: environment.DATABASE_URL,
    migrations,
    databaseConnections: 4,
    staleSeconds: 300,
    now: Date.now,
    observer: { operation: () => {}, group: () => {}, revocationLag: () => {} },
    warn: () => {},
  });
  const began = performance.now();
  await rankUsage({ storage, clock: { now: Date.now } });
  const milliseconds = performance.now() - began;
  await storage.close();
  const what = `ranking ${count.toLocaleString("en")} subscriptions by usage in the background, ${engine}`;
  progress(`search: ${what}: ${milliseconds.toFixed(0)} ms`);
  const ranking = "Comparing all subscriptions and storing their order, on a server without other work.";
  return limitRow({ what, against: limit, explanation: ranking }, { comparison: "none", unit: "ms" }, [milliseconds]);
}

async function measured(server: RunningServer, what: string, path: string): Promise<Row> {
  const milliseconds: number[] = [];
  for (let request = -warmRequests; request < requests; request++) {
    const began = performance.now();
    await call(server, "GET", path);
    if (request >= 0) milliseconds.push(performance.now() - began);
  }
  const row = limitRow({ what, against: limit, explanation }, withinMilliseconds, milliseconds);
  progress(`search: ${what}: ${row.reached!.toFixed(1)} ms`);
  return row;
}
