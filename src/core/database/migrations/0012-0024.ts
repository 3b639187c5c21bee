import type { Migration } from "../../../platform/storage/migrations/migration.ts";
import { reversedSuffix } from "../reversed-suffix.ts";

type Expression = (text: string) => string;
const fromHex = (bytes: string): Expression =>
  bytes === "bytea" ? (text) => `decode(${text}, 'hex')` : (text) => `unhex(${text})`;
const fromText = (bytes: string): Expression =>
  bytes === "bytea" ? (text) => `convert_to(${text}, 'UTF8')` : (text) => `CAST(${text} AS blob)`;

export const migrations0012: Migration[] = [
  /** Webhooks, their messages and deliveries, and the state of scans for events that are due to time. */
  {
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
  },
  /** More fields of keys, lists of keys across consumers, jobs over many of them, and indexes for search by prefix. */
  {
    name: "0013-key-fields",
    statements: ({ seq, sortedText, integer, withoutRowid, sortBytewise }) => [
      // Prefix searches are ranges only if text sorts byte by byte.
      ...sortBytewise("consumers", ["id", "name"]),
      ...sortBytewise("deployments", ["name"]),
      ...sortBytewise("plans", ["id", "external_id"]),
      ...sortBytewise("subscriptions", ["id", "customer_key"]),
      ...sortBytewise("api_keys", ["suffix"]),
      `ALTER TABLE api_keys ADD COLUMN is_enabled ${integer} NOT NULL DEFAULT 1`,
      "ALTER TABLE api_keys ADD COLUMN permissions text",
      "ALTER TABLE api_keys ADD COLUMN allowed_ips text",
      "ALTER TABLE api_keys ADD COLUMN rate_limit text",
      "ALTER TABLE api_keys ADD COLUMN metadata text",
      `ALTER TABLE api_keys ADD COLUMN last_used_on ${integer}`,
      `CREATE TABLE key_permissions (
      bucket_seq ${integer} NOT NULL,
      permission ${sortedText} NOT NULL,
      key_seq ${integer} NOT NULL REFERENCES api_keys ON DELETE CASCADE,
      PRIMARY KEY (bucket_seq, permission, key_seq)
    ) ${withoutRowid}`,
      "CREATE INDEX key_permissions_of_key ON key_permissions (key_seq)",
      "CREATE INDEX api_keys_in_order ON api_keys (bucket_seq, seq)",
      "CREATE INDEX api_keys_by_id ON api_keys (bucket_seq, id)",
      `CREATE INDEX api_keys_by_suffix ON api_keys (bucket_seq, (${reversedSuffix}))`,
      "CREATE INDEX api_keys_by_creation ON api_keys (bucket_seq, created_on)",
      "CREATE INDEX api_keys_by_last_use ON api_keys (bucket_seq, last_used_on, created_on)",
      "CREATE INDEX api_keys_by_expiry ON api_keys (bucket_seq, expires_on) WHERE expires_on IS NOT NULL",
      "CREATE INDEX api_keys_disabled ON api_keys (bucket_seq, seq) WHERE is_enabled = 0",
      "CREATE INDEX consumers_by_id ON consumers (bucket_seq, id)",
      "CREATE INDEX deployments_by_name ON deployments (account_seq, name)",
      // The counted list of a bucket's keys, see counted-lists.ts.
      `INSERT INTO list_blocks (scope, list, block, shard, size)
      SELECT key_buckets.id, 'keys', api_keys.seq / 4096, 0, COUNT(*)
      FROM api_keys JOIN key_buckets ON key_buckets.seq = api_keys.bucket_seq
      GROUP BY key_buckets.id, api_keys.seq / 4096`,
      // No foreign key to the bucket: a job whose bucket was deleted has nothing left to do.
      `CREATE TABLE jobs (
      seq ${seq},
      id ${sortedText} NOT NULL,
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      actor text NOT NULL,
      kind text NOT NULL,
      input text NOT NULL,
      state text NOT NULL,
      position ${integer} NOT NULL,
      done ${integer} NOT NULL,
      failed ${integer} NOT NULL,
      total ${integer} NOT NULL,
      worker text,
      worker_until ${integer},
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT jobs_account_seq_id_key UNIQUE (account_seq, id)
    )`,
      "CREATE INDEX jobs_by_state ON jobs (state, seq)",
    ],
  },
  /** Variables of gateway projects. A plain variable has a value, a secret has an encrypted value. */
  {
    name: "0014-variables",
    statements: ({ seq, integer, bytes }) => [
      `CREATE TABLE project_variables (
      seq ${seq},
      id text NOT NULL,
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      project text NOT NULL,
      name text NOT NULL,
      environments text NOT NULL,
      value text,
      sealed ${bytes},
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT project_variables_account_seq_project_name_key UNIQUE (account_seq, project, name)
    )`,
    ],
  },
  /**
   * Browser sessions. A session is deleted with its token. The operator has no token row, so that session ends when it
   * expires.
   */
  {
    name: "0020-sessions",
    statements: ({ seq, bytes, integer }) => [
      `CREATE TABLE sessions (
      seq ${seq},
      id text NOT NULL,
      hash ${bytes} NOT NULL,
      account_seq ${integer} REFERENCES accounts ON DELETE CASCADE,
      token_seq ${integer} REFERENCES tokens ON DELETE CASCADE,
      token_id text NOT NULL,
      token_hash ${bytes} NOT NULL,
      created_on ${integer} NOT NULL,
      last_used_on ${integer} NOT NULL,
      expires_on ${integer} NOT NULL,
      CONSTRAINT sessions_hash_key UNIQUE (hash)
    )`,
      "CREATE INDEX sessions_of_token ON sessions (token_id, seq)",
      "CREATE INDEX sessions_token ON sessions (token_seq)",
      "CREATE INDEX sessions_account ON sessions (account_seq)",
      "CREATE INDEX sessions_by_end ON sessions (expires_on)",
    ],
  },
  /** Custom domains of deployments. Any number of accounts may claim a host; at most one owns it. */
  {
    name: "0021-domains",
    statements: ({ seq, integer }) => [
      `CREATE TABLE domains (
      seq ${seq},
      id text NOT NULL,
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      host text NOT NULL,
      deployment_name text NOT NULL,
      status text NOT NULL,
      expires_on ${integer},
      failing_since ${integer},
      is_proof_seen ${integer} NOT NULL,
      is_route_seen ${integer} NOT NULL,
      finding text,
      checked_on ${integer},
      next_check_on ${integer} NOT NULL,
      checks ${integer} NOT NULL,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT domains_host_key UNIQUE (account_seq, host)
    )`,
      "CREATE UNIQUE INDEX domains_owner ON domains (host) WHERE status <> 'pending'",
      "CREATE INDEX domains_by_id ON domains (account_seq, id)",
      "CREATE INDEX domains_by_check ON domains (next_check_on)",
    ],
  },
  /** Certificates that are ordered from an authority, the accounts there, and the open challenges. */
  {
    name: "0022-certificates",
    statements: ({ bytes, integer }) => [
      `CREATE TABLE certificates (
      host text PRIMARY KEY,
      chain text,
      private_key ${bytes},
      issued_on ${integer},
      due_on ${integer} NOT NULL,
      failures ${integer} NOT NULL,
      error text,
      lease text,
      lease_ends_on ${integer}
    )`,
      "CREATE INDEX certificates_by_due ON certificates (due_on)",
      `CREATE TABLE acme_accounts (
      directory text PRIMARY KEY,
      private_key ${bytes} NOT NULL,
      created_on ${integer} NOT NULL
    )`,
      `CREATE TABLE acme_challenges (
      token text PRIMARY KEY,
      key_authorization text NOT NULL,
      created_on ${integer} NOT NULL
    )`,
    ],
  },
  /**
   * The counted list of a metering bucket's subscriptions, see counted-lists.ts: deleting a bucket reports their number.
   */
  {
    name: "0023-subscription-counts",
    statements: () => [
      `INSERT INTO list_blocks (scope, list, block, shard, size)
      SELECT metering_buckets.id, 'subscriptions', subscriptions.seq / 4096, 0, COUNT(*)
      FROM subscriptions JOIN metering_buckets ON metering_buckets.seq = subscriptions.bucket_seq
      GROUP BY metering_buckets.id, subscriptions.seq / 4096`,
    ],
  },
  /** The sealed part of the audit log in segments of many entries. Before, each entry was a row with four indexes. */
  {
    name: "0024-audit-segments",
    statements: ({ bytes, integer, sortedText, withoutRowid }) => [
      "ALTER TABLE changes ADD COLUMN state text",
      "ALTER TABLE changes ADD COLUMN topics text",
      // No reference to the account: its log is kept after its deletion until it expires.
      `CREATE TABLE audit_segments (
      account_seq ${integer} NOT NULL,
      number ${integer} NOT NULL,
      count ${integer} NOT NULL,
      lowest_id ${sortedText} NOT NULL,
      highest_id ${sortedText} NOT NULL,
      earliest ${integer} NOT NULL,
      latest ${integer} NOT NULL,
      hashes ${bytes} NOT NULL,
      entries ${bytes} NOT NULL,
      PRIMARY KEY (account_seq, number)
    )`,
      "CREATE UNIQUE INDEX audit_segments_by_id ON audit_segments (account_seq, highest_id)",
      `CREATE TABLE audit_topics (
      account_seq ${integer} NOT NULL,
      topic ${sortedText} NOT NULL,
      number ${integer} NOT NULL,
      PRIMARY KEY (account_seq, topic, number)
    ) ${withoutRowid}`,
      `INSERT INTO audit_segments (account_seq, number, count, lowest_id, highest_id, earliest, latest, hashes, entries)
      SELECT account_seq, number, 1, id, id, time, time, ${fromHex(bytes)(`coalesce(
        (SELECT earlier.hash FROM audit_entries AS earlier
          WHERE earlier.account_seq = audit_entries.account_seq AND earlier.number = audit_entries.number - 1),
        (SELECT anchor_hash FROM audit_chains WHERE audit_chains.account_seq = audit_entries.account_seq)
      ) || hash`)}, ${fromText(bytes)("entry")} FROM audit_entries`,
      `INSERT INTO audit_topics (account_seq, topic, number)
      SELECT account_seq, resource, number FROM audit_entries
      UNION SELECT account_seq, parent, number FROM audit_entries WHERE parent IS NOT NULL`,
      "DROP TABLE audit_entries",
    ],
  },
];
