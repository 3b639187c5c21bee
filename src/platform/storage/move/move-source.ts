import { Database } from "bun:sqlite";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { migrateSqlite } from "../migrations/migrate.ts";
import type { Migration } from "../migrations/migration.ts";

export interface MovedTable {
  name: string;
  columns: string[];
  primaryKey: string[];
  rows: number;
  /** The highest `seq` ever assigned. Undefined if the table has none. */
  lastSeq: number | undefined;
}

/** A row as texts in the same format from both engines: bytes as in PostgreSQL, numbers in decimal. */
export type MovedRow = Record<string, string | null>;

/** The SQLite side of a move. It reads all tables of the database. */
export class MoveSource {
  readonly tables: MovedTable[];
  readonly #database: Database;

  /** First migrates the database to the current schema. The directory must be locked. */
  constructor(
    private readonly directory: string,
    migrations: Migration[],
    now: number,
  ) {
    this.#database = new Database(join(directory, "tollgate.db"), { readwrite: true, safeIntegers: true });
    migrateSqlite(this.#database, migrations, now);
    this.tables = this.#parentsFirst(this.#names()).map((name) => this.#describe(name));
  }

  /** Identifies this installation to a target that contains part of it. */
  get id(): string {
    const file = join(this.directory, "move-id");
    if (!existsSync(file)) writeFileSync(file, `${crypto.randomUUID()}\n`);
    return readFileSync(file, "utf8").trim();
  }

  /** Yields all rows in batches, bounded in rows and, except for a single larger row, in characters. */
  *batches({ name, columns }: MovedTable, max: { rows: number; characters: number }): Generator<MovedRow[]> {
    const query = this.#database.query<Record<string, unknown>, []>(`SELECT ${quoted(columns)} FROM "${name}"`);
    let batch: MovedRow[] = [];
    let characters = 0;
    for (const values of query.iterate()) {
      const row = Object.fromEntries(columns.map((column) => [column, textOf(values[column])]));
      const size = columns.reduce((sum, column) => sum + (row[column]?.length ?? 0), 0);
      if (batch.length >= max.rows || (batch.length > 0 && characters + size > max.characters)) {
        yield batch;
        batch = [];
        characters = 0;
      }
      batch.push(row);
      characters += size;
    }
    if (batch.length > 0) yield batch;
  }

  close(): void {
    this.#database.close();
  }

  #names(): string[] {
    const query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
    const rows = this.#database.query<{ name: string }, []>(query).all();
    return rows.map(({ name }) => name).filter((name) => name !== "migrations");
  }

  #parentsFirst(names: string[]): string[] {
    const ordered = new Set<string>();
    const add = (name: string) => {
      if (ordered.has(name)) return;
      const parents = this.#database.query<{ table: string }, []>(`PRAGMA foreign_key_list("${name}")`).all();
      for (const { table } of parents) if (table !== name) add(table);
      ordered.add(name);
    };
    for (const name of names) add(name);
    return [...ordered];
  }

  #describe(name: string): MovedTable {
    const columns = this.#database.query<{ name: string; pk: bigint }, []>(`PRAGMA table_info("${name}")`).all();
    const keys = columns.filter(({ pk }) => pk > 0n).sort((one, other) => Number(one.pk - other.pk));
    const { rows } = this.#database.query<{ rows: bigint }, []>(`SELECT COUNT(*) AS rows FROM "${name}"`).get()!;
    return {
      name,
      columns: columns.map((column) => column.name),
      primaryKey: keys.map((column) => column.name),
      rows: Number(rows),
      lastSeq: columns.some((column) => column.name === "seq") ? this.#lastSeq(name) : undefined,
    };
  }

  /** Numbers of deleted rows are not reused, because caches of other processes may refer to them. */
  #lastSeq(name: string): number {
    const query = `SELECT MAX(COALESCE((SELECT MAX(seq) FROM "${name}"), 0),
      COALESCE((SELECT seq FROM sqlite_sequence WHERE name = ?), 0)) AS last`;
    return Number(this.#database.query<{ last: bigint }, [string]>(query).get(name)!.last);
  }
}

export function quoted(names: string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : String(value);
}
