import { afterAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { postgres } from "../../../../test/support/engines.ts";
import { failIfAnythingRuns } from "../../../../test/support/left-running.ts";
import { connectChecked } from "./postgres-checks.ts";

afterAll(failIfAnythingRuns);

/**
 * A real PostgreSQL in which functions of a schema come before the system's, so that it claims to be another database,
 * or behaves like one. Returns the error of a start, or undefined.
 */
async function startOn(functions: string[]): Promise<string | undefined> {
  const database = await postgres.freshDatabase();
  const url = database.environment.DATABASE_URL!;
  const connection = new SQL(url, { max: 1 });
  await connection.unsafe("CREATE SCHEMA other");
  for (const definition of functions) await connection.unsafe(`CREATE FUNCTION other.${definition}`);
  await connection.unsafe(
    `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET search_path = other, pg_catalog, public`,
  );
  await connection.close();
  try {
    const client = await connectChecked({ url, feedUrl: undefined });
    await client.end();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await database.drop();
  }
}

const claims = (version: string) => `version() RETURNS text LANGUAGE sql AS $$ SELECT '${version}'::text $$`;
const setting = (number: number) =>
  `current_setting(name text) RETURNS text LANGUAGE sql AS $$ SELECT CASE name WHEN 'server_version_num' THEN '${number}' ELSE '${number / 10_000}' END $$`;

describe("the version decides:", () => {
  test.each([
    ["CockroachDB CCL v23.1.11 (x86_64-pc-linux-gnu, built 2023/09/27)", "CockroachDB"],
    ["CockroachDB CCL v23.1.11 (x86_64-pc-linux-gnu, built 2023/09/27)", "Its advisory locks always succeed"],
    ["PostgreSQL 11.2-YB-2.20.1.0-b0 on x86_64-pc-linux-gnu, compiled by clang version 16.0.6, 64-bit", "YugabyteDB"],
    ["PostgreSQL 15.2-YB-2.25.0.0-b0 on aarch64-unknown-linux-gnu, compiled by clang, 64-bit", "YugabyteDB"],
    ["PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC) 3.4.2, Redshift 1.0.61430", "Amazon Redshift"],
    ["PostgreSQL 12.12 (Greenplum Database 7.0.0 build commit:0a7a3566) on x86_64", "Greenplum"],
    ["PostgreSQL 9.5.0 on x86_64-unknown-linux-gnu (Materialize v0.80.0)", "Materialize"],
    ["PostgreSQL 13.14.0-RisingWave-1.10.0 (f2d1b0f)", "RisingWave"],
    ["SomethingDB 3.1 with a PostgreSQL wire protocol", '"SomethingDB 3.1 with a PostgreSQL wire protocol"'],
  ])("%s", async (version, part) => {
    const error = await startOn([claims(version)]);
    expect(error).toContain(part);
    expect(error).toContain("not PostgreSQL");
    expect(error).toContain("use PostgreSQL itself (14 or later)");
  });

  test("a PostgreSQL older than supported", async () => {
    const old = await startOn([claims("PostgreSQL 13.14 on aarch64"), setting(130_014)]);
    expect(old).toBe("The database is PostgreSQL 13.0014. Tollgate needs PostgreSQL 14 or later.");
  });

  test("vendors' builds of PostgreSQL are accepted", async () => {
    expect(
      await startOn([claims("PostgreSQL 16.1 on aarch64, compiled by gcc (Debian 12.2.0-14) 12.2.0, 64-bit")]),
    ).toBeUndefined();
    expect(
      await startOn([claims("PostgreSQL 14.0 (EnterpriseDB Advanced Server 14.0)"), setting(140_000)]),
    ).toBeUndefined();
  });
});

describe("the behavior decides, whatever the name:", () => {
  test.each([
    [
      "locks that always succeed",
      "pg_try_advisory_xact_lock(key bigint) RETURNS boolean LANGUAGE sql AS $$ SELECT true $$",
      "two sessions held the same advisory lock",
    ],
    [
      "snapshots that contain transactions in progress",
      "pg_visible_in_snapshot(id xid8, snapshot pg_snapshot) RETURNS boolean LANGUAGE sql AS $$ SELECT true $$",
      "a snapshot contained a transaction in progress",
    ],
    [
      "a feature that is not supported",
      "pg_current_xact_id() RETURNS xid8 LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'unimplemented' USING ERRCODE = '0A000'; END $$",
      "unimplemented",
    ],
    [
      "notifications that do not arrive",
      "pg_notify(channel text, payload text) RETURNS void LANGUAGE sql AS $$ SELECT $$",
      "a notification did not arrive",
    ],
  ])("%s", async (_, definition, reason) => {
    const error = await startOn([definition]);
    expect(error).toStartWith(`The database does not behave like PostgreSQL: ${reason}. Tollgate relies on`);
  });
});
