import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Names of metering buckets, former limits of plans and subscriptions, and the written batches of counters. */
export const meteringHistory: Migration = {
  name: "0007-metering-history",
  statements: ({ integer, withoutRowid }) => [
    "ALTER TABLE metering_buckets ADD COLUMN name text",
    "CREATE UNIQUE INDEX metering_buckets_account_seq_name_key ON metering_buckets (account_seq, name)",
    // No foreign key to the plan: its former limits apply to past periods after it was deleted.
    `CREATE TABLE plan_history (
      plan_seq ${integer} NOT NULL,
      valid_until ${integer} NOT NULL,
      bucket_seq ${integer} NOT NULL REFERENCES metering_buckets,
      meters text NOT NULL,
      PRIMARY KEY (plan_seq, valid_until)
    ) ${withoutRowid}`,
    "CREATE INDEX plan_history_by_bucket ON plan_history (bucket_seq)",
    `CREATE TABLE subscription_history (
      subscription_seq ${integer} NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
      valid_until ${integer} NOT NULL,
      plan_seqs text NOT NULL,
      allowance_period ${integer},
      allowance text,
      PRIMARY KEY (subscription_seq, valid_until)
    ) ${withoutRowid}`,
    // The last batch of each writer is sufficient: a writer has at most one batch of unknown outcome.
    `CREATE TABLE written_batches (
      writer text NOT NULL PRIMARY KEY,
      number ${integer} NOT NULL,
      written_on ${integer} NOT NULL
    ) ${withoutRowid}`,
  ],
};
