import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Caps of what a customer spends beyond its plans. */
export const caps: Migration = {
  name: "0181-caps",
  statements: ({ integer, withoutRowid }) => [
    "ALTER TABLE customers ADD COLUMN spend_cap text",
    "ALTER TABLE customers ADD COLUMN credit_limit text",
    "ALTER TABLE invoices ADD COLUMN written_off text NOT NULL DEFAULT '0'",
    `CREATE TABLE spend_periods (
      subscription_seq ${integer} NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
      period_start ${integer} NOT NULL,
      owed text NOT NULL,
      written_off text NOT NULL,
      applied text NOT NULL,
      threshold ${integer} NOT NULL,
      is_over ${integer} NOT NULL,
      cap text,
      PRIMARY KEY (subscription_seq, period_start)
    ) ${withoutRowid}`,
  ],
};
