import { Database } from "bun:sqlite";
import { join } from "node:path";
import { SQL } from "bun";
import { createMetered, meter } from "./metering.ts";
import { progress } from "./progress.ts";
import { call, startServer } from "./server.ts";

const bucketName = "customers";
export const customersBucketPath = `/v1/accounts/default/key-buckets/${bucketName}`;

/** The names of seeded customers have three words each. */
export function customerName(index: number): string {
  return `customer-${digits(index)}-traders`;
}

export function customerEmail(index: number): string {
  return `kim.${digits(index)}@traders.example`;
}

export function invoiceNumber(index: number): string {
  return `I-${String(index).padStart(6, "0")}`;
}

/** The end of a customer's key. */
export function keySuffix(index: number): string {
  return ((index * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, "0");
}

const syllables = "babinodemikasulorevapitegalifumonehajocu".match(/../g)!;

/** One of 160,000 words of 8 letters, which people mistype; the name of a consumer has it and the one that follows. */
export function nameWord(index: number): string {
  return [0, 1, 2, 3].map((place) => syllables[Math.floor(index / 20 ** place) % 20]).join("");
}

function digits(index: number): string {
  return String(index).padStart(7, "0");
}

/** A server's data with as many customers: a consumer with a key and a manager, a subscription with usage, an open invoice. */
export interface SeededCustomers {
  readonly dataDirectory: string;
  readonly environment: Record<string, string>;
  /** The path of the metering bucket. */
  readonly meteringPath: string;
}

type Run = (sql: string) => Promise<object[]>;

/**
 * The API creates the first customer, and with the server stopped its rows are copied for the others. On SQLite if the
 * environment has no `DATABASE_URL`.
 */
export async function seedCustomers(
  dataDirectory: string,
  count: number,
  environment: Record<string, string>,
): Promise<SeededCustomers> {
  const url = environment.DATABASE_URL;
  progress(`seeding ${count.toLocaleString("en")} customers on ${url ? "PostgreSQL" : "SQLite"}`);
  const meteringPath = await createFirst(dataDirectory, environment);
  if (url === undefined) {
    const database = new Database(join(dataDirectory, "tollgate.db"));
    database.run("PRAGMA synchronous = OFF");
    database.run("PRAGMA cache_size = -1000000");
    await copyRows(async (sql) => database.query<object, []>(sql).all(), count, {
      hash: "randomblob(32)",
      hex: (number) => `printf('%08x', ${number})`,
    });
    database.run("PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
  } else {
    const connection = new SQL(url, { max: 1 });
    await copyRows((sql) => connection.unsafe(sql), count, {
      hash: "sha256(CAST(CAST(i AS text) AS bytea))",
      hex: (number) => `lpad(to_hex(${number}), 8, '0')`,
    });
    await connection.unsafe("VACUUM ANALYZE");
    await connection.close();
  }
  progress(`seeded ${count.toLocaleString("en")} customers`);
  return { dataDirectory, environment, meteringPath };
}

async function createFirst(dataDirectory: string, environment: Record<string, string>): Promise<string> {
  await using server = await startServer(dataDirectory, environment);
  await call(server, "POST", `${customersBucketPath}/consumers?with-api-key=true`, {
    name: customerName(0),
    description: "Northwind",
    tags: { plan: "gold", cohort: "pilot" },
    managers: [{ sub: "kim", email: customerEmail(0) }],
  });
  const { bucketPath } = await createMetered(server, 1_000_000);
  await call(server, "POST", `${bucketPath}/events`, [
    {
      specversion: "1.0",
      id: "first",
      source: "bench",
      type: "usage",
      subject: "bench",
      data: { [meter]: 1 },
    },
  ]);
  return bucketPath;
}

interface EngineWords {
  /** 32 bytes that differ for each row. */
  hash: string;
  hex(number: string): string;
}

/** The columns of a copy that differ from the first row; `i` is its index, which is its `seq` minus one. */
async function copyRows(run: Run, count: number, { hash, hex }: EngineWords): Promise<void> {
  const number = "substr(CAST(10000000 + i AS text), 2)";
  const id = (prefix: string) => `'${prefix}_bench_' || ${number}`;
  const name = `'customer-' || ${number} || '-traders'`;
  const isPilot = `i % ${count / 500} = 0`;
  const plan = "CASE WHEN i % 2 = 0 THEN 'gold' ELSE 'free' END";
  const cohort = `CASE WHEN ${isPilot} THEN 'pilot' ELSE 'everyone' END`;
  const copies = `WITH RECURSIVE copies(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM copies WHERE i < ${count - 1})`;
  const copy = async (table: string, changed: Record<string, string>) => {
    const [first] = await run(`SELECT * FROM ${table} LIMIT 1`);
    const columns = Object.keys(first!);
    const values = columns.map((column) => changed[column] ?? `first_row.${column}`);
    await run(`INSERT INTO ${table} (${columns.join(", ")})
      ${copies} SELECT ${values.join(", ")} FROM (SELECT * FROM ${table} LIMIT 1) AS first_row CROSS JOIN copies`);
    progress(`seeded ${table}`);
  };
  const seq = "i + 1";
  const syllable = (index: string, place: number) =>
    `substr('${syllables.join("")}', 1 + 2 * (${index} / ${20 ** place} % 20), 2)`;
  const word = (index: string) => [0, 1, 2, 3].map((place) => syllable(index, place)).join(" || ");
  await run(`UPDATE subscriptions SET customer_key = '${customerName(0)}'`);
  await run(`UPDATE customers SET customer_key = '${customerName(0)}'`);
  await copy("consumers", {
    seq,
    id: id("csmr"),
    name,
    tags: `'{"plan":"' || ${plan} || '","cohort":"' || ${cohort} || '"}'`,
    description: `'Northwind ' || i % 1000`,
    display_name: `${word("i")} || ' ' || ${word("(i + 1)")}`,
  });
  await copy("api_keys", {
    seq,
    id: id("key"),
    consumer_seq: seq,
    hash,
    suffix: hex("CAST(i AS bigint) * 2654435761 % 4294967296"),
    last_used_on: `CASE WHEN i % 3 = 0 THEN NULL ELSE first_row.created_on + i / 100 * 1000 END`,
  });
  const email = `'kim.' || ${number} || '@traders.example'`;
  await copy("managers", { seq, id: id("mngr"), consumer_seq: seq, email, email_key: email });
  const words = ["'customer'", number, "'traders'", "'northwind'", plan, cohort, word("i"), word("(i + 1)")];
  for (const each of words)
    await run(`INSERT INTO consumer_words (bucket_seq, word, consumer_seq)
      ${copies} SELECT (SELECT seq FROM key_buckets), ${each}, ${seq} FROM copies`);
  await run(`INSERT INTO consumer_word_parts (bucket_seq, part, word)
    WITH RECURSIVE copies(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM copies WHERE i < 159999),
      words AS (SELECT ${word("i")} AS word FROM copies),
      starts(start) AS (SELECT 1 UNION ALL SELECT start + 1 FROM starts WHERE start < 7)
    SELECT (SELECT seq FROM key_buckets), CASE start WHEN 1 THEN '^' || word ELSE substr(word, start) END, word
    FROM words CROSS JOIN starts`);
  await run(`INSERT INTO consumer_words (bucket_seq, word, consumer_seq)
    SELECT bucket_seq, substr(description, 11), seq FROM consumers WHERE seq > 1`);
  await copy("subscriptions", {
    seq,
    id: id("sbsc"),
    customer_key: name,
    external_id: name,
    customer_external_id: name,
  });
  await copy("subscription_plans", { subscription_seq: seq });
  await copy("usage_counters", {
    subscription_seq: seq,
    whole: `CASE WHEN i % 4 = 0 THEN 0 ELSE CAST(i AS bigint) * 7919 % 1000000 END`,
  });
  await copy("customers", { seq, customer_key: name });
  await run(`INSERT INTO customer_dues (bucket_seq, customer_key, due)
    SELECT bucket_seq, customer_key, seq % 1000 * 1000 FROM customers WHERE seq % 5 = 1 AND seq % 1000 > 0`);
  await run(`INSERT INTO invoices (seq, id, bucket_seq, customer_key, status, number, currency, lines, subtotal, tax, total,
      amount_due, credited, version, created_on, updated_on)
    ${copies} SELECT i, ${id("inv")}, customers.bucket_seq, ${name}, 'open', 'I-' || substr(CAST(1000000 + i AS text), 2), 'EUR', '[]', '1000', '0', '1000',
      '1000', '0', 1, customers.created_on, customers.updated_on
    FROM copies CROSS JOIN (SELECT * FROM customers WHERE seq = 1) AS customers`);
  await run(`INSERT INTO number_series (account_seq, series, last)
    SELECT account_seq, 'I-', ${count} FROM key_buckets`);
  await countList(run, "consumers", "key_buckets", "");
  await countList(run, "api_keys", "key_buckets", "keys");
  await countList(run, "subscriptions", "metering_buckets", "subscriptions");
  await countList(run, "customers", "metering_buckets", "customers");
}

/** How the server counts its lists, see counted-lists.ts. */
async function countList(run: Run, table: string, buckets: string, list: string): Promise<void> {
  await run(`DELETE FROM list_blocks WHERE list = '${list}'`);
  await run(`INSERT INTO list_blocks (scope, list, block, shard, size)
    SELECT ${buckets}.id, '${list}', ${table}.seq / 4096, 0, COUNT(*)
    FROM ${table} JOIN ${buckets} ON ${buckets}.seq = ${table}.bucket_seq GROUP BY ${buckets}.id, ${table}.seq / 4096`);
}
