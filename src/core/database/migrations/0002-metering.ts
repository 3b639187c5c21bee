import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Metering buckets, plans, subscriptions, usage events and their sums. */
export const metering: Migration = {
  name: "0002-metering",
  statements: ({ seq, reusableSeq, integer, withoutRowid }) => [
    `CREATE TABLE metering_buckets (
      seq ${seq},
      id text NOT NULL,
      account_seq ${integer} NOT NULL REFERENCES accounts,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT metering_buckets_account_seq_id_key UNIQUE (account_seq, id)
    )`,
    `CREATE TABLE plans (
      seq ${seq},
      id text NOT NULL,
      bucket_seq ${integer} NOT NULL REFERENCES metering_buckets,
      external_id text NOT NULL,
      label text NOT NULL,
      meters text NOT NULL,
      trial_days ${integer},
      trial_end_status text,
      is_trial_collect_payment ${integer},
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT plans_bucket_seq_id_key UNIQUE (bucket_seq, id),
      CONSTRAINT plans_bucket_seq_external_id_key UNIQUE (bucket_seq, external_id)
    )`,
    `CREATE TABLE subscriptions (
      seq ${seq},
      id text NOT NULL,
      bucket_seq ${integer} NOT NULL REFERENCES metering_buckets,
      status text NOT NULL,
      renewal_strategy text NOT NULL,
      region text NOT NULL,
      customer_key text NOT NULL,
      external_id text NOT NULL,
      customer_external_id text NOT NULL,
      quota_reset_anchor ${integer} NOT NULL,
      metadata text,
      trial_end_status text,
      trial_start_date ${integer},
      trial_end_date ${integer},
      next_billing_cycle ${integer},
      product_key text,
      allowance_period ${integer},
      allowance text,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT subscriptions_bucket_seq_id_key UNIQUE (bucket_seq, id)
    )`,
    "CREATE INDEX subscriptions_in_order ON subscriptions (bucket_seq, seq)",
    "CREATE INDEX subscriptions_by_customer ON subscriptions (bucket_seq, customer_key, seq)",
    "CREATE INDEX subscriptions_by_external_id ON subscriptions (bucket_seq, external_id, seq)",
    // No cascade from plan to subscription, so that a race cannot delete a plan that has subscriptions.
    `CREATE TABLE subscription_plans (
      subscription_seq ${integer} NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
      position ${integer} NOT NULL,
      plan_seq ${integer} NOT NULL REFERENCES plans,
      PRIMARY KEY (subscription_seq, position)
    ) ${withoutRowid}`,
    "CREATE INDEX subscription_plans_by_plan ON subscription_plans (plan_seq)",
    // Amounts are two integers, see lib/amount.ts. The sums of all events, of removed events and of consumed quotas are
    // stored separately, so that the first two can be compared with the events at any time.
    `CREATE TABLE usage_counters (
      subscription_seq ${integer} NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
      period_start ${integer} NOT NULL,
      meter text NOT NULL,
      events ${integer} NOT NULL,
      whole ${integer} NOT NULL,
      billionths ${integer} NOT NULL,
      removed_events ${integer} NOT NULL,
      removed_whole ${integer} NOT NULL,
      removed_billionths ${integer} NOT NULL,
      consumed_whole ${integer} NOT NULL,
      consumed_billionths ${integer} NOT NULL,
      PRIMARY KEY (subscription_seq, period_start, meter)
    ) ${withoutRowid}`,
    // One row for each meter of an event. The first row (part 0) shows whether the event is a duplicate. There are no
    // foreign keys, because PostgreSQL checks one per row, and the counter that every event raises has one already.
    `CREATE TABLE usage_events (
      seq ${reusableSeq},
      bucket_seq ${integer} NOT NULL,
      source text NOT NULL,
      event_id text NOT NULL,
      part ${integer} NOT NULL,
      subscription_seq ${integer} NOT NULL,
      time ${integer} NOT NULL,
      period_start ${integer} NOT NULL,
      received_on ${integer} NOT NULL,
      meter text NOT NULL,
      whole ${integer} NOT NULL,
      billionths ${integer} NOT NULL,
      CONSTRAINT usage_events_bucket_seq_source_event_id_part_key UNIQUE (bucket_seq, source, event_id, part)
    )`,
    "CREATE INDEX usage_events_by_period ON usage_events (subscription_seq, period_start)",
  ],
};
