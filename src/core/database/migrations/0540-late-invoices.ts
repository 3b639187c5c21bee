import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** The invoices that are overdue or whose payment failed are added up for each view of the console's home. */
export const lateInvoices: Migration = {
  name: "0540-late-invoices",
  statements: () => [
    "CREATE INDEX invoices_late ON invoices (bucket_seq, seq) WHERE status = 'open' AND failed_on IS NOT NULL",
  ],
};
