import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Whether prices include tax, copied to each invoice, and whether a customer pays it. */
export const taxes: Migration = {
  name: "0460-taxes",
  statements: () => [
    "ALTER TABLE invoices ADD COLUMN tax_behavior text",
    "ALTER TABLE customers ADD COLUMN tax_status text",
  ],
};
