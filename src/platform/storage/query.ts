import { type Selectable, type SelectQueryBuilder, sql } from "kysely";
import type { Paging } from "../../lib/paging.ts";
import type { WriteTransaction } from "./storage.ts";
import type { TableName, Tables } from "./tables.ts";

export { sql };

/**
 * Keeps others from changing the rows that the query reads until the transaction ends. Rows that refer to them can still
 * be added: nobody changes a key, and FOR UPDATE would make every insert with a foreign key wait.
 */
export function forUpdate(transaction: WriteTransaction, query: string): string {
  return transaction.locksRows ? `${query} FOR NO KEY UPDATE` : query;
}

/** Keeps others from changing or removing the rows that the query reads until the transaction ends; many may do so at once. */
export function forShare(transaction: WriteTransaction, query: string): string {
  return transaction.locksRows ? `${query} FOR SHARE` : query;
}

/** One page of the rows that a query matches, in the order of `seq` unless by another column, and how many there are. */
export async function readPage<Table extends TableName>(
  matching: SelectQueryBuilder<Tables, Table, object>,
  { limit, offset }: Paging,
  orderBy = "seq",
): Promise<{ data: Selectable<Tables[Table]>[]; total: number }> {
  const data = await matching.selectAll().orderBy(sql.ref(orderBy)).limit(limit).offset(offset).execute();
  const { total } = await matching.select(({ fn }) => fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  // The compiler does not see that all columns of any table are its row.
  return { data: data as unknown as Selectable<Tables[Table]>[], total };
}
