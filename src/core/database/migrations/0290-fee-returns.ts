import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/**
 * What was credited of an invoice by later invoices, and of each of its lines. Fees that were charged before have no
 * invoice and line: those are found when the fee is returned.
 */
export const feeReturns: Migration = {
  name: "0290-fee-returns",
  statements: () => [
    "ALTER TABLE invoices ADD COLUMN netted text NOT NULL DEFAULT '0'",
    "ALTER TABLE invoices ADD COLUMN line_credits text NOT NULL DEFAULT '{}'",
  ],
};
