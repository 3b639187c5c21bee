import type { Migration } from "../../../platform/storage/migrations/migration.ts";

export const migrations0001: Migration[] = [
  /** Accounts, tokens, key buckets, consumers, managers and keys; the change feed and idempotency. */
  {
    name: "0001-foundation",
    statements: ({ seq, reusableSeq, sortedText, bytes, integer, withoutRowid, changesExtra }) => [
      `CREATE TABLE accounts (
      seq ${seq},
      id text NOT NULL,
      name text NOT NULL,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT accounts_name_key UNIQUE (name)
    )`,
      `CREATE TABLE tokens (
      seq ${seq},
      id text NOT NULL,
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      role text NOT NULL,
      name text,
      hash ${bytes} NOT NULL,
      expires_on ${integer},
      last_used_on ${integer},
      created_on ${integer} NOT NULL,
      CONSTRAINT tokens_hash_key UNIQUE (hash)
    )`,
      "CREATE UNIQUE INDEX tokens_account ON tokens (account_seq, id)",
      `CREATE TABLE key_buckets (
      seq ${seq},
      id text NOT NULL,
      account_seq ${integer} NOT NULL REFERENCES accounts,
      name text NOT NULL,
      description text,
      tags text,
      is_retrievable ${integer} NOT NULL,
      key_prefix text NOT NULL,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT key_buckets_account_seq_name_key UNIQUE (account_seq, name)
    )`,
      // No cascade from bucket to consumer, so that a race cannot delete a bucket that contains consumers.
      `CREATE TABLE consumers (
      seq ${seq},
      id text NOT NULL,
      bucket_seq ${integer} NOT NULL REFERENCES key_buckets,
      name text NOT NULL,
      description text,
      tags text,
      metadata text,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT consumers_bucket_seq_name_key UNIQUE (bucket_seq, name)
    )`,
      "CREATE INDEX consumers_in_order ON consumers (bucket_seq, seq)",
      `CREATE TABLE consumer_tags (
      bucket_seq ${integer} NOT NULL,
      name text NOT NULL,
      value text NOT NULL,
      consumer_seq ${integer} NOT NULL,
      PRIMARY KEY (bucket_seq, name, value, consumer_seq)
    ) ${withoutRowid}`,
      `CREATE TABLE managers (
      seq ${reusableSeq},
      id text NOT NULL,
      bucket_seq ${integer} NOT NULL,
      consumer_seq ${integer} NOT NULL REFERENCES consumers ON DELETE CASCADE,
      sub text NOT NULL,
      email text,
      email_key text,
      created_on ${integer} NOT NULL,
      CONSTRAINT managers_consumer_seq_sub_key UNIQUE (consumer_seq, sub)
    )`,
      "CREATE INDEX managers_by_email ON managers (bucket_seq, email_key, consumer_seq)",
      `CREATE TABLE manager_invites (
      seq ${reusableSeq},
      id text NOT NULL,
      bucket_seq ${integer} NOT NULL,
      consumer_seq ${integer} NOT NULL REFERENCES consumers ON DELETE CASCADE,
      email text NOT NULL,
      email_key text NOT NULL,
      created_on ${integer} NOT NULL,
      expires_on ${integer} NOT NULL,
      CONSTRAINT manager_invites_consumer_seq_email_key_key UNIQUE (consumer_seq, email_key)
    )`,
      "CREATE INDEX manager_invites_by_email ON manager_invites (bucket_seq, email_key, consumer_seq)",
      `CREATE TABLE api_keys (
      seq ${reusableSeq},
      id ${sortedText} NOT NULL,
      bucket_seq ${integer} NOT NULL,
      consumer_seq ${integer} NOT NULL REFERENCES consumers ON DELETE CASCADE,
      hash ${bytes} NOT NULL,
      suffix text NOT NULL,
      sealed ${bytes},
      description text,
      expires_on ${integer},
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT api_keys_bucket_seq_hash_key UNIQUE (bucket_seq, hash),
      CONSTRAINT api_keys_consumer_seq_id_key UNIQUE (consumer_seq, id)
    )`,
      `CREATE TABLE list_blocks (
      scope text NOT NULL,
      list text NOT NULL,
      block ${integer} NOT NULL,
      shard ${integer} NOT NULL,
      size ${integer} NOT NULL,
      PRIMARY KEY (scope, list, block, shard)
    ) ${withoutRowid}`,
      `CREATE TABLE idempotency_keys (
      credential text NOT NULL,
      key text NOT NULL,
      fingerprint ${bytes} NOT NULL,
      answer ${bytes} NOT NULL,
      created_on ${integer} NOT NULL,
      PRIMARY KEY (credential, key)
    ) ${withoutRowid}`,
      "CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_on)",
      `CREATE TABLE encryption_keys (
      name text PRIMARY KEY,
      created_on ${integer} NOT NULL
    )`,
      `CREATE TABLE changes (
      seq ${reusableSeq},
      at ${integer} NOT NULL,
      origin text NOT NULL,
      account_seq ${integer},
      actor text NOT NULL,
      kind text NOT NULL,
      subject text NOT NULL,
      data text
      ${changesExtra.column}
    )`,
      ...changesExtra.statements,
    ],
  },
  /** Metering buckets, plans, subscriptions, usage events and their sums. */
  {
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
  },
  /** Deployments with their uploads, builds, versions and logs. */
  {
    name: "0003-deployments",
    statements: ({ seq, reusableSeq, integer, bytes }) => [
      // The name is also a host name, so it is unique over all accounts.
      `CREATE TABLE deployments (
      seq ${seq},
      account_seq ${integer} NOT NULL REFERENCES accounts,
      name text NOT NULL,
      project text NOT NULL,
      branch text NOT NULL,
      code text NOT NULL,
      message text NOT NULL,
      active_version_seq ${integer},
      source_seq ${integer},
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT deployments_name_key UNIQUE (name),
      CONSTRAINT deployments_account_seq_project_branch_key UNIQUE (account_seq, project, branch)
    )`,
      `CREATE TABLE deployment_builds (
      seq ${seq},
      id text NOT NULL,
      deployment_seq ${integer} NOT NULL REFERENCES deployments ON DELETE CASCADE,
      state text NOT NULL,
      upload_hash ${bytes},
      upload_until ${integer} NOT NULL,
      source_seq ${integer},
      steps text NOT NULL,
      result text,
      worker text,
      worker_until ${integer},
      attempts ${integer} NOT NULL,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT deployment_builds_id_key UNIQUE (id)
    )`,
      "CREATE INDEX deployment_builds_by_state ON deployment_builds (state, seq)",
      "CREATE INDEX deployment_builds_of_deployment ON deployment_builds (deployment_seq, state)",
      `CREATE TABLE deployment_sources (
      seq ${seq},
      deployment_seq ${integer} NOT NULL REFERENCES deployments ON DELETE CASCADE,
      created_on ${integer} NOT NULL
    )`,
      "CREATE INDEX deployment_sources_of_deployment ON deployment_sources (deployment_seq)",
      // In chunks, so that no process has to hold an archive in memory.
      `CREATE TABLE deployment_source_chunks (
      source_seq ${integer} NOT NULL REFERENCES deployment_sources ON DELETE CASCADE,
      position ${integer} NOT NULL,
      data ${bytes} NOT NULL,
      PRIMARY KEY (source_seq, position)
    )`,
      `CREATE TABLE deployment_artifacts (
      deployment_seq ${integer} NOT NULL REFERENCES deployments ON DELETE CASCADE,
      hash text NOT NULL,
      data text NOT NULL,
      PRIMARY KEY (deployment_seq, hash)
    )`,
      `CREATE TABLE deployment_versions (
      seq ${seq},
      id text NOT NULL,
      deployment_seq ${integer} NOT NULL REFERENCES deployments ON DELETE CASCADE,
      number ${integer} NOT NULL,
      build_id text NOT NULL,
      artifact_hash text NOT NULL,
      artifact_bytes ${integer} NOT NULL,
      routes ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      CONSTRAINT deployment_versions_deployment_seq_number_key UNIQUE (deployment_seq, number)
    )`,
      // No foreign key: lines are written asynchronously, and their deployment may have been deleted.
      `CREATE TABLE deployment_logs (
      seq ${reusableSeq},
      id text NOT NULL,
      deployment_seq ${integer} NOT NULL,
      time ${integer} NOT NULL,
      kind text NOT NULL,
      entry text NOT NULL
    )`,
      "CREATE INDEX deployment_logs_of_deployment ON deployment_logs (deployment_seq, seq)",
      "CREATE INDEX deployment_logs_by_time ON deployment_logs (time)",
    ],
  },
];
