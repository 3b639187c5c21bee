import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Finalized invoices are added up by month. */
export const revenue: Migration = {
  name: "0220-revenue",
  statements: () => ["CREATE INDEX invoices_by_finalization ON invoices (bucket_seq, finalized_on, seq)"],
};
