import type { Migration } from "../../../platform/storage/migrations/migration.ts";

export const migrations0130: Migration[] = [
  /** Prices of plans, customers, invoices, and the terms under which usage is billed. */
  {
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
  },
  /** Identity providers whose tokens are exchanged for tokens of this server, such as those of CI services. */
  {
    name: "0150-trusted-issuers",
    statements: ({ seq, integer }) => [
      `CREATE TABLE trusted_issuers (
      seq ${seq},
      id text NOT NULL CONSTRAINT trusted_issuers_id_key UNIQUE,
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      issuer text NOT NULL,
      audience text,
      subject text NOT NULL,
      claims text,
      role text NOT NULL,
      project text,
      environments text NOT NULL,
      branch_claim text,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL
    )`,
      "CREATE INDEX trusted_issuers_of_account ON trusted_issuers (account_seq, seq)",
      "CREATE INDEX trusted_issuers_by_issuer ON trusted_issuers (issuer, audience)",
      `ALTER TABLE tokens ADD COLUMN trusted_issuer_seq ${integer} REFERENCES trusted_issuers ON DELETE CASCADE`,
      "ALTER TABLE tokens ADD COLUMN scope text",
      "CREATE INDEX tokens_of_trusted_issuer ON tokens (trusted_issuer_seq)",
      `ALTER TABLE deployment_builds ADD COLUMN is_preview_only ${integer} NOT NULL DEFAULT 0`,
    ],
  },
  /** The author and the note of a version. Null for versions of earlier releases. */
  {
    name: "0160-version-authors",
    statements: () =>
      ["deployment_builds", "deployment_versions"].flatMap((table) => [
        `ALTER TABLE ${table} ADD COLUMN author text`,
        `ALTER TABLE ${table} ADD COLUMN note text`,
      ]),
  },
  /** Credits of customers: grants, their ledger, and what they pay of the usage of subscriptions. They replace balances. */
  {
    name: "0180-grants",
    statements: ({ seq, integer, withoutRowid }) => [
      `CREATE TABLE grants (
      seq ${seq},
      id text NOT NULL UNIQUE,
      bucket_seq ${integer} NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
      customer_key text NOT NULL,
      meter text,
      currency text,
      funding text NOT NULL,
      priority ${integer} NOT NULL,
      amount text NOT NULL,
      balance text NOT NULL,
      effective_on ${integer} NOT NULL,
      expires_on ${integer},
      ended_on ${integer},
      voided_on ${integer},
      reason text,
      invoice_id text,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL
    )`,
      "CREATE INDEX grants_of_customer ON grants (bucket_seq, customer_key, seq)",
      "CREATE INDEX grants_by_expiry ON grants (expires_on) WHERE expires_on IS NOT NULL AND ended_on IS NULL",
      `CREATE TABLE grant_entries (
      seq ${seq},
      id text NOT NULL,
      grant_seq ${integer} NOT NULL REFERENCES grants ON DELETE CASCADE,
      kind text NOT NULL,
      amount text NOT NULL,
      balance text NOT NULL,
      hour ${integer},
      subscription_id text,
      meter text,
      invoice_id text,
      created_on ${integer} NOT NULL
    )`,
      "CREATE INDEX grant_entries_of_grant ON grant_entries (grant_seq, seq)",
      `CREATE TABLE credit_uses (
      subscription_seq ${integer} NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
      period_start ${integer} NOT NULL,
      segment_seq ${integer} NOT NULL,
      meter text NOT NULL,
      seen text NOT NULL,
      covered text NOT NULL,
      cost text NOT NULL,
      promotional text NOT NULL,
      paid text NOT NULL,
      applied_promotional text NOT NULL,
      applied_paid text NOT NULL,
      PRIMARY KEY (subscription_seq, period_start, segment_seq, meter)
    ) ${withoutRowid}`,
      `ALTER TABLE subscriptions ADD COLUMN has_credits ${integer} NOT NULL DEFAULT 0`,
      `CREATE TABLE customer_credits (
      bucket_seq ${integer} NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
      customer_key text NOT NULL,
      revision ${integer} NOT NULL,
      checks_on ${integer},
      PRIMARY KEY (bucket_seq, customer_key)
    ) ${withoutRowid}`,
      "CREATE INDEX customer_credits_by_check ON customer_credits (checks_on) WHERE checks_on IS NOT NULL",
      "ALTER TABLE invoices ADD COLUMN from_credits text NOT NULL DEFAULT '0'",
      `INSERT INTO grants (id, bucket_seq, customer_key, currency, funding, priority, amount, balance, effective_on,
       invoice_id, version, created_on, updated_on)
     SELECT 'grnt_' || substr(id, 6), bucket_seq, customer_key, currency, 'paid', 50, balance, balance, created_on,
       invoice_id, 1, created_on, created_on
     FROM balance_entries WHERE balance <> '0' AND seq IN (
       SELECT MAX(seq) FROM balance_entries GROUP BY bucket_seq, customer_key, currency)`,
      `INSERT INTO grant_entries (id, grant_seq, kind, amount, balance, invoice_id, created_on)
     SELECT 'grnte_' || substr(id, 6), seq, 'granted', amount, balance, invoice_id, created_on FROM grants`,
      `INSERT INTO customer_credits (bucket_seq, customer_key, revision, checks_on)
     SELECT DISTINCT bucket_seq, customer_key, 1, 0 FROM grants`,
      `UPDATE subscriptions SET has_credits = 1 WHERE EXISTS (
       SELECT 1 FROM grants WHERE grants.bucket_seq = subscriptions.bucket_seq
         AND grants.customer_key = subscriptions.customer_key)`,
      "DROP TABLE balance_entries",
    ],
  },
  /** Caps of what a customer spends beyond its plans. */
  {
    name: "0181-caps",
    statements: ({ integer, withoutRowid }) => [
      "ALTER TABLE customers ADD COLUMN spend_cap text",
      "ALTER TABLE customers ADD COLUMN credit_limit text",
      "ALTER TABLE invoices ADD COLUMN written_off text NOT NULL DEFAULT '0'",
      `CREATE TABLE spend_periods (
      subscription_seq ${integer} NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
      period_start ${integer} NOT NULL,
      owed text NOT NULL,
      written_off text NOT NULL,
      applied text NOT NULL,
      threshold ${integer} NOT NULL,
      is_over ${integer} NOT NULL,
      cap text,
      PRIMARY KEY (subscription_seq, period_start)
    ) ${withoutRowid}`,
    ],
  },
];
