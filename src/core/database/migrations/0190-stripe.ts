import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** The collection of invoices by Stripe, and amounts that are too small to be collected. */
export const stripe: Migration = {
  name: "0190-stripe",
  statements: ({ integer, bytes, withoutRowid }) => [
    `ALTER TABLE payment_providers ADD COLUMN secret_key ${bytes}`,
    `ALTER TABLE payment_providers ADD COLUMN webhook_secret ${bytes}`,
    "ALTER TABLE invoices ADD COLUMN collection_state text",
    "ALTER TABLE invoices ADD COLUMN collection_url text",
    `CREATE TABLE carried_amounts (
      bucket_seq ${integer} NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
      customer_key text NOT NULL,
      currency text NOT NULL,
      amount text NOT NULL,
      PRIMARY KEY (bucket_seq, customer_key, currency)
    ) ${withoutRowid}`,
    `CREATE TABLE stripe_customers (
      bucket_seq ${integer} NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
      customer_key text NOT NULL,
      stripe_id text,
      began_on ${integer} NOT NULL,
      generation ${integer} NOT NULL,
      PRIMARY KEY (bucket_seq, customer_key)
    ) ${withoutRowid}`,
    `CREATE TABLE stripe_invoices (
      invoice_seq ${integer} NOT NULL PRIMARY KEY REFERENCES invoices ON DELETE CASCADE,
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      mode text NOT NULL,
      customer_id text,
      began_on ${integer},
      stripe_id text,
      stripe_status text,
      amount text,
      attempts ${integer} NOT NULL,
      generation ${integer} NOT NULL,
      failures ${integer} NOT NULL,
      error text,
      next_on ${integer},
      lease text,
      lease_until ${integer},
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL
    ) ${withoutRowid}`,
    "CREATE INDEX stripe_invoices_due ON stripe_invoices (next_on) WHERE next_on IS NOT NULL",
    "CREATE INDEX stripe_invoices_by_id ON stripe_invoices (account_seq, mode, stripe_id)",
    `CREATE TABLE stripe_events (
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      mode text NOT NULL,
      event_id text NOT NULL,
      received_on ${integer} NOT NULL,
      PRIMARY KEY (account_seq, mode, event_id)
    ) ${withoutRowid}`,
    "CREATE INDEX stripe_events_by_time ON stripe_events (received_on)",
  ],
};
