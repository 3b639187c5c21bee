import type { TableName } from "../../platform/storage/tables.ts";

/** A column of values that are sealed under an encryption key. */
export interface SealedColumn {
  table: TableName;
  column: string;
  /** The primary key of the table. */
  key: string[];
  /** What the values are sealed for, as given to the keyring. */
  purpose: string;
}

/** Every sealed column. One that is missing here stays under an old key, which is then declared no longer needed. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: "api_keys", column: "sealed", key: ["seq"], purpose: "api-key" },
  { table: "project_variables", column: "sealed", key: ["seq"], purpose: "variable" },
  { table: "idempotency_keys", column: "answer", key: ["credential", "key"], purpose: "idempotency" },
  { table: "webhooks", column: "secret", key: ["seq"], purpose: "webhook-secret" },
  { table: "webhooks", column: "previous_secret", key: ["seq"], purpose: "webhook-secret" },
  { table: "audit_keys", column: "private_key", key: ["id"], purpose: "audit-key" },
  { table: "certificates", column: "private_key", key: ["host"], purpose: "certificate-key" },
  { table: "acme_accounts", column: "private_key", key: ["directory"], purpose: "acme-account-key" },
];
