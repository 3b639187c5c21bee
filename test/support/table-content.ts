import { Database as SqliteFile } from "bun:sqlite";
import { SQL } from "bun";
import type { Database } from "./engines.ts";

type Row = Record<string, unknown>;

/** The tables with what belongs to the consumers of a key bucket. */
export const consumerTables = [
  "consumers",
  "consumer_tags",
  "consumer_words",
  "api_keys",
  "managers",
  "manager_invites",
  "list_blocks",
];

/** The rows of a table as stored, read directly from the database, to check that they contain no secret. */
export async function tableContent(database: Database, table: string): Promise<Row[]> {
  const { DATABASE_URL, TOLLGATE_DATA_DIR } = database.environment;
  const query = `SELECT * FROM ${table}`;
  if (DATABASE_URL === undefined) {
    using file = new SqliteFile(`${TOLLGATE_DATA_DIR}/tollgate.db`, { readonly: true });
    return file.query(query).all() as Row[];
  }
  await using connection = new SQL(DATABASE_URL, { max: 1 });
  return await connection.unsafe(query);
}

export async function tableNames(database: Database): Promise<string[]> {
  const catalogue =
    database.environment.DATABASE_URL === undefined
      ? "(SELECT name FROM sqlite_master WHERE type = 'table')"
      : `(SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition
          AND relnamespace = 'public'::regnamespace) AS tables`;
  return (await tableContent(database, catalogue)).map((row) => String(row.name));
}

export function holdText(rows: Row[], text: string): boolean {
  return rows.flatMap(Object.values).some((value) => bytesOf(value).includes(text));
}

function bytesOf(value: unknown): Buffer {
  return value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value));
}
