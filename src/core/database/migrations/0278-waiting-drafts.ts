import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Complete drafts, which wait for a billing profile. */
export const waitingDrafts: Migration = {
  name: "0278-waiting-drafts",
  statements: () => [
    "CREATE INDEX invoices_waiting ON invoices (bucket_seq, seq) WHERE status = 'draft' AND finalizes_on IS NULL",
  ],
};
