import type { Client } from "pg";
import { holdsData } from "../data-directory/backup.ts";
import { lockDirectory } from "../data-directory/data-directory.ts";
import { connectChecked } from "../engines/postgres-checks.ts";
import { migratePostgres, moveMarker } from "../migrations/migrate.ts";
import type { Migration } from "../migrations/migration.ts";
import { PostgresHosts } from "../postgres-hosts.ts";
import { type MovedRow, type MovedTable, MoveSource, quoted } from "./move-source.ts";

/** Bounds the memory of a batch. */
const defaultBatch = { rows: 1000, characters: 4_000_000 };

interface MoveProgress {
  phase: "copy" | "verify";
  table: string;
  done: number;
  total: number;
}

export interface MoveOptions extends TargetOptions {
  directory: string;
  onProgress(progress: MoveProgress): void;
  /** An interrupted move is continued, or started over because the source has changed since. */
  onResumed?(how: "resumed" | "restarted"): void;
  batch?: typeof defaultBatch;
}

export interface MoveResult {
  tables: number;
  rows: number;
}

/**
 * Copies an embedded installation to PostgreSQL and compares every row. The source is not changed. An interrupted move
 * can be run again and continues. Throws while a server uses the data directory, and if the target contains other data.
 */
export async function moveToPostgres(options: MoveOptions): Promise<MoveResult> {
  const { directory, now } = options;
  if (!holdsData(directory)) throw new Error(`There is no embedded server's database in ${directory}.`);
  const lock = lockDirectory(directory);
  try {
    const source = new MoveSource(directory, options.migrations, now);
    try {
      const target = await MoveTarget.open(options, source.id, source.tables);
      try {
        await new Move(source, target, options).run();
        return { tables: source.tables.length, rows: source.tables.reduce((sum, { rows }) => sum + rows, 0) };
      } finally {
        await target.close();
      }
    } finally {
      source.close();
    }
  } finally {
    lock.release();
  }
}

/** The target differs from the current source. */
class SourceChanged extends Error {}

class Move {
  #isResumed = false;

  constructor(
    private readonly source: MoveSource,
    private readonly target: MoveTarget,
    private readonly options: MoveOptions,
  ) {}

  async run(): Promise<void> {
    const { tables } = this.source;
    try {
      await this.#copyAll();
    } catch (error) {
      if (!(error instanceof SourceChanged)) throw error;
      this.options.onResumed?.("restarted");
      await this.target.removeAll(tables);
      await this.#copyAll();
    }
    for (const table of tables) await this.target.setSequence(table);
    for (const table of tables) await this.#verify(table);
    await this.target.finish();
  }

  async #copyAll(): Promise<void> {
    for (const table of this.source.tables) await this.#copy(table);
  }

  async #copy(table: MovedTable): Promise<void> {
    const isEmpty = await this.target.isEmpty(table.name);
    if (!isEmpty && !this.#isResumed) {
      this.#isResumed = true;
      this.options.onResumed?.("resumed");
    }
    for (const batch of this.#batches("copy", table)) {
      const missing = isEmpty ? batch : await this.#missing(table, batch);
      if (missing.length > 0) await this.target.insert(table, missing);
    }
    if (!isEmpty && (await this.target.count(table.name)) !== table.rows) throw new SourceChanged();
  }

  async #missing(table: MovedTable, batch: MovedRow[]): Promise<MovedRow[]> {
    const found = await this.target.find(table, batch);
    return batch.filter((row) => {
      const there = found.get(keyOf(table.primaryKey, row));
      if (there && !isSame(table, row, there)) throw new SourceChanged();
      return !there;
    });
  }

  async #verify(table: MovedTable): Promise<void> {
    const { name, primaryKey } = table;
    for (const batch of this.#batches("verify", table)) {
      const found = await this.target.find(table, batch);
      for (const row of batch) {
        const there = found.get(keyOf(primaryKey, row));
        // The key without the values, which may be secret.
        const place = `Row ${keyOf(["seq"], row)} of ${name}`;
        if (!there) throw new Error(`${place} is missing in PostgreSQL after the copy.`);
        if (!isSame(table, row, there)) throw new Error(`${place} differs in PostgreSQL after the copy.`);
      }
    }
    const count = await this.target.count(name);
    if (count !== table.rows) throw new Error(`${name} has ${table.rows} rows here and ${count} in PostgreSQL.`);
  }

  *#batches(phase: MoveProgress["phase"], table: MovedTable): Generator<MovedRow[]> {
    const { onProgress, batch: max = defaultBatch } = this.options;
    const progress = { phase, table: table.name, total: table.rows };
    let done = 0;
    for (const batch of this.source.batches(table, max)) {
      yield batch;
      done += batch.length;
      onProgress({ ...progress, done });
    }
  }
}

function isSame({ columns }: MovedTable, one: MovedRow, other: MovedRow): boolean {
  return columns.every((column) => one[column] === other[column]);
}

/** An arbitrary number: the advisory lock of moves to this database. */
const moveLock = 7_011_657_421;

interface TargetOptions {
  /** The address of the PostgreSQL database. */
  url: string;
  migrations: Migration[];
  now: number;
}

/** The PostgreSQL side of a move. Until it has ended, a mark in the database prevents servers from starting on it. */
class MoveTarget {
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

function keyOf(primaryKey: string[], row: MovedRow): string {
  return JSON.stringify(primaryKey.map((column) => row[column]));
}
