import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** The list of payments is in the order in which they were made. */
export const payments: Migration = {
  name: "0600-payments",
  statements: () => ["CREATE INDEX invoices_paid ON invoices (bucket_seq, paid_on, seq) WHERE paid_on IS NOT NULL"],
};
