import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** What payment methods paid of invoices, and what was returned to them. */
export const refunds: Migration = {
  name: "0267-refunds",
  statements: () => [
    "ALTER TABLE invoices ADD COLUMN collected text",
    "ALTER TABLE invoices ADD COLUMN refunded text NOT NULL DEFAULT '0'",
    "ALTER TABLE invoices ADD COLUMN refund_state text",
  ],
};
