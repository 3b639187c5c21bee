import { type Insertable, type Selectable, type SelectQueryBuilder, sql } from "kysely";
import type { Paging } from "../../lib/paging.ts";
import { PageTooLarge } from "./errors.ts";
import type { ColumnType, Reads, WriteTransaction } from "./storage.ts";
import type { TableName, Tables } from "./tables.ts";

export { sql };

/**
 * Locks the rows that the query reads against changes until the transaction ends. Rows that reference them can still be
 * inserted: keys never change, and FOR UPDATE would make every insert with a foreign key wait.
 */
export function forUpdate(transaction: WriteTransaction, query: string): string {
  return transaction.locksRows ? `${query} FOR NO KEY UPDATE` : query;
}

/** Reads rows of a transaction and locks them like `forUpdate`: a lookup is written once, with and without the lock. */
export function locking(transaction: WriteTransaction): OneRead {
  return { one: (query, parameters) => transaction.one(forUpdate(transaction, query), parameters) };
}

export type OneRead = Pick<Reads, "one">;

/** The same without the rows that another transaction has locked. */
export function forUpdateIfFree(transaction: WriteTransaction, query: string): string {
  return transaction.locksRows ? `${query} FOR NO KEY UPDATE SKIP LOCKED` : query;
}

/**
 * Locks the rows that the query reads against changes and deletion until the transaction ends. Many transactions can
 * hold this lock at once.
 */
export function forShare(transaction: WriteTransaction, query: string): string {
  return transaction.locksRows ? `${query} FOR SHARE` : query;
}

/** Locks a table until the transaction ends. Only on PostgreSQL. */
export function lockTable(table: string, mode: "ROW EXCLUSIVE" | "SHARE" | "ACCESS EXCLUSIVE"): string {
  return `LOCK TABLE ${table} IN ${mode} MODE`;
}

/** Inserts a row, or replaces the one with the same key. */
export async function saveRow<Table extends TableName>(
  transaction: WriteTransaction,
  table: Table,
  row: Insertable<Tables[Table]>,
  key: (keyof Insertable<Tables[Table]> & string)[],
): Promise<void> {
  const columns = Object.keys(row);
  const replaced = columns.filter((column) => !key.some((name) => name === column));
  await transaction.run(
    `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})
     ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${replaced.map((name) => `${name} = excluded.${name}`).join(", ")}`,
    Object.values(row),
  );
}

/** Inserts a row and returns it with its number. */
export async function insertRow<Table extends TableName, Row extends Insertable<Tables[Table]>>(
  transaction: WriteTransaction,
  table: Table,
  row: Row,
): Promise<Row & { seq: number }> {
  return { ...row, seq: await transaction.insert(table, row) };
}

/** Returns the rows of a query about a table of values, see `tablesOf`. */
export async function allWith<Row>(
  reads: Reads,
  types: readonly ColumnType[],
  values: readonly unknown[][],
  queryOf: (table: string) => string,
): Promise<Row[]> {
  const found: Row[] = [];
  for (const { sql, parameters } of reads.tablesOf(types, values))
    for (const row of await reads.all<Row>(queryOf(sql), parameters)) found.push(row);
  return found;
}

/** Returns how many rows a query has, without its columns: `FROM … WHERE …`. */
export async function countOf(reads: Reads, from: string, values: readonly unknown[]): Promise<number> {
  const row = await reads.one<{ total: number }>(`SELECT count(*) AS total ${from}`, [...values]);
  return Number(row!.total);
}

/** Returns a page of the rows of a query, which ends with its order, and how many rows `from` has. Both get the values. */
export async function pageOf<Row>(
  reads: Reads,
  query: string,
  from: string,
  values: readonly unknown[],
  { limit, offset }: Paging,
): Promise<{ data: Row[]; total: number }> {
  const data = await reads.all<Row>(`${query} LIMIT ? OFFSET ?`, [...values, limit, offset]);
  return { data, total: await countOf(reads, from, values) };
}

/**
 * Deletes at most `max` rows of a table that meet a condition, which may end with an order. Returns how many.
 * @param key the columns of the primary key
 */
export async function deleteSome(
  transaction: WriteTransaction,
  table: TableName,
  condition: string,
  values: readonly unknown[],
  max: number,
  key = "seq",
): Promise<number> {
  const some = `SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ?`;
  const sql = `DELETE FROM ${table} WHERE (${key}) IN (${some}) RETURNING ${key}`;
  return (await transaction.all(sql, [...values, max])).length;
}

/** The maximum size of the rows of one page. */
const maxPageBytes = 16 * 1024 * 1024;

/** No row is larger than a request, so a page of so few needs no measuring. */
const fewRows = 15;

/**
 * Throws `PageTooLarge` if the large columns of at most `limit` rows take more than 16 MiB. Does not read them: both
 * engines know the size of a value without its content.
 */
export async function rejectLargePage<Table extends TableName>(
  rows: SelectQueryBuilder<Tables, Table, object>,
  limit: number,
  large: readonly LargeColumn<Table>[],
): Promise<void> {
  if (limit <= fewRows || large.length === 0) return;
  const sizes = large.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`);
  const measured = await rows.select(sql<number>`${sql.join(sizes, sql` + `)}`.as("size")).execute();
  rejectLargeSize(measured.reduce((sum, { size }) => sum + size, 0));
}

/** Throws `PageTooLarge` if the content of a page takes more than 16 MiB. */
export function rejectLargeSize(bytes: number): void {
  if (bytes > maxPageBytes) throw new PageTooLarge(maxPageBytes);
}

type LargeColumn<Table extends TableName> = keyof Tables[Table] & string;

interface PageOptions<Table extends TableName, Column> {
  /** All columns if absent. */
  columns?: readonly Column[];
  /** The columns whose values may be large. Together they are bounded. */
  large?: readonly LargeColumn<Table>[];
}

/** Returns one page of the rows that a query matches, ordered by `seq`, and the total. */
export async function readPage<
  Table extends TableName,
  Column extends keyof Selectable<Tables[Table]> & string = keyof Selectable<Tables[Table]> & string,
>(
  matching: SelectQueryBuilder<Tables, Table, object>,
  { limit, offset }: Paging,
  { columns, large = [] }: PageOptions<Table, Column> = {},
): Promise<{ data: Pick<Selectable<Tables[Table]>, Column>[]; total: number }> {
  const page = matching.orderBy(sql.ref("seq")).limit(limit).offset(offset);
  await rejectLargePage(page, limit, large);
  const data = await (columns
    ? page.select(columns.map((column) => sql.ref(column).as(column)))
    : page.selectAll()
  ).execute();
  const { total } = await matching.select(({ fn }) => fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  // The compiler does not infer that columns of a table are those of its row.
  return { data: data as unknown as Pick<Selectable<Tables[Table]>, Column>[], total };
}
