import { Database } from "bun:sqlite";
import type { Reads, Storage, WriteTransaction } from "../../src/platform/storage/storage.ts";

/**
 * Returns the tables that recorded statements read from end to end, on SQLite, whose plans do not depend on the rows. They
 * are made by a database of its own: an explained statement keeps its snapshot.
 */
export async function scannedTables({ engine, reads }: Storage, statements: string[]): Promise<string[]> {
  if (engine !== "sqlite") return [];
  const schema = await reads.all<{ type: string; name: string; sql: string }>(
    "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'",
    [],
  );
  using database = new Database(":memory:");
  for (const { sql } of schema) database.run(sql);
  const plans = [...new Set(statements)].flatMap((statement) => {
    const sql = /(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b.*$/s.exec(statement)?.[0];
    return sql === undefined ? [] : (database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]);
  });
  const tables = schema.filter(({ type }) => type === "table").map(({ name }) => name);
  return tables.filter((name) =>
    plans.some(({ detail }) => detail === `SCAN ${name}` || detail.startsWith(`SCAN ${name} `)),
  );
}

/** The storage with its statements recorded, in order. */
export function recordingStatements(storage: Storage): { storage: Storage; statements: string[] } {
  const statements: string[] = [];
  const recorded = <Kind extends Reads>(reads: Kind): Kind => {
    const record =
      <Parameters extends unknown[], Result>(name: string, run: (...parameters: Parameters) => Result) =>
      (...parameters: Parameters) => {
        statements.push(typeof parameters[0] === "string" ? `${name} ${parameters[0]}` : name);
        return run(...parameters);
      };
    const names = [
      "one",
      "all",
      "run",
      "runAll",
      "insert",
      "insertAll",
      "insertNew",
      "lock",
      "tryLock",
      "tryLockAll",
    ] as const;
    const own = reads as unknown as Record<string, (...parameters: unknown[]) => unknown>;
    const wrapped = names.flatMap((name) => (own[name] ? [[name, record(name, own[name])]] : []));
    return {
      ...reads,
      ...Object.fromEntries(wrapped),
      get query() {
        statements.push("query");
        return reads.query;
      },
    };
  };
  const write: Storage["write"] = (work) =>
    storage.write((transaction) => work(recorded<WriteTransaction>(transaction)));
  return {
    storage: Object.create(storage, { reads: { value: recorded(storage.reads) }, write: { value: write } }),
    statements,
  };
}
