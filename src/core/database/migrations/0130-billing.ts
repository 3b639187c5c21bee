import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Prices of plans, customers, invoices, and the terms under which usage is billed. */
export const billing: Migration = {
  name: "0130-billing",
  statements: ({ seq, integer, withoutRowid }) => [
    "ALTER TABLE plans ADD COLUMN price text",
    "ALTER TABLE plans ADD COLUMN rates text",
    "ALTER TABLE plans ADD COLUMN features text",
    "ALTER TABLE plans ADD COLUMN description text",
    `ALTER TABLE plans ADD COLUMN is_public ${integer}`,
    `ALTER TABLE plans ADD COLUMN list_position ${integer}`,
    "ALTER TABLE plan_history ADD COLUMN price text",
    "ALTER TABLE plan_history ADD COLUMN rates text",
    `ALTER TABLE metering_buckets ADD COLUMN test_clock ${integer}`,
    `ALTER TABLE subscriptions ADD COLUMN bills_on ${integer}`,
    `ALTER TABLE subscriptions ADD COLUMN blocks_on ${integer}`,
    "ALTER TABLE subscriptions ADD COLUMN payment text",
    "ALTER TABLE subscriptions ADD COLUMN billing text",
    "CREATE INDEX subscriptions_by_billing ON subscriptions (bills_on) WHERE bills_on IS NOT NULL",
    `CREATE TABLE usage_marks (
      subscription_seq ${integer} NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
      period_start ${integer} NOT NULL,
      time ${integer} NOT NULL,
      meter text NOT NULL,
      whole ${integer} NOT NULL,
      billionths ${integer} NOT NULL,
      PRIMARY KEY (subscription_seq, period_start, time, meter)
    ) ${withoutRowid}`,
    `CREATE TABLE billing_profiles (
      account_seq ${integer} NOT NULL PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
      profile text NOT NULL,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL
    ) ${withoutRowid}`,
    `CREATE TABLE payment_providers (
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      mode text NOT NULL,
      type text NOT NULL,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      PRIMARY KEY (account_seq, mode)
    ) ${withoutRowid}`,
    `CREATE TABLE number_series (
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      series text NOT NULL,
      last ${integer} NOT NULL,
      PRIMARY KEY (account_seq, series)
    ) ${withoutRowid}`,
    `CREATE TABLE customers (
      seq ${seq},
      bucket_seq ${integer} NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
      customer_key text NOT NULL,
      email text,
      legal_name text,
      address text,
      tax_ids text,
      currency text,
      payment_method text,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT customers_bucket_seq_customer_key_key UNIQUE (bucket_seq, customer_key)
    )`,
    `INSERT INTO customers (bucket_seq, customer_key, version, created_on, updated_on)
      SELECT bucket_seq, customer_key, 1, MIN(created_on), MIN(created_on) FROM subscriptions
      GROUP BY bucket_seq, customer_key ORDER BY MIN(seq)`,
    // The segments of a deleted subscription are deleted with its counters; its invoices stay.
    `CREATE TABLE billing_segments (
      seq ${seq},
      subscription_seq ${integer} NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
      kind text NOT NULL,
      period_start ${integer} NOT NULL,
      period_end ${integer} NOT NULL,
      starts_on ${integer} NOT NULL,
      ends_on ${integer},
      terms text NOT NULL,
      billed text NOT NULL
    )`,
    "CREATE INDEX billing_segments_of_subscription ON billing_segments (subscription_seq, seq)",
    `CREATE TABLE invoices (
      seq ${seq},
      id text NOT NULL,
      bucket_seq ${integer} NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
      customer_key text NOT NULL,
      subscription_id text,
      corrects_id text,
      status text NOT NULL,
      number text,
      currency text NOT NULL,
      seller text,
      buyer text,
      lines text NOT NULL,
      subtotal text NOT NULL,
      tax text NOT NULL,
      total text NOT NULL,
      amount_due text NOT NULL,
      credited text NOT NULL,
      finalizes_on ${integer},
      finalized_on ${integer},
      due_on ${integer},
      failed_on ${integer},
      paid_on ${integer},
      payment_reference text,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT invoices_bucket_seq_id_key UNIQUE (bucket_seq, id)
    )`,
    "CREATE INDEX invoices_in_order ON invoices (bucket_seq, seq)",
    "CREATE INDEX invoices_of_customer ON invoices (bucket_seq, customer_key, seq)",
    "CREATE INDEX invoices_of_subscription ON invoices (bucket_seq, subscription_id, seq)",
    // Money that pays later invoices of a customer. Entries of the ledger never change.
    `CREATE TABLE balance_entries (
      seq ${seq},
      id text NOT NULL,
      bucket_seq ${integer} NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
      customer_key text NOT NULL,
      currency text NOT NULL,
      amount text NOT NULL,
      balance text NOT NULL,
      invoice_id text,
      created_on ${integer} NOT NULL
    )`,
    "CREATE INDEX balance_entries_of_customer ON balance_entries (bucket_seq, customer_key, currency, seq)",
  ],
};
