import { SQL } from "bun";
import { startPostgres } from "../test/support/postgres.ts";

/** Started when it is first needed. */
let maintenance: Promise<string> | undefined;
let count = 0;

/** Creates a database in a durable PostgreSQL that ends with this process. Returns the settings of a server that uses it. */
export async function newPostgresDatabase(): Promise<Record<string, string>> {
  maintenance ??= startPostgres({ isDurable: true });
  const url = new URL(await maintenance);
  const name = `tollgate_bench_${++count}`;
  const connection = new SQL(url.href, { max: 1 });
  await connection.unsafe(`CREATE DATABASE ${name}`);
  await connection.close();
  url.pathname = name;
  return { DATABASE_URL: url.href, TOLLGATE_ENCRYPTION_KEY: "00".repeat(32) };
}

/**
 * What autovacuum does within minutes: without statistics, PostgreSQL scans tables that were just filled. New rows of these
 * tables get numbers after those that were copied into them.
 */
export async function analyze(url: string, copied: readonly string[] = []): Promise<void> {
  const connection = new SQL(url, { max: 1 });
  await connection.unsafe("ANALYZE");
  for (const table of copied)
    await connection.unsafe(`SELECT setval(pg_get_serial_sequence('${table}', 'seq'), max(seq)) FROM ${table}`);
  await connection.close();
}

/** The process whose descendants serve the connections: it need not be a child of this one. */
export async function databaseProcessId(url: string): Promise<number> {
  const connection = new SQL(url, { max: 1 });
  const [row] = await connection.unsafe("SELECT pg_read_file('postmaster.pid') AS lines");
  await connection.close();
  return Number.parseInt((row as { lines: string }).lines, 10);
}
