import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Credits of customers: grants, their ledger, and what they pay of the usage of subscriptions. They replace balances. */
export const grants: Migration = {
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
};
