import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** What credit notes had taken off an invoice before Stripe got it. */
export const stripeCreditedBefore: Migration = {
  name: "0285-stripe-credited-before",
  statements: () => ["ALTER TABLE stripe_invoices ADD COLUMN credited_before text NOT NULL DEFAULT '0'"],
};
