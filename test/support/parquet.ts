import { DuckDBInstance } from "@duckdb/node-api";

/** Runs a query in DuckDB. Returns rows as JSON values. */
export async function queryFiles(sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson() as Record<string, unknown>[];
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
