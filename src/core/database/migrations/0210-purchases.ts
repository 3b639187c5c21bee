import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Subscriptions that wait for their first payment, and the addresses where customers pay. */
export const purchases: Migration = {
  name: "0210-purchases",
  statements: ({ integer, bytes, withoutRowid }) => [
    `ALTER TABLE subscriptions ADD COLUMN expires_on ${integer}`,
    `CREATE TABLE checkouts (
      hash ${bytes} NOT NULL PRIMARY KEY,
      bucket_seq ${integer} NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
      customer_key text NOT NULL,
      return_url text NOT NULL,
      expires_on ${integer} NOT NULL
    ) ${withoutRowid}`,
    "CREATE INDEX checkouts_by_expiry ON checkouts (expires_on)",
    "CREATE INDEX checkouts_by_bucket ON checkouts (bucket_seq)",
  ],
};
