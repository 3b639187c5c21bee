import { type SelectQueryBuilder, sql } from "kysely";
import type { WriteTransaction } from "./storage.ts";
import type { TableName, Tables } from "./tables.ts";

export { sql };

/** Keeps others from changing the rows read until the transaction ends. */
export function forUpdate<Table extends TableName, Row>(
  transaction: WriteTransaction,
  query: SelectQueryBuilder<Tables, Table, Row>,
): SelectQueryBuilder<Tables, Table, Row> {
  return transaction.locksRows ? query.forUpdate() : query;
}
