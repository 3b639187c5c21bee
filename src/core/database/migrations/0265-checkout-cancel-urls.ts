import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Where customers go who leave the page of a payment without paying. Null if they go where all others go. */
export const checkoutCancelUrls: Migration = {
  name: "0265-checkout-cancel-urls",
  statements: () => ["ALTER TABLE checkouts ADD COLUMN cancel_url text"],
};
