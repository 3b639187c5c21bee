import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";

export interface Write {
  readonly statement: Statement;
  readonly values: SQLQueryBindings[];
}

type StoredRow = Record<string, SQLQueryBindings>;

/** In the order of their foreign keys. Every one counts its rows by `seq`. */
const countedTables = ["key_buckets", "consumers", "api_keys", "usage_events", "changes"];

/**
 * What a server wrote between the open database and a later copy of it, as prepared statements with their
 * values, split evenly over transactions: row n of every table belongs to the same request as row n of the others.
 */
export function readWrites(database: Database, laterFile: string, transactionCount: number): Write[][] {
  const transactions: Write[][] = Array.from({ length: transactionCount }, () => []);
  database.run("ATTACH ? AS later", [laterFile]);
  for (const table of countedTables) {
    const newest = `SELECT coalesce(max(seq), 0) FROM main.${table}`;
    const rows = database
      .query<StoredRow, []>(`SELECT * FROM later.${table} WHERE seq > (${newest}) ORDER BY seq`)
      .all();
    spread(database, table, rows, transactions);
  }
  spreadTags(database, transactions);
  spreadCounters(database, transactions);
  database.run("DETACH later");
  return transactions;
}

function spread(database: Database, table: string, rows: StoredRow[], transactions: Write[][]): void {
  if (rows.length === 0) return;
  const columns = Object.keys(rows[0]!);
  const placeholders = columns.map(() => "?").join(", ");
  const statement = database.prepare(`INSERT INTO main.${table} (${columns.join(", ")}) VALUES (${placeholders})`);
  rows.forEach((row, index) => {
    const transaction = transactions[Math.floor((index * transactions.length) / rows.length)]!;
    transaction.push({ statement, values: Object.values(row) });
  });
}

function spreadTags(database: Database, transactions: Write[][]): void {
  const rows = database
    .query<StoredRow, []>("SELECT * FROM later.consumer_tags EXCEPT SELECT * FROM main.consumer_tags")
    .all();
  spread(database, "consumer_tags", rows, transactions);
}

/**
 * A counter that many requests raised holds only its last value; each transaction raises it by its share.
 * A counter that one request alone touches, such as the list of a new consumer's keys, is one row per request.
 */
function spreadCounters(database: Database, transactions: Write[][]): void {
  const raised = database
    .query<StoredRow & { list: string; size: number; raised: number }, []>(
      `SELECT later.*, later.size - coalesce(earlier.size, 0) AS raised
       FROM later.list_blocks AS later
       LEFT JOIN main.list_blocks AS earlier USING (scope, list, block, shard)
       WHERE later.size IS NOT earlier.size`,
    )
    .all();
  const raise = database.prepare(
    `INSERT INTO main.list_blocks (scope, list, block, shard, size) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (scope, list, block, shard) DO UPDATE SET size = size + excluded.size`,
  );
  for (const list of new Set(raised.map((row) => row.list))) {
    const rows = raised.filter((row) => row.list === list);
    const total = rows.reduce((sum, row) => sum + row.raised, 0);
    transactions.forEach((transaction, index) => {
      const row = rows[Math.floor((index * rows.length) / transactions.length)]!;
      const { scope, block, shard } = row;
      transaction.push({ statement: raise, values: [scope!, list, block!, shard!, total / transactions.length] });
    });
  }
}
