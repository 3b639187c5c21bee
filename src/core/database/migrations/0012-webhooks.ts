import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Webhooks, their messages and deliveries, and the state of scans for events that are due to time. */
export const webhooks: Migration = {
  name: "0012-webhooks",
  statements: ({ seq, sortedText, integer, bytes, withoutRowid }) => [
    `CREATE TABLE webhooks (
      seq ${seq},
      id text NOT NULL,
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      url text NOT NULL,
      events text NOT NULL,
      description text,
      is_enabled ${integer} NOT NULL,
      disabled_reason text,
      secret ${bytes} NOT NULL,
      previous_secret ${bytes},
      previous_until ${integer},
      failing_since ${integer},
      next_due_on ${integer},
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL
    )`,
    "CREATE UNIQUE INDEX webhooks_account ON webhooks (account_seq, id)",
    "CREATE INDEX webhooks_due ON webhooks (next_due_on) WHERE next_due_on IS NOT NULL",
    `CREATE TABLE webhook_messages (
      seq ${seq},
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      id text NOT NULL,
      type text NOT NULL,
      body text NOT NULL,
      created_on ${integer} NOT NULL,
      CONSTRAINT webhook_messages_account_seq_id_key UNIQUE (account_seq, id)
    )`,
    "CREATE INDEX webhook_messages_by_age ON webhook_messages (created_on)",
    "CREATE INDEX webhook_messages_of_account ON webhook_messages (account_seq, created_on)",
    `CREATE TABLE webhook_deliveries (
      seq ${seq},
      id ${sortedText} NOT NULL,
      webhook_seq ${integer} NOT NULL REFERENCES webhooks ON DELETE CASCADE,
      message_seq ${integer} NOT NULL REFERENCES webhook_messages ON DELETE CASCADE,
      message_id text NOT NULL,
      type text NOT NULL,
      status text NOT NULL,
      attempts ${integer} NOT NULL,
      schedule_step ${integer} NOT NULL,
      due_on ${integer},
      lease text,
      created_on ${integer} NOT NULL,
      finished_on ${integer}
    )`,
    "CREATE UNIQUE INDEX webhook_deliveries_in_order ON webhook_deliveries (webhook_seq, id)",
    "CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_seq, due_on) WHERE due_on IS NOT NULL",
    "CREATE INDEX webhook_deliveries_of_message ON webhook_deliveries (message_seq)",
    `CREATE TABLE webhook_attempts (
      delivery_seq ${integer} NOT NULL REFERENCES webhook_deliveries ON DELETE CASCADE,
      number ${integer} NOT NULL,
      started_on ${integer} NOT NULL,
      duration_ms ${integer} NOT NULL,
      status ${integer},
      error text,
      response text,
      PRIMARY KEY (delivery_seq, number)
    ) ${withoutRowid}`,
    // The position of each scan for events that are due to time.
    `CREATE TABLE webhook_timers (
      name text NOT NULL PRIMARY KEY,
      reached_time ${integer} NOT NULL,
      reached_seq ${integer} NOT NULL
    ) ${withoutRowid}`,
    "CREATE INDEX api_keys_expiring ON api_keys (expires_on, seq) WHERE expires_on IS NOT NULL",
    "CREATE INDEX subscriptions_by_trial_end ON subscriptions (trial_end_date, seq) WHERE trial_end_date IS NOT NULL",
    // 0: not computed yet since its creation. -1: it existed before, and past renewals are not announced.
    `ALTER TABLE subscriptions ADD COLUMN renews_on ${integer} NOT NULL DEFAULT 0`,
    "UPDATE subscriptions SET renews_on = -1",
    "CREATE INDEX subscriptions_by_renewal ON subscriptions (renews_on)",
    // A flag in the counter itself: a counter is written several times a second, and a row in another table would
    // double that.
    `ALTER TABLE usage_counters ADD COLUMN is_unchecked ${integer} NOT NULL DEFAULT 0`,
    `ALTER TABLE usage_counters ADD COLUMN announced_percent ${integer} NOT NULL DEFAULT 0`,
    "ALTER TABLE usage_counters ADD COLUMN announced_max text",
    `CREATE INDEX usage_counters_unchecked ON usage_counters (subscription_seq, period_start, meter)
      WHERE is_unchecked = 1`,
  ],
};
