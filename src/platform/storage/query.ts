import { type Selectable, type SelectQueryBuilder, sql } from "kysely";
import type { Paging } from "../../lib/paging.ts";
import type { WriteTransaction } from "./storage.ts";
import type { TableName, Tables } from "./tables.ts";

export { sql };

/**
 * Locks the rows that the query reads against changes until the transaction ends. Rows that reference them can still be
 * inserted: keys never change, and FOR UPDATE would make every insert with a foreign key wait.
 */
export function forUpdate(transaction: WriteTransaction, query: string): string {
  return transaction.locksRows ? `${query} FOR NO KEY UPDATE` : query;
}

/**
 * Locks the rows that the query reads against changes and deletion until the transaction ends. Many transactions can
 * hold this lock at once.
 */
export function forShare(transaction: WriteTransaction, query: string): string {
  return transaction.locksRows ? `${query} FOR SHARE` : query;
}

/** Returns one page of the rows that a query matches, ordered by `seq` or another column, and the total. */
export async function readPage<Table extends TableName>(
  matching: SelectQueryBuilder<Tables, Table, object>,
  { limit, offset }: Paging,
  orderBy = "seq",
): Promise<{ data: Selectable<Tables[Table]>[]; total: number }> {
  const data = await matching.selectAll().orderBy(sql.ref(orderBy)).limit(limit).offset(offset).execute();
  const { total } = await matching.select(({ fn }) => fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  // The compiler does not infer that all columns of a table are its row.
  return { data: data as unknown as Selectable<Tables[Table]>[], total };
}
