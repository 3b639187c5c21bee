import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** The cost under prepaid rates that no money covered. */
export const prepaidRates: Migration = {
  name: "0450-prepaid-rates",
  statements: () => [
    "ALTER TABLE credit_uses ADD COLUMN written_off text NOT NULL DEFAULT '0'",
    "ALTER TABLE credit_uses ADD COLUMN applied_written_off text NOT NULL DEFAULT '0'",
  ],
};
