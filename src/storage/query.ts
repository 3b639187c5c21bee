import { sql } from "kysely";
import type { WriteTransaction } from "./storage.ts";

export { sql };

/** Keeps others from changing the rows that the query reads until the transaction ends. */
export function forUpdate(transaction: WriteTransaction, query: string): string {
  return transaction.locksRows ? `${query} FOR UPDATE` : query;
}
