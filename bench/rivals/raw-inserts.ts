/**
 * The rival of durable writes: `raw-inserts.ts BEFORE AFTER TRANSACTIONS SECONDS COMMITS`. The rows that a server wrote
 * between two copies of its database are written again into BEFORE by prepared statements and nothing else,
 * split evenly over so many transactions, with a durable commit per transaction or per row. Ends after SECONDS or when all
 * is written, and prints a Sample in which a transaction is a request.
 */
import { Database } from "bun:sqlite";
import { sampleOf } from "../sample.ts";
import { readWrites, type Write } from "../written-rows.ts";

const [before, after] = process.argv.slice(2) as [string, string];
const [transactionCount, secondsLimit] = process.argv.slice(4).map(Number) as [number, number];

const database = new Database(before);
// The settings of the server itself.
database.run("PRAGMA journal_mode = WAL");
database.run("PRAGMA synchronous = FULL");
database.run("PRAGMA foreign_keys = ON");
database.run("PRAGMA cache_size = -16000");

const transactions: Write[][] = readWrites(database, after, transactionCount);
const isCommitPerRow = process.argv[6] === "per row";
const begin = database.prepare("BEGIN IMMEDIATE");
const commit = database.prepare("COMMIT");

const latencies: number[] = [];
const cpuAtStart = process.cpuUsage();
const startedAt = performance.now();
let now = startedAt;
for (const writes of transactions) {
  const begunAt = now;
  // Outside of a transaction SQLite commits each statement by itself.
  if (!isCommitPerRow) begin.run();
  for (const { statement, values } of writes) statement.run(...values);
  if (!isCommitPerRow) commit.run();
  now = performance.now();
  latencies.push(now - begunAt);
  if (now - startedAt > secondsLimit * 1000) break;
}
const cpu = process.cpuUsage(cpuAtStart);
console.log(JSON.stringify(sampleOf(latencies, (now - startedAt) / 1000, cpu.user + cpu.system)));
