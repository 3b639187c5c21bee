import { hostname } from "node:os";
import { nodeApplicationName } from "./postgres-options.ts";
import type { Storage } from "./storage.ts";

interface StorageNode {
  id: string;
  host: string;
  /** The delay of the feed in milliseconds. Undefined for an embedded database, which has one node. */
  connectedOn: number | undefined;
  isThis: boolean;
}

/** The size of the database in bytes, including indexes and reusable space. */
export async function storageBytes({ engine, reads }: Storage): Promise<number> {
  const sql =
    engine === "sqlite"
      ? "SELECT pages.page_count * sizes.page_size AS bytes FROM pragma_page_count() AS pages, pragma_page_size() AS sizes"
      : "SELECT pg_database_size(current_database())::float8 AS bytes";
  return (await reads.one<{ bytes: number }>(sql, []))!.bytes;
}

/** Returns the processes that use the database. On PostgreSQL each has one listening connection with its own name. */
export async function storageNodes({ engine, reads, feed }: Storage): Promise<StorageNode[]> {
  if (engine === "sqlite") {
    return [{ id: "embedded", host: hostname(), connectedOn: undefined, isThis: true }];
  }
  const rows = await reads.all<{ name: string; at: number }>(
    `SELECT application_name AS name, (extract(epoch FROM backend_start) * 1000)::float8 AS at
    FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE ? ORDER BY backend_start`,
    [`${nodeApplicationName}%`],
  );
  return rows.map(({ name, at }) => {
    const [id = "", host = ""] = name.slice(nodeApplicationName.length).split(" ");
    return { id, host, connectedOn: Math.round(at), isThis: feed.nodeId === id };
  });
}
