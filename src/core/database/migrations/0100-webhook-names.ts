import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Names of webhooks, by which a configuration file identifies them. */
export const webhookNames: Migration = {
  name: "0100-webhook-names",
  statements: () => [
    "ALTER TABLE webhooks ADD COLUMN name text",
    "CREATE UNIQUE INDEX webhooks_account_seq_name_key ON webhooks (account_seq, name)",
  ],
};
