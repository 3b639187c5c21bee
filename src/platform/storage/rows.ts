import type { Paging } from "../../lib/paging.ts";
import { forUpdate, pageOf } from "./query.ts";
import type { Reads, WriteTransaction } from "./storage.ts";
import type { ChangesOf, RowOf, TableName } from "./tables.ts";

/** Values of columns, which rows must have. */
type Values<Table extends TableName> = { [Column in keyof RowOf<Table>]?: NonNullable<RowOf<Table>[Column]> };

/** Each column with a placeholder. */
const placeholders = (values: object): string[] => Object.keys(values).map((column) => `"${column}" = ?`);

const having = (table: string, values: object): string => `FROM ${table} WHERE ${placeholders(values).join(" AND ")}`;

/** Returns the row with these values. Undefined if there is none. */
export function findRow<Table extends TableName>(
  reads: Reads,
  table: Table,
  values: Values<Table>,
): Promise<RowOf<Table> | undefined> {
  return reads.one(`SELECT * ${having(table, values)}`, Object.values(values));
}

/** The same, and locks the row against changes until the transaction ends. */
export function lockRow<Table extends TableName>(
  transaction: WriteTransaction,
  table: Table,
  values: Values<Table>,
): Promise<RowOf<Table> | undefined> {
  return transaction.one(forUpdate(transaction, `SELECT * ${having(table, values)}`), Object.values(values));
}

/** Returns the rows with these values, in the order of creation. */
export function findRows<Table extends TableName>(
  reads: Reads,
  table: Table,
  values: Values<Table>,
): Promise<RowOf<Table>[]> {
  return reads.all(`SELECT * ${having(table, values)} ORDER BY seq`, Object.values(values));
}

/** Returns a page of the rows with these values, in the order of creation, and their number. */
export function pageOfRows<Table extends TableName>(
  reads: Reads,
  table: Table,
  values: Values<Table>,
  paging: Paging,
): Promise<{ data: RowOf<Table>[]; total: number }> {
  const from = having(table, values);
  return pageOf(reads, `SELECT * ${from} ORDER BY seq`, from, Object.values(values), paging);
}

/** Whether there are rows: `FROM … WHERE …`. */
export async function hasRows(reads: Reads, from: string, parameters: unknown[]): Promise<boolean> {
  return (await reads.one(`SELECT 1 AS found ${from} LIMIT 1`, parameters)) !== undefined;
}

/** Deletes the row with this `seq`. Returns false if another transaction has deleted it. */
export async function deleteRow(transaction: WriteTransaction, table: TableName, seq: number): Promise<boolean> {
  return (await transaction.one(`DELETE FROM ${table} WHERE seq = ? RETURNING seq`, [seq])) !== undefined;
}

/** Deletes the rows with these values. */
export function deleteRows<Table extends TableName>(
  transaction: WriteTransaction,
  table: Table,
  values: Values<Table>,
): Promise<void> {
  return transaction.run(`DELETE ${having(table, values)}`, Object.values(values));
}

/** Changes columns of the rows with these values. */
export function updateRows<Table extends TableName>(
  transaction: WriteTransaction,
  table: Table,
  values: Values<Table>,
  changes: ChangesOf<Table>,
): Promise<void> {
  const [columns, conditions] = [placeholders(changes).join(", "), placeholders(values).join(" AND ")];
  const parameters = [...Object.values(changes), ...Object.values(values)];
  return transaction.run(`UPDATE ${table} SET ${columns} WHERE ${conditions}`, parameters);
}
