import type { Migration } from "../../../platform/storage/migrations/migration.ts";

const hour = 3_600_000;
const day = 24 * hour;

/** Rounds down, also before 1970; `%` keeps the sign of its left operand in both engines. */
const floored = (time: string, step: number) => `${time} - ((${time} % ${step}) + ${step}) % ${step}`;

/** Usage from before this migration, as one point at the start of its period. */
const usedBefore = (time: string) => `SELECT ${time}, subscription_seq, period_start, meter,
    whole + consumed_whole + (billionths + consumed_billionths) / 1000000000,
    (billionths + consumed_billionths) % 1000000000
  FROM usage_counters`;

export const migrations0004: Migration[] = [
  /** The total of requests that all nodes admitted in a window. */
  {
    name: "0004-rate-limits",
    statements: ({ integer, withoutRowid }) => [
      `CREATE TABLE rate_limits (
      scope text NOT NULL,
      subject text NOT NULL,
      window_start ${integer} NOT NULL,
      ends_on ${integer} NOT NULL,
      used ${integer} NOT NULL,
      PRIMARY KEY (scope, subject, window_start)
    ) ${withoutRowid}`,
      "CREATE INDEX rate_limits_by_end ON rate_limits (ends_on)",
    ],
  },
  /** The size of each deployment's log, so that it can be bounded without adding up its lines. */
  {
    name: "0005-log-sizes",
    statements: ({ integer, withoutRowid }) => [
      // Existing lines are not counted: they are deleted within a week.
      `ALTER TABLE deployment_logs ADD COLUMN bytes ${integer} NOT NULL DEFAULT 0`,
      // No foreign key, like the lines: rows of deleted deployments are found and removed by it.
      `CREATE TABLE deployment_log_sizes (
      deployment_seq ${integer} NOT NULL PRIMARY KEY,
      bytes ${integer} NOT NULL
    ) ${withoutRowid}`,
    ],
  },
  /** Projects whose production branch is not `main`. */
  {
    name: "0006-production-branch",
    statements: ({ integer }) => [
      `CREATE TABLE production_branches (
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      project text NOT NULL,
      branch text NOT NULL,
      PRIMARY KEY (account_seq, project)
    )`,
    ],
  },
  /** Names of metering buckets, former limits of plans and subscriptions, and the written batches of counters. */
  {
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
  },
  /**
   * Buckets with a supplied key in the generated format that has another checksum. There, a wrong checksum does not prove
   * that a key is invalid.
   */
  {
    name: "0008-lookalike-keys",
    statements: ({ integer }) => [
      `ALTER TABLE key_buckets ADD COLUMN has_lookalike_keys ${integer} NOT NULL DEFAULT 0`,
    ],
  },
  /** Requests by minute, hour and day, and usage of subscriptions by hour and day. */
  {
    name: "0009-analytics",
    statements: ({ integer, bytes, sortedText, withoutRowid }) => [
      // The time is the first column: old rows are a range at the front, and new ones are written next to each other.
      `CREATE TABLE traffic (
      step ${integer} NOT NULL,
      time ${integer} NOT NULL,
      detail ${integer} NOT NULL,
      account_seq ${integer} NOT NULL,
      deployment_seq ${integer} NOT NULL,
      version ${integer} NOT NULL,
      route ${sortedText} NOT NULL,
      status ${integer} NOT NULL,
      consumer ${sortedText} NOT NULL,
      requests ${integer} NOT NULL,
      rejected ${integer} NOT NULL,
      errors ${integer} NOT NULL,
      bytes_in ${integer} NOT NULL,
      bytes_out ${integer} NOT NULL,
      latency ${bytes} NOT NULL,
      PRIMARY KEY (step, time, detail, account_seq, deployment_seq, version, route, status, consumer)
    ) ${withoutRowid}`,
      "CREATE INDEX traffic_by_consumer ON traffic (account_seq, consumer, step, time) WHERE consumer <> ''",
      `CREATE TABLE traffic_deployments (
      deployment_seq ${integer} NOT NULL PRIMARY KEY,
      account_seq ${integer} NOT NULL
    ) ${withoutRowid}`,
      // The time is the first column here too. So there is no foreign key, which would need an index by subscription.
      `CREATE TABLE usage_hours (
      time ${integer} NOT NULL,
      subscription_seq ${integer} NOT NULL,
      period_start ${integer} NOT NULL,
      meter text NOT NULL,
      whole ${integer} NOT NULL,
      billionths ${integer} NOT NULL,
      PRIMARY KEY (time, subscription_seq, period_start, meter)
    ) ${withoutRowid}`,
      `CREATE TABLE usage_days (
      time ${integer} NOT NULL,
      subscription_seq ${integer} NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
      period_start ${integer} NOT NULL,
      meter text NOT NULL,
      whole ${integer} NOT NULL,
      billionths ${integer} NOT NULL,
      PRIMARY KEY (subscription_seq, period_start, time, meter)
    ) ${withoutRowid}`,
      `INSERT INTO usage_hours (time, subscription_seq, period_start, meter, whole, billionths)
      ${usedBefore(floored("period_start", hour))}`,
      `INSERT INTO usage_days (time, subscription_seq, period_start, meter, whole, billionths)
      ${usedBefore(floored("period_start", day))}`,
    ],
  },
  /** Requests to deployments with their outcome: the access log. */
  {
    name: "0010-requests",
    statements: ({ seq, sortedText, integer, withoutRowid }) => [
      // No foreign keys: requests are written asynchronously, and their deployment may have been deleted.
      `CREATE TABLE requests (
      seq ${seq},
      id ${sortedText} NOT NULL,
      account_seq ${integer} NOT NULL,
      deployment_seq ${integer} NOT NULL,
      version_seq ${integer} NOT NULL,
      is_failure ${integer} NOT NULL,
      time ${integer} NOT NULL,
      status ${integer} NOT NULL,
      method text NOT NULL,
      path text NOT NULL,
      route text,
      consumer text,
      request_id text NOT NULL,
      entry text NOT NULL,
      bytes ${integer} NOT NULL
    )`,
      // Each index costs a fifth of an insert, so there is none on the id alone. Lookups include the account.
      "CREATE UNIQUE INDEX requests_of_account ON requests (account_seq, id)",
      "CREATE INDEX requests_of_deployment ON requests (deployment_seq, id)",
      "CREATE INDEX requests_by_outcome ON requests (deployment_seq, is_failure, id)",
      "CREATE INDEX requests_by_request_id ON requests (account_seq, request_id)",
      // Failures and successes have separate bounds, so that a flood of one does not evict the other.
      `CREATE TABLE request_sizes (
      deployment_seq ${integer} NOT NULL,
      is_failure ${integer} NOT NULL,
      bytes ${integer} NOT NULL,
      PRIMARY KEY (deployment_seq, is_failure)
    ) ${withoutRowid}`,
      `CREATE TABLE omitted_requests (
      deployment_seq ${integer} NOT NULL,
      minute ${integer} NOT NULL,
      account_seq ${integer} NOT NULL,
      successes ${integer} NOT NULL,
      failures ${integer} NOT NULL,
      PRIMARY KEY (deployment_seq, minute)
    ) ${withoutRowid}`,
      "CREATE INDEX omitted_requests_of_account ON omitted_requests (account_seq, minute)",
    ],
  },
  /** The details of changes and the positions of durable readers; the audit log with its chains and signing keys. */
  {
    name: "0011-audit",
    statements: ({ bytes, integer, sortedText, withoutRowid }) => [
      "ALTER TABLE changes ADD COLUMN details text",
      `CREATE TABLE feed_cursors (
      reader text PRIMARY KEY,
      position ${integer} NOT NULL,
      snapshot text,
      target text
    )`,
      // No reference to the account: its log is kept after its deletion until it expires.
      `CREATE TABLE audit_entries (
      account_seq ${integer} NOT NULL,
      id ${sortedText} NOT NULL,
      number ${integer} NOT NULL,
      time ${integer} NOT NULL,
      action text NOT NULL,
      actor text NOT NULL,
      resource_type text NOT NULL,
      resource text NOT NULL,
      parent text,
      entry text NOT NULL,
      hash text NOT NULL,
      PRIMARY KEY (account_seq, id)
    ) ${withoutRowid}`,
      "CREATE UNIQUE INDEX audit_entries_in_order ON audit_entries (account_seq, number)",
      "CREATE INDEX audit_entries_by_resource ON audit_entries (account_seq, resource, id)",
      "CREATE INDEX audit_entries_by_parent ON audit_entries (account_seq, parent, id) WHERE parent IS NOT NULL",
      `CREATE TABLE audit_chains (
      account_seq ${integer} PRIMARY KEY,
      account text NOT NULL,
      count ${integer} NOT NULL,
      hash text NOT NULL,
      sealed_on ${integer} NOT NULL,
      anchor ${integer} NOT NULL,
      anchor_hash text NOT NULL,
      oldest_on ${integer},
      signed_count ${integer} NOT NULL,
      head text
    )`,
      `CREATE TABLE audit_keys (
      id text PRIMARY KEY,
      public_key text NOT NULL,
      private_key ${bytes} NOT NULL,
      created_on ${integer} NOT NULL
    )`,
    ],
  },
];
