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
