import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** People who signed up to a portal and left, so that signing up again gives no second trial and no second quota. */
export const portalFormerCustomers: Migration = {
  name: "0272-portal-former-customers",
  statements: ({ seq, bytes, integer }) => [
    `CREATE TABLE portal_former_customers (
      seq ${seq},
      hash ${bytes} NOT NULL CONSTRAINT portal_former_customers_hash_key UNIQUE,
      left_on ${integer} NOT NULL,
      expires_on ${integer} NOT NULL
    )`,
    "CREATE INDEX portal_former_customers_by_expiry ON portal_former_customers (expires_on)",
    `ALTER TABLE portal_sign_ups ADD COLUMN is_returning ${integer} NOT NULL DEFAULT 0`,
    "CREATE INDEX checkouts_of_customer ON checkouts (bucket_seq, customer_key)",
  ],
};
