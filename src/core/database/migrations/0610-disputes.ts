import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** What the customer's bank demands back of the payment of an invoice. */
export const disputes: Migration = {
  name: "0610-disputes",
  statements: () => ["ALTER TABLE invoices ADD COLUMN disputed text NOT NULL DEFAULT '0'"],
};
