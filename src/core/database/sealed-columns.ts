import type { TableName } from "../../platform/storage/tables.ts";

/** A column of encrypted values. */
export interface SealedColumn {
  table: TableName;
  column: string;
  /** The primary key of the table. */
  key: string[];
  /** The purpose of the values, as passed to the keyring. */
  purpose: string;
}

/**
 * Every encrypted column. A column that is missing here would keep an old key after that was declared no longer needed.
 */
export const sealedColumns: readonly SealedColumn[] = [
  { table: "api_keys", column: "sealed", key: ["seq"], purpose: "api-key" },
  { table: "project_variables", column: "sealed", key: ["seq"], purpose: "variable" },
  { table: "idempotency_keys", column: "answer", key: ["credential", "key"], purpose: "idempotency" },
  { table: "webhooks", column: "secret", key: ["seq"], purpose: "webhook-secret" },
  { table: "webhooks", column: "previous_secret", key: ["seq"], purpose: "webhook-secret" },
  { table: "payment_providers", column: "secret_key", key: ["account_seq", "mode"], purpose: "payment-provider" },
  { table: "payment_providers", column: "webhook_secret", key: ["account_seq", "mode"], purpose: "payment-provider" },
  { table: "exports", column: "credential", key: ["seq"], purpose: "export-credential" },
  { table: "portals", column: "client_secret", key: ["seq"], purpose: "portal-client-secret" },
  { table: "oauth_keys", column: "private_key", key: ["seq"], purpose: "oauth-key" },
  { table: "oauth_authorizations", column: "refresh_secret", key: ["seq"], purpose: "oauth-refresh" },
  { table: "configuration_plans", column: "inputs", key: ["seq"], purpose: "configuration" },
  { table: "audit_keys", column: "private_key", key: ["id"], purpose: "audit-key" },
  { table: "certificates", column: "private_key", key: ["host"], purpose: "certificate-key" },
  { table: "acme_accounts", column: "private_key", key: ["directory"], purpose: "acme-account-key" },
];
