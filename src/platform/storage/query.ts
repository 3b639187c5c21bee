import { sql } from "kysely";
import type { WriteTransaction } from "./storage.ts";

export { sql };

/**
 * Keeps others from changing the rows that the query reads until the transaction ends. Rows that refer to them can still
 * be added: nobody changes a key, and FOR UPDATE would make every insert with a foreign key wait.
 */
export function forUpdate(transaction: WriteTransaction, query: string): string {
  return transaction.locksRows ? `${query} FOR NO KEY UPDATE` : query;
}
