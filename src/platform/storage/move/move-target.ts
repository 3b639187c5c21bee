import type { Client } from "pg";
import { connectChecked } from "../engines/postgres-checks.ts";
import { migratePostgres, moveMarker } from "../migrations/migrate.ts";
import type { Migration } from "../migrations/migration.ts";
import { PostgresHosts } from "../postgres-hosts.ts";
import { type MovedRow, type MovedTable, quoted } from "./move-source.ts";

/** An arbitrary number: the advisory lock of moves to this database. */
const moveLock = 7_011_657_421;

export interface TargetOptions {
  /** The address of the PostgreSQL database. */
  url: string;
  migrations: Migration[];
  now: number;
}

/** The PostgreSQL side of a move. Until it has ended, a mark in the database prevents servers from starting on it. */
export class MoveTarget {
  private constructor(
    private readonly client: Client,
    private readonly sourceId: string,
  ) {}

  /**
   * Creates the tables and the mark. Throws if the database contains data that is not from an unfinished move of the
   * same installation.
   */
  static async open(
    { url, migrations, now }: TargetOptions,
    sourceId: string,
    tables: MovedTable[],
  ): Promise<MoveTarget> {
    const { place } = new PostgresHosts(url);
    const client = await connectChecked({ url, feedUrl: undefined });
    try {
      const { rows } = await client.query("SELECT pg_try_advisory_lock($1) AS locked", [moveLock]);
      if (!rows[0].locked) throw new Error(`Another move to ${place} is in progress.`);
      // Keys are looked up in batches. Before the first ANALYZE a plan may read whole tables for each of them.
      await client.query("SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off");
      await client.query("SET bytea_output = hex");
      const target = new MoveTarget(client, sourceId);
      await migratePostgres(client, migrations, now, {
        sourceId,
        begin: async (isResumed) => {
          if (isResumed) return;
          for (const { name } of tables)
            if (!(await target.isEmpty(name)))
              throw new Error(
                `The database at ${place} already contains data (in ${name}). Move to an empty one; if this one is from an ` +
                  "earlier move that ended, start the server on it.",
              );
        },
      });
      return target;
    } catch (error) {
      await client.end();
      throw error;
    }
  }

  async isEmpty(table: string): Promise<boolean> {
    return (await this.client.query(`SELECT 1 FROM "${table}" LIMIT 1`)).rows.length === 0;
  }

  async count(table: string): Promise<number> {
    return Number((await this.client.query(`SELECT COUNT(*) AS rows FROM "${table}"`)).rows[0].rows);
  }

  async insert({ name, columns }: MovedTable, rows: MovedRow[]): Promise<void> {
    const names = quoted(columns);
    const sql = `INSERT INTO "${name}" (${names}) SELECT ${names} FROM json_populate_recordset(NULL::"${name}", $1)`;
    await this.client.query(sql, [JSON.stringify(rows)]);
  }

  /** Returns the rows that exist in the target, by key, with their values there. */
  async find({ name, columns, primaryKey }: MovedTable, rows: MovedRow[]): Promise<Map<string, MovedRow>> {
    const keys = rows.map((row) => Object.fromEntries(primaryKey.map((column) => [column, row[column]])));
    const selected = columns.map((column) => `t."${column}"::text AS "${column}"`).join(", ");
    const sql = `SELECT ${selected} FROM json_populate_recordset(NULL::"${name}", $1) AS k JOIN "${name}" AS t USING (${quoted(primaryKey)})`;
    const found = await this.client.query<MovedRow>(sql, [JSON.stringify(keys)]);
    return new Map(found.rows.map((row) => [keyOf(primaryKey, row), row]));
  }

  async setSequence({ name, lastSeq }: MovedTable): Promise<void> {
    if (lastSeq === undefined || lastSeq === 0) return;
    await this.client.query("SELECT setval(pg_get_serial_sequence($1, 'seq'), $2)", [name, lastSeq]);
  }

  async removeAll(tables: MovedTable[]): Promise<void> {
    await this.client.query(`TRUNCATE ${quoted(tables.map(({ name }) => name))} RESTART IDENTITY`);
  }

  /** From here on servers can start on the database. */
  async finish(): Promise<void> {
    await this.client.query("DELETE FROM migrations WHERE name = $1", [moveMarker(this.sourceId)]);
    await this.client.query("ANALYZE");
  }

  async close(): Promise<void> {
    await this.client.end();
  }
}

export function keyOf(primaryKey: string[], row: MovedRow): string {
  return JSON.stringify(primaryKey.map((column) => row[column]));
}
