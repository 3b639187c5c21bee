import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** What plans carry over of unused units, and the grants that it becomes. */
export const rollover: Migration = {
  name: "0500-rollover",
  statements: ({ seq, integer }) => [
    "ALTER TABLE plans ADD COLUMN rollover text",
    "ALTER TABLE plan_history ADD COLUMN rollover text",
    `CREATE TABLE rollovers (
      seq ${seq},
      bucket_seq ${integer} NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
      customer_key text NOT NULL,
      subscription_id text NOT NULL,
      period_start ${integer} NOT NULL,
      period_end ${integer} NOT NULL,
      plan_id text NOT NULL,
      label text NOT NULL,
      meter text NOT NULL,
      maximum text NOT NULL,
      allowance text NOT NULL,
      invoice_id text,
      line ${integer},
      expires_on ${integer} NOT NULL,
      grant_id text,
      granted text,
      ended_on ${integer},
      CONSTRAINT rollovers_of_period_key UNIQUE (bucket_seq, subscription_id, period_start, plan_id, meter)
    )`,
    "CREATE INDEX rollovers_of_customer ON rollovers (bucket_seq, customer_key, expires_on)",
    "CREATE INDEX rollovers_in_progress ON rollovers (bucket_seq, subscription_id) WHERE ended_on IS NULL",
    `ALTER TABLE grants ADD COLUMN rollover_seq ${integer}`,
    "CREATE INDEX grants_of_rollover ON grants (rollover_seq) WHERE rollover_seq IS NOT NULL",
  ],
};
