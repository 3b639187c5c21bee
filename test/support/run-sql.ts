import { Database as SqliteFile } from "bun:sqlite";
import { SQL } from "bun";
import type { Database } from "./engines.ts";

/** Changes a database directly, without the server. */
export async function runSql(database: Database, statement: string): Promise<void> {
  const { DATABASE_URL, TOLLGATE_DATA_DIR } = database.environment;
  if (DATABASE_URL === undefined) {
    using file = new SqliteFile(`${TOLLGATE_DATA_DIR}/tollgate.db`);
    file.run("PRAGMA busy_timeout = 60000");
    file.run(statement);
    return;
  }
  await using connection = new SQL(DATABASE_URL, { max: 1 });
  await connection.unsafe(statement);
}

/** Reads a database directly, for what the interface does not show. */
export async function readSql<Row>(database: Database, statement: string): Promise<Row[]> {
  const { DATABASE_URL, TOLLGATE_DATA_DIR } = database.environment;
  if (DATABASE_URL === undefined) {
    using file = new SqliteFile(`${TOLLGATE_DATA_DIR}/tollgate.db`);
    file.run("PRAGMA busy_timeout = 60000");
    return file.query<Row, []>(statement).all();
  }
  await using connection = new SQL(DATABASE_URL, { max: 1 });
  return await connection.unsafe(statement);
}
