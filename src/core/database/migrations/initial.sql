-- The tables of 0.1.0, for both engines: `platform/storage/migrations/migration.ts` has the types in capitals.

-- Accounts, tokens, key buckets, consumers, managers and keys; the change feed and idempotency.
--
CREATE TABLE accounts (
  seq SEQ,
  id text NOT NULL,
  name text NOT NULL,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  CONSTRAINT accounts_name_key UNIQUE (name)
);

-- Identity providers whose tokens are exchanged for tokens of this server, such as those of CI services.
CREATE TABLE trusted_issuers (
  seq SEQ,
  id text NOT NULL CONSTRAINT trusted_issuers_id_key UNIQUE,
  account_seq INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  issuer text NOT NULL,
  -- Null for the default, which depends on the public URL.
  audience text,
  subject text NOT NULL,
  -- JSON: patterns by name.
  claims text,
  role text NOT NULL,
  project text,
  -- JSON: a list.
  environments text NOT NULL,
  branch_claim text,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL
);
CREATE INDEX trusted_issuers_of_account ON trusted_issuers (account_seq, seq);
CREATE INDEX trusted_issuers_by_issuer ON trusted_issuers (issuer, audience);

CREATE TABLE tokens (
  seq SEQ,
  id text NOT NULL,
  account_seq INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  role text NOT NULL,
  name text,
  hash BYTES NOT NULL,
  expires_on INTEGER,
  last_used_on INTEGER,
  created_on INTEGER NOT NULL,
  -- The id of the person who created it. Null for a token, the operator and the server.
  created_by text,
  -- Of a token that was exchanged for one of a trusted issuer.
  trusted_issuer_seq INTEGER REFERENCES trusted_issuers ON DELETE CASCADE,
  -- JSON: the trusted issuer, and the project, environments and branch that the token is limited to.
  scope text,
  CONSTRAINT tokens_hash_key UNIQUE (hash)
);
CREATE UNIQUE INDEX tokens_account ON tokens (account_seq, id);
CREATE INDEX tokens_of_trusted_issuer ON tokens (trusted_issuer_seq);

CREATE TABLE key_buckets (
  seq SEQ,
  id text NOT NULL,
  account_seq INTEGER NOT NULL REFERENCES accounts,
  name text NOT NULL,
  description text,
  tags text,
  is_retrievable INTEGER NOT NULL,
  key_prefix text NOT NULL,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  -- 1 once the bucket has a supplied key in the generated format with another checksum.
  has_lookalike_keys INTEGER NOT NULL DEFAULT 0,
  -- What happens to a key that is reported as leaked: `mark` or `disable`.
  on_leak text NOT NULL DEFAULT 'mark',
  -- A JSON array of TokenIssuer, or null.
  token_issuers text,
  CONSTRAINT key_buckets_account_seq_name_key UNIQUE (account_seq, name)
);

-- No cascade from bucket to consumer, so that a race cannot delete a bucket that contains consumers.
CREATE TABLE consumers (
  seq SEQ,
  id SORTED_TEXT NOT NULL,
  bucket_seq INTEGER NOT NULL REFERENCES key_buckets,
  name SORTED_TEXT NOT NULL,
  description text,
  tags text,
  metadata text,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  is_suspended INTEGER NOT NULL DEFAULT 0,
  suspension_reason text,
  display_name text,
  CONSTRAINT consumers_bucket_seq_name_key UNIQUE (bucket_seq, name)
);
CREATE INDEX consumers_in_order ON consumers (bucket_seq, seq);
CREATE INDEX consumers_by_id ON consumers (bucket_seq, id);

-- The tags of consumers by value, for filtering.
CREATE TABLE consumer_tags (
  bucket_seq INTEGER NOT NULL,
  name text NOT NULL,
  value text NOT NULL,
  consumer_seq INTEGER NOT NULL,
  PRIMARY KEY (bucket_seq, name, value, consumer_seq)
) WITHOUT_ROWID;

CREATE TABLE managers (
  seq REUSABLE_SEQ,
  id text NOT NULL,
  bucket_seq INTEGER NOT NULL,
  consumer_seq INTEGER NOT NULL REFERENCES consumers ON DELETE CASCADE,
  sub text NOT NULL,
  email text,
  -- In lower case, for look-ups.
  email_key SORTED_TEXT,
  created_on INTEGER NOT NULL,
  -- Separated by spaces. Null: all scopes.
  scopes text,
  version INTEGER NOT NULL DEFAULT 1,
  -- The identity provider that has confirmed `sub`.
  issuer text,
  CONSTRAINT managers_consumer_seq_sub_key UNIQUE (consumer_seq, sub)
);
CREATE INDEX managers_by_email ON managers (bucket_seq, email_key, consumer_seq);
CREATE INDEX managers_by_sub ON managers (bucket_seq, sub);

CREATE TABLE manager_invites (
  seq REUSABLE_SEQ,
  id text NOT NULL,
  bucket_seq INTEGER NOT NULL,
  consumer_seq INTEGER NOT NULL REFERENCES consumers ON DELETE CASCADE,
  email text NOT NULL,
  email_key text NOT NULL,
  created_on INTEGER NOT NULL,
  expires_on INTEGER NOT NULL,
  -- Of the manager that it becomes.
  scopes text,
  CONSTRAINT manager_invites_consumer_seq_email_key_key UNIQUE (consumer_seq, email_key)
);
CREATE INDEX manager_invites_by_email ON manager_invites (bucket_seq, email_key, consumer_seq);

CREATE TABLE api_keys (
  seq REUSABLE_SEQ,
  id SORTED_TEXT NOT NULL,
  bucket_seq INTEGER NOT NULL,
  consumer_seq INTEGER NOT NULL REFERENCES consumers ON DELETE CASCADE,
  -- SHA-256 of the value.
  hash BYTES NOT NULL,
  -- The last characters, for the masked form.
  suffix SORTED_TEXT NOT NULL,
  -- The encrypted value, in retrievable buckets only.
  sealed BYTES,
  description text,
  expires_on INTEGER,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  is_enabled INTEGER NOT NULL DEFAULT 1,
  -- A JSON array, or null.
  permissions text,
  -- A JSON array. Null if every address is allowed.
  allowed_ips text,
  -- `{requests, windowSeconds}` as JSON.
  rate_limit text,
  metadata text,
  -- A later use may be in `key_uses`.
  last_used_on INTEGER,
  -- `{reportedOn, source, url?}` as JSON, if the value was reported as leaked.
  leak text,
  CONSTRAINT api_keys_bucket_seq_hash_key UNIQUE (bucket_seq, hash),
  CONSTRAINT api_keys_consumer_seq_id_key UNIQUE (consumer_seq, id)
);
CREATE INDEX api_keys_expiring ON api_keys (expires_on, seq) WHERE expires_on IS NOT NULL;
CREATE INDEX api_keys_in_order ON api_keys (bucket_seq, seq);
CREATE INDEX api_keys_by_id ON api_keys (bucket_seq, id);
CREATE INDEX api_keys_by_suffix ON api_keys (bucket_seq, (substr (suffix, 8, 1) || substr (suffix, 7, 1) || substr (suffix, 6, 1) || substr (suffix, 5, 1) || substr (suffix, 4, 1) || substr (suffix, 3, 1) || substr (suffix, 2, 1) || substr (suffix, 1, 1)));
CREATE INDEX api_keys_by_creation ON api_keys (bucket_seq, created_on);
CREATE INDEX api_keys_by_last_use ON api_keys (bucket_seq, last_used_on, created_on);
CREATE INDEX api_keys_by_expiry ON api_keys (bucket_seq, expires_on) WHERE expires_on IS NOT NULL;
CREATE INDEX api_keys_disabled ON api_keys (bucket_seq, seq) WHERE is_enabled = 0;
CREATE INDEX api_keys_of_consumer ON api_keys (consumer_seq, seq);

CREATE TABLE list_blocks (
  scope text NOT NULL,
  list text NOT NULL,
  block INTEGER NOT NULL,
  shard INTEGER NOT NULL,
  size INTEGER NOT NULL,
  PRIMARY KEY (scope, list, block, shard)
) WITHOUT_ROWID;

CREATE TABLE idempotency_keys (
  credential text NOT NULL,
  key text NOT NULL,
  fingerprint BYTES NOT NULL,
  -- Status, headers and body of the first response, encrypted because responses may contain keys.
  answer BYTES NOT NULL,
  created_on INTEGER NOT NULL,
  PRIMARY KEY (credential, key)
) WITHOUT_ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_on);

-- Names of the encryption keys of stored values.
CREATE TABLE encryption_keys (
  name text PRIMARY KEY,
  -- When a server last started with this key as its first.
  created_on INTEGER NOT NULL
);

CREATE TABLE changes (
  seq REUSABLE_SEQ,
  at INTEGER NOT NULL,
  origin text NOT NULL,
  account_seq INTEGER,
  actor text NOT NULL,
  kind text NOT NULL,
  subject text NOT NULL,
  data text,
  details text,
  state text,
  topics text,
  count INTEGER NOT NULL DEFAULT 1,
  pack BYTES
);

-- only PostgreSQL
-- The transaction that wrote a change determines which readers have seen it; `seq` does not.
ALTER TABLE changes ADD COLUMN xid xid8 NOT NULL DEFAULT pg_current_xact_id();
CREATE INDEX changes_by_transaction ON changes (xid, seq);

-- Metering buckets, plans, subscriptions, usage events and their sums.
--
CREATE TABLE metering_buckets (
  seq SEQ,
  id text NOT NULL,
  account_seq INTEGER NOT NULL REFERENCES accounts,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  name text,
  -- The time in a test bucket. Null in others, which have the time of the server.
  test_clock INTEGER,
  -- The name of the key bucket whose consumers are its customers. Null: consumers of any.
  key_bucket text,
  CONSTRAINT metering_buckets_account_seq_id_key UNIQUE (account_seq, id)
);
CREATE UNIQUE INDEX metering_buckets_account_seq_name_key ON metering_buckets (account_seq, name);

CREATE TABLE plans (
  seq SEQ,
  id SORTED_TEXT NOT NULL,
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets,
  external_id SORTED_TEXT NOT NULL,
  label SORTED_TEXT NOT NULL,
  meters text NOT NULL,
  trial_days INTEGER,
  trial_end_status text,
  is_trial_collect_payment INTEGER,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  -- JSON, like `rates`, `rollover` and `features`.
  price text,
  rates text,
  features text,
  description text,
  is_public INTEGER,
  list_position INTEGER,
  rollover text,
  CONSTRAINT plans_bucket_seq_id_key UNIQUE (bucket_seq, id),
  CONSTRAINT plans_bucket_seq_external_id_key UNIQUE (bucket_seq, external_id)
);
-- Plans are searched by prefixes of their labels.
CREATE INDEX plans_by_label ON plans (bucket_seq, label);

-- A deleted subscription whose late usage is awaited has `former_bucket_seq` instead of `bucket_seq`: no query of a bucket finds it.
CREATE TABLE subscriptions (
  seq SEQ,
  id SORTED_TEXT NOT NULL,
  -- Null of a deleted subscription, which no query of a bucket finds.
  bucket_seq INTEGER REFERENCES metering_buckets,
  -- The status as it was set. The current status depends on the time, see metering/status.ts.
  status text NOT NULL,
  renewal_strategy text NOT NULL,
  region text NOT NULL,
  customer_key SORTED_TEXT NOT NULL,
  external_id text NOT NULL,
  customer_external_id text NOT NULL,
  quota_reset_anchor INTEGER NOT NULL,
  metadata text,
  trial_end_status text,
  trial_start_date INTEGER,
  trial_end_date INTEGER,
  next_billing_cycle INTEGER,
  product_key text,
  -- The start of the period in which a prorated change of plans applies, and the maximum of each meter in it.
  allowance_period INTEGER,
  allowance text,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  -- When the next period begins. 0 and -1 if that is not computed yet, see webhooks/renewals.ts.
  renews_on INTEGER NOT NULL DEFAULT 0,
  -- When the next step of billing is due. Null if none is.
  bills_on INTEGER,
  -- From when on the status reads `unpaid`. Null if no payment is overdue.
  blocks_on INTEGER,
  -- JSON: the state of its payments. Null if it was never billed.
  payment text,
  -- JSON: fees that are charged, and changes at the period's end. Null if it was never billed.
  billing text,
  -- 1 if grants or caps of the customer may change its limits.
  has_credits INTEGER NOT NULL DEFAULT 0,
  -- When a purchase that is not paid expires. Null if it is paid, and for other subscriptions.
  expires_on INTEGER,
  -- The bucket that it was deleted from, until its late usage is billed.
  former_bucket_seq INTEGER REFERENCES metering_buckets,
  CONSTRAINT subscriptions_bucket_seq_id_key UNIQUE (bucket_seq, id)
);
CREATE INDEX subscriptions_in_order ON subscriptions (bucket_seq, seq);
CREATE INDEX subscriptions_by_customer ON subscriptions (bucket_seq, customer_key, seq);
CREATE INDEX subscriptions_by_external_id ON subscriptions (bucket_seq, external_id, seq);
CREATE INDEX subscriptions_by_trial_end ON subscriptions (trial_end_date, seq) WHERE trial_end_date IS NOT NULL;
CREATE INDEX subscriptions_by_renewal ON subscriptions (renews_on);
CREATE INDEX subscriptions_by_billing ON subscriptions (bills_on) WHERE bills_on IS NOT NULL;
CREATE INDEX subscriptions_deleted ON subscriptions (former_bucket_seq, customer_key, seq) WHERE former_bucket_seq IS NOT NULL;

-- No cascade from plan to subscription, so that a race cannot delete a plan that has subscriptions.
CREATE TABLE subscription_plans (
  subscription_seq INTEGER NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  position INTEGER NOT NULL,
  plan_seq INTEGER NOT NULL REFERENCES plans,
  PRIMARY KEY (subscription_seq, position)
) WITHOUT_ROWID;
CREATE INDEX subscription_plans_by_plan ON subscription_plans (plan_seq);

-- Amounts are two integers, see lib/amount.ts. The sums of all events, of removed events and of consumed quotas are
-- stored separately, so that the first two can be compared with the events at any time.
CREATE TABLE usage_counters (
  subscription_seq INTEGER NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  period_start INTEGER NOT NULL,
  meter text NOT NULL,
  events INTEGER NOT NULL,
  whole INTEGER NOT NULL,
  billionths INTEGER NOT NULL,
  -- The sum of the events that retention has removed.
  removed_events INTEGER NOT NULL,
  removed_whole INTEGER NOT NULL,
  removed_billionths INTEGER NOT NULL,
  consumed_whole INTEGER NOT NULL,
  consumed_billionths INTEGER NOT NULL,
  -- 1 from a write until its thresholds are checked, see webhooks/thresholds.ts.
  is_unchecked INTEGER NOT NULL DEFAULT 0,
  -- The highest threshold that was announced, and its maximum.
  announced_percent INTEGER NOT NULL DEFAULT 0,
  announced_max text,
  -- Increases with each change of the total, which may decrease.
  version INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (subscription_seq, period_start, meter)
) WITHOUT_ROWID;
CREATE INDEX usage_counters_unchecked ON usage_counters (subscription_seq, period_start, meter) WHERE is_unchecked = 1;

-- One row for each meter of an event. The first row (part 0) shows whether the event is a duplicate. There are no
-- foreign keys, because PostgreSQL checks one per row, and the counter that every event raises has one already.
CREATE TABLE usage_events (
  seq REUSABLE_SEQ,
  bucket_seq INTEGER NOT NULL,
  source text NOT NULL,
  event_id text NOT NULL,
  -- The index of the event's meter, from 0.
  part INTEGER NOT NULL,
  subscription_seq INTEGER NOT NULL,
  time INTEGER NOT NULL,
  period_start INTEGER NOT NULL,
  received_on INTEGER NOT NULL,
  meter text NOT NULL,
  whole INTEGER NOT NULL,
  billionths INTEGER NOT NULL,
  -- When it was taken back. Its amounts are 0 since then.
  voided_on INTEGER,
  CONSTRAINT usage_events_bucket_seq_source_event_id_part_key UNIQUE (bucket_seq, source, event_id, part)
);
CREATE INDEX usage_events_by_period ON usage_events (subscription_seq, period_start);

-- Deployments with their uploads, builds, versions and logs.
--
-- The name is also a host name, so it is unique over all accounts.
CREATE TABLE deployments (
  seq SEQ,
  account_seq INTEGER NOT NULL REFERENCES accounts,
  -- Also the host name of the deployment.
  name SORTED_TEXT NOT NULL,
  project text NOT NULL,
  branch text NOT NULL,
  -- The hexadecimal digits at the end of the name.
  code text NOT NULL,
  message text NOT NULL,
  active_version_seq INTEGER,
  -- The version that `deploy` builds again.
  source_seq INTEGER,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  CONSTRAINT deployments_name_key UNIQUE (name),
  CONSTRAINT deployments_account_seq_project_branch_key UNIQUE (account_seq, project, branch)
);
CREATE INDEX deployments_by_name ON deployments (account_seq, name);

CREATE TABLE deployment_builds (
  seq SEQ,
  -- The status id, and the name of the archive.
  id text NOT NULL,
  deployment_seq INTEGER NOT NULL REFERENCES deployments ON DELETE CASCADE,
  state text NOT NULL,
  -- The hash of the secret in the upload address. Null if the source already existed.
  upload_hash BYTES,
  upload_until INTEGER NOT NULL,
  source_seq INTEGER,
  steps text NOT NULL,
  result text,
  -- The node that runs the build, and when its lease expires.
  worker text,
  worker_until INTEGER,
  attempts INTEGER NOT NULL,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  -- 1 if the version gets no traffic when it is built.
  is_staged INTEGER NOT NULL DEFAULT 0,
  -- 1 if the build must not become production, nor change the production branch.
  is_preview_only INTEGER NOT NULL DEFAULT 0,
  -- The actor that requested the build, as JSON, and its description of the version.
  author text NOT NULL,
  note text,
  -- 1 if the caller's access was limited, or that of the caller who uploaded the source.
  is_limited INTEGER NOT NULL DEFAULT 0,
  CONSTRAINT deployment_builds_id_key UNIQUE (id)
);
CREATE INDEX deployment_builds_by_state ON deployment_builds (state, seq);
CREATE INDEX deployment_builds_of_deployment ON deployment_builds (deployment_seq, state);

CREATE TABLE deployment_sources (
  seq SEQ,
  deployment_seq INTEGER NOT NULL REFERENCES deployments ON DELETE CASCADE,
  created_on INTEGER NOT NULL,
  -- 1 if a caller with limited access uploaded or promoted it.
  is_limited INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX deployment_sources_of_deployment ON deployment_sources (deployment_seq);

-- In chunks, so that no process has to hold an archive in memory.
CREATE TABLE deployment_source_chunks (
  source_seq INTEGER NOT NULL REFERENCES deployment_sources ON DELETE CASCADE,
  position INTEGER NOT NULL,
  data BYTES NOT NULL,
  PRIMARY KEY (source_seq, position)
);

CREATE TABLE deployment_artifacts (
  deployment_seq INTEGER NOT NULL REFERENCES deployments ON DELETE CASCADE,
  -- SHA-256 of the data, in hex.
  hash text NOT NULL,
  data text NOT NULL,
  PRIMARY KEY (deployment_seq, hash)
);

CREATE TABLE deployment_versions (
  seq SEQ,
  id text NOT NULL,
  deployment_seq INTEGER NOT NULL REFERENCES deployments ON DELETE CASCADE,
  -- The number from 1, in the order of builds.
  number INTEGER NOT NULL,
  build_id text NOT NULL,
  artifact_hash text NOT NULL,
  artifact_bytes INTEGER NOT NULL,
  routes INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  -- 1 until it is live for the first time, if it was built without traffic.
  is_staged INTEGER NOT NULL DEFAULT 0,
  source_seq INTEGER,
  author text NOT NULL,
  note text,
  CONSTRAINT deployment_versions_deployment_seq_number_key UNIQUE (deployment_seq, number)
);

-- No foreign key: lines are written asynchronously, and their deployment may have been deleted.
CREATE TABLE deployment_logs (
  seq REUSABLE_SEQ,
  id text NOT NULL,
  deployment_seq INTEGER NOT NULL,
  time INTEGER NOT NULL,
  kind text NOT NULL,
  entry text NOT NULL,
  -- The approximate size of the line in storage.
  bytes INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX deployment_logs_of_deployment ON deployment_logs (deployment_seq, seq);
CREATE INDEX deployment_logs_by_time ON deployment_logs (time);

-- The total of requests that all nodes admitted in a window.
-- The used part of a rate limit in a window. On SQLite only windows of a minute and longer.
CREATE TABLE rate_limits (
  -- Deployment, policy and length of the window, and `sliding` if the limit is.
  scope text NOT NULL,
  -- The identifier that is counted, such as a key.
  subject text NOT NULL,
  window_start INTEGER NOT NULL,
  -- When the row is no longer needed: at the end of the window, for a sliding limit a window later.
  ends_on INTEGER NOT NULL,
  used INTEGER NOT NULL,
  PRIMARY KEY (scope, subject, window_start)
) WITHOUT_ROWID;
CREATE INDEX rate_limits_by_end ON rate_limits (ends_on);

-- The total size of the lines of a deployment.
-- No foreign key, like the lines: rows of deleted deployments are found and removed by it.
CREATE TABLE deployment_log_sizes (
  deployment_seq INTEGER NOT NULL PRIMARY KEY,
  bytes INTEGER NOT NULL
) WITHOUT_ROWID;

-- Projects whose production branch is not `main`.
CREATE TABLE production_branches (
  account_seq INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  project text NOT NULL,
  branch text NOT NULL,
  PRIMARY KEY (account_seq, project)
);

-- Former limits and prices of a plan that was changed or deleted.
-- No foreign key to the plan: its former limits apply to past periods after it was deleted.
CREATE TABLE plan_history (
  plan_seq INTEGER NOT NULL,
  valid_until INTEGER NOT NULL,
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets,
  meters text NOT NULL,
  price text,
  rates text,
  rollover text,
  PRIMARY KEY (plan_seq, valid_until)
) WITHOUT_ROWID;
CREATE INDEX plan_history_by_bucket ON plan_history (bucket_seq);

-- Former plans and prorations of a subscription.
CREATE TABLE subscription_history (
  subscription_seq INTEGER NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  valid_until INTEGER NOT NULL,
  -- The plans in order, as a JSON array.
  plan_seqs text NOT NULL,
  allowance_period INTEGER,
  allowance text,
  PRIMARY KEY (subscription_seq, valid_until)
) WITHOUT_ROWID;

-- The last written batch of each counter writer, see batch-writer.ts.
-- The last batch of each writer is sufficient: a writer has at most one batch of unknown outcome.
CREATE TABLE written_batches (
  writer text NOT NULL PRIMARY KEY,
  number INTEGER NOT NULL,
  written_on INTEGER NOT NULL
) WITHOUT_ROWID;

-- Requests to deployments by minute, hour and day; see analytics/traffic.ts.
-- The time is the first column: old rows are a range at the front, and new ones are written next to each other.
CREATE TABLE traffic (
  -- The length of the interval in milliseconds: a minute, an hour or a day.
  step INTEGER NOT NULL,
  time INTEGER NOT NULL,
  -- 0: by version and status only, 1: by route too, 2: by route and consumer, 3: by key and consumer, 4: by client and
  -- consumer, 5: by tool and consumer, 6: by the consumer's id, 7: by policy in `observe` and consumer.
  detail INTEGER NOT NULL,
  account_seq INTEGER NOT NULL,
  deployment_seq INTEGER NOT NULL,
  -- The version number.
  version INTEGER NOT NULL,
  -- In detail 3 the id of the key, in detail 4 the name of the client, in detail 5 that of the tool, in detail 6 the id
  -- of the consumer, in detail 7 the name of the policy.
  route SORTED_TEXT NOT NULL,
  status INTEGER NOT NULL,
  consumer SORTED_TEXT NOT NULL,
  requests INTEGER NOT NULL,
  rejected INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  -- Requests that a policy in `observe` would have rejected.
  observed INTEGER NOT NULL,
  bytes_in INTEGER NOT NULL,
  bytes_out INTEGER NOT NULL,
  -- A LatencyHistogram.
  latency BYTES NOT NULL,
  PRIMARY KEY (step, time, detail, account_seq, deployment_seq, version, route, status, consumer)
) WITHOUT_ROWID;
CREATE INDEX traffic_by_consumer ON traffic (account_seq, consumer, step, time) WHERE consumer <> '';

-- Deployments that have rows in `traffic`, so that rows of deleted ones can be found.
CREATE TABLE traffic_deployments (
  deployment_seq INTEGER NOT NULL PRIMARY KEY,
  account_seq INTEGER NOT NULL
) WITHOUT_ROWID;

-- Usage in an hour of a period, of events and consumed quotas together; see metering/usage-series.ts.
-- The time is the first column here too. So there is no foreign key, which would need an index by subscription.
CREATE TABLE usage_hours (
  time INTEGER NOT NULL,
  subscription_seq INTEGER NOT NULL,
  period_start INTEGER NOT NULL,
  meter text NOT NULL,
  whole INTEGER NOT NULL,
  billionths INTEGER NOT NULL,
  PRIMARY KEY (time, subscription_seq, period_start, meter)
) WITHOUT_ROWID;

-- Usage by day. The days of a period add up to its counter.
CREATE TABLE usage_days (
  time INTEGER NOT NULL,
  subscription_seq INTEGER NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  period_start INTEGER NOT NULL,
  meter text NOT NULL,
  whole INTEGER NOT NULL,
  billionths INTEGER NOT NULL,
  PRIMARY KEY (subscription_seq, period_start, time, meter)
) WITHOUT_ROWID;

-- only PostgreSQL
-- A flush raises all rows of a page at once. With room for their new versions it writes no index, and 0.4 of the WAL.
ALTER TABLE usage_counters SET (fillfactor = 45);
ALTER TABLE usage_hours SET (fillfactor = 45);
ALTER TABLE usage_days SET (fillfactor = 45);
ALTER TABLE rate_limits SET (fillfactor = 45);

-- Requests to deployments with their outcome: the access log. Successes (status below 400) and failures have separate
-- bounds.
-- No foreign keys: requests are written asynchronously, and their deployment may have been deleted.
CREATE TABLE requests (
  seq SEQ,
  id SORTED_TEXT NOT NULL,
  account_seq INTEGER NOT NULL,
  deployment_seq INTEGER NOT NULL,
  version_seq INTEGER NOT NULL,
  -- 1 or 0.
  is_failure INTEGER NOT NULL,
  time INTEGER NOT NULL,
  status INTEGER NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  route text,
  consumer text,
  request_id text NOT NULL,
  -- Further fields as JSON.
  entry text NOT NULL,
  -- The approximate size of the row in storage.
  bytes INTEGER NOT NULL
);
-- Each index costs a fifth of an insert, so there is none on the id alone. Lookups include the account.
CREATE UNIQUE INDEX requests_of_account ON requests (account_seq, id);
CREATE INDEX requests_of_deployment ON requests (deployment_seq, id);
CREATE INDEX requests_by_outcome ON requests (deployment_seq, is_failure, id);
CREATE INDEX requests_by_request_id ON requests (account_seq, request_id);

-- Failures and successes have separate bounds, so that a flood of one does not evict the other.
CREATE TABLE request_sizes (
  deployment_seq INTEGER NOT NULL,
  is_failure INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (deployment_seq, is_failure)
) WITHOUT_ROWID;

-- The number of requests per minute that exceeded the rate and were not recorded.
CREATE TABLE omitted_requests (
  deployment_seq INTEGER NOT NULL,
  -- The start of the minute in milliseconds.
  minute INTEGER NOT NULL,
  account_seq INTEGER NOT NULL,
  successes INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  PRIMARY KEY (deployment_seq, minute)
) WITHOUT_ROWID;
CREATE INDEX omitted_requests_of_account ON omitted_requests (account_seq, minute);
-- Live request streams read the counts of the last minutes of all deployments at once.
CREATE INDEX omitted_requests_by_minute ON omitted_requests (minute);

CREATE TABLE feed_cursors (
  reader text PRIMARY KEY,
  position INTEGER NOT NULL,
  snapshot text,
  target text
);

-- The chain of an account's entries: its head, and the anchor that remains after trimming.
CREATE TABLE audit_chains (
  account_seq INTEGER PRIMARY KEY,
  account text NOT NULL,
  count INTEGER NOT NULL,
  hash text NOT NULL,
  sealed_on INTEGER NOT NULL,
  -- The number of the last trimmed entry, or 0.
  anchor INTEGER NOT NULL,
  anchor_hash text NOT NULL,
  -- When the oldest remaining segment was sealed.
  oldest_on INTEGER,
  signed_count INTEGER NOT NULL,
  -- The last signed head with its signature.
  head text
);

-- Ed25519 keys that sign heads. The private key is encrypted.
CREATE TABLE audit_keys (
  id text PRIMARY KEY,
  public_key text NOT NULL,
  private_key BYTES NOT NULL,
  created_on INTEGER NOT NULL
);

-- Webhooks, their messages and deliveries, and the state of scans for events that are due to time.
--
CREATE TABLE webhooks (
  seq SEQ,
  id text NOT NULL,
  account_seq INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  url text NOT NULL,
  -- Patterns of event types, as a JSON array.
  events text NOT NULL,
  description text,
  is_enabled INTEGER NOT NULL,
  -- Why the server disabled it. Null if a user did.
  disabled_reason text,
  -- Encrypted.
  secret BYTES NOT NULL,
  -- The former secret, which also signs until it expires.
  previous_secret BYTES,
  previous_until INTEGER,
  -- The time of the first failed attempt since the last success.
  failing_since INTEGER,
  -- No delivery is due before this time. Null if none is pending.
  next_due_on INTEGER,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  name text
);
CREATE UNIQUE INDEX webhooks_account ON webhooks (account_seq, id);
CREATE INDEX webhooks_due ON webhooks (next_due_on) WHERE next_due_on IS NOT NULL;
CREATE UNIQUE INDEX webhooks_account_seq_name_key ON webhooks (account_seq, name);

-- The position of each scan for events that are due to time.
CREATE TABLE webhook_timers (
  name text NOT NULL PRIMARY KEY,
  reached_time INTEGER NOT NULL,
  reached_seq INTEGER NOT NULL
) WITHOUT_ROWID;

-- The permissions of keys, for filtering.
CREATE TABLE key_permissions (
  bucket_seq INTEGER NOT NULL,
  permission SORTED_TEXT NOT NULL,
  key_seq INTEGER NOT NULL REFERENCES api_keys ON DELETE CASCADE,
  PRIMARY KEY (bucket_seq, permission, key_seq)
) WITHOUT_ROWID;
CREATE INDEX key_permissions_of_key ON key_permissions (key_seq);

-- Jobs that are too large for one request.
-- No foreign key to the bucket: a job whose bucket was deleted has nothing left to do.
CREATE TABLE jobs (
  seq SEQ,
  id SORTED_TEXT NOT NULL,
  account_seq INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- The actor that started the job.
  actor text NOT NULL,
  kind text NOT NULL,
  -- The parameters as JSON. Their shape depends on the kind.
  input text NOT NULL,
  state text NOT NULL,
  -- The progress. Its unit depends on the kind.
  position INTEGER NOT NULL,
  done INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  total INTEGER NOT NULL,
  -- The node that runs the job, and when its lease expires.
  worker text,
  worker_until INTEGER,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  CONSTRAINT jobs_account_seq_id_key UNIQUE (account_seq, id)
);
CREATE INDEX jobs_by_state ON jobs (state, seq);

-- Variables of gateway projects. A plain variable has a value, a secret has an encrypted value.
CREATE TABLE project_variables (
  seq SEQ,
  id text NOT NULL,
  account_seq INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  project text NOT NULL,
  name text NOT NULL,
  -- A JSON array of `production`, `preview` and names of branches.
  environments text NOT NULL,
  -- Null for a secret.
  value text,
  -- Null for a plain variable.
  sealed BYTES,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  -- 1 if a caller with limited access set it last.
  is_limited INTEGER NOT NULL DEFAULT 0,
  CONSTRAINT project_variables_account_seq_project_name_key UNIQUE (account_seq, project, name)
);

-- People, their roles in accounts, and their sessions.
--
-- People, in any number of accounts.
CREATE TABLE people (
  seq SEQ,
  id text NOT NULL CONSTRAINT people_id_key UNIQUE,
  -- For display.
  email text NOT NULL,
  -- The address in lower case, for sign-in by mail. Null if the identity provider has not verified it.
  email_key text CONSTRAINT people_email_key_key UNIQUE,
  -- The identity at the identity provider: its issuer and `sub`.
  issuer text,
  subject text,
  signed_in_on INTEGER,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  CONSTRAINT people_issuer_subject_key UNIQUE (issuer, subject)
);

-- Browser sessions. A session is deleted with its token. The operator has no token row, so that session ends when it
-- expires.
CREATE TABLE sessions (
  seq SEQ,
  id text NOT NULL,
  hash BYTES NOT NULL,
  -- The only account of the session. Null for the operator, and for all accounts of a person.
  account_seq INTEGER REFERENCES accounts ON DELETE CASCADE,
  token_seq INTEGER REFERENCES tokens ON DELETE CASCADE,
  -- The id of the token or the person, or `operator`.
  token_id text NOT NULL,
  -- Of a person, the hash of the session, which is no token's.
  token_hash BYTES NOT NULL,
  created_on INTEGER NOT NULL,
  last_used_on INTEGER NOT NULL,
  expires_on INTEGER NOT NULL,
  person_seq INTEGER REFERENCES people ON DELETE CASCADE,
  -- How the person or program signed in: `token`, `invitation`, `mail` or `oidc`.
  method text NOT NULL DEFAULT 'token',
  ip text,
  -- The `seq` of accounts in which it has ended, with a comma before and after each.
  ended_in text,
  CONSTRAINT sessions_hash_key UNIQUE (hash)
);
CREATE INDEX sessions_of_token ON sessions (token_id, seq);
CREATE INDEX sessions_token ON sessions (token_seq);
CREATE INDEX sessions_account ON sessions (account_seq);
CREATE INDEX sessions_by_end ON sessions (expires_on);
CREATE INDEX sessions_person ON sessions (person_seq);

-- Custom domains of deployments. Any number of accounts may claim a host; at most one owns it. A claim that is not
-- `pending` owns its host, and its requests are routed.
CREATE TABLE domains (
  seq SEQ,
  id SORTED_TEXT NOT NULL,
  account_seq INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- In lower case ASCII, without a trailing dot.
  host SORTED_TEXT NOT NULL,
  -- Kept when the deployment is deleted: a new deployment of the same branch has the same name.
  deployment_name text NOT NULL,
  -- `pending`, `active` or `failing`.
  status text NOT NULL,
  -- When a pending claim is removed; null for the others.
  expires_on INTEGER,
  -- Since when the proof is missing from DNS. Null unless `failing`.
  failing_since INTEGER,
  is_proof_seen INTEGER NOT NULL,
  is_route_seen INTEGER NOT NULL,
  -- The error of the last check, see domains/finding.ts.
  finding text,
  checked_on INTEGER,
  -- The expiry of the lease while a node checks the domain.
  next_check_on INTEGER NOT NULL,
  -- The number of checks in the current status, for the backoff.
  checks INTEGER NOT NULL,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  -- JSON, see domains/mounts.ts. If null, the deployment serves all paths. Otherwise `deployment_name` is that of the
  -- mount at `/`, or of the first one: the host that the CNAME record leads to.
  mounts text,
  CONSTRAINT domains_host_key UNIQUE (account_seq, host)
);
CREATE UNIQUE INDEX domains_owner ON domains (host) WHERE status <> 'pending';
CREATE INDEX domains_by_id ON domains (account_seq, id);
CREATE INDEX domains_by_check ON domains (next_check_on);

-- Certificates that are ordered from an authority, the accounts there, and the open challenges.
--
-- Certificates that are ordered from an authority, by the host they are for.
CREATE TABLE certificates (
  host text PRIMARY KEY,
  -- PEM, the leaf first. Null until the first was issued.
  chain text,
  -- PEM, sealed.
  private_key BYTES,
  issued_on INTEGER,
  -- When to order next: for the first time, after a failure, or to renew.
  due_on INTEGER NOT NULL,
  -- The number of consecutive failures.
  failures INTEGER NOT NULL,
  -- The error of the last order. Null after a success.
  error text,
  -- The order in progress.
  lease text,
  lease_ends_on INTEGER
);
CREATE INDEX certificates_by_due ON certificates (due_on);

-- The installation's account at each authority.
CREATE TABLE acme_accounts (
  directory text PRIMARY KEY,
  -- PEM, sealed.
  private_key BYTES NOT NULL,
  created_on INTEGER NOT NULL
);

-- Challenge responses that authorities request over plain HTTP, from any node.
CREATE TABLE acme_challenges (
  token text PRIMARY KEY,
  key_authorization text NOT NULL,
  created_on INTEGER NOT NULL
);

-- The sealed part of the audit log. A row contains the entries of an account that were sealed in one pass. Unsealed
-- entries are in `changes`.
-- No reference to the account: its log is kept after its deletion until it expires.
CREATE TABLE audit_segments (
  account_seq INTEGER NOT NULL,
  -- The number of the first entry, from 1 in the order of the account's chain.
  number INTEGER NOT NULL,
  count INTEGER NOT NULL,
  -- The range of entry ids. Their order may differ from that of the chain.
  lowest_id SORTED_TEXT NOT NULL,
  highest_id SORTED_TEXT NOT NULL,
  earliest INTEGER NOT NULL,
  latest INTEGER NOT NULL,
  -- The hash before the first entry, then one hash of each entry or one of `entries` as a whole, 32 bytes each.
  hashes BYTES NOT NULL,
  -- The JSON texts, one per line. Compressed with zstd unless they are short.
  entries BYTES NOT NULL,
  sealed_on INTEGER NOT NULL,
  PRIMARY KEY (account_seq, number)
);
CREATE UNIQUE INDEX audit_segments_by_ids ON audit_segments (account_seq, highest_id, lowest_id);

-- Segments by the ids that their entries concern: resources and their parents.
CREATE TABLE audit_topics (
  account_seq INTEGER NOT NULL,
  topic SORTED_TEXT NOT NULL,
  -- The number of the segment.
  number INTEGER NOT NULL,
  PRIMARY KEY (account_seq, topic, number)
) WITHOUT_ROWID;

-- Deleted accounts whose messages are still to be removed.
-- Messages of a deleted account are removed in batches. A foreign key to the account would remove them all in one
-- transaction. SQLite drops a foreign key by copying the table and the tables that reference it.
CREATE TABLE webhook_removals (
  account_seq INTEGER PRIMARY KEY
);

CREATE TABLE webhook_messages (
  seq SEQ,
  account_seq INTEGER NOT NULL,
  -- Derived from the cause, so that a change gives one message however often it is read.
  id text NOT NULL,
  type text NOT NULL,
  -- The bytes that are signed and sent.
  body text NOT NULL,
  created_on INTEGER NOT NULL,
  CONSTRAINT webhook_messages_account_seq_id_key UNIQUE (account_seq, id)
);
CREATE INDEX webhook_messages_by_age ON webhook_messages (created_on);
CREATE INDEX webhook_messages_of_account ON webhook_messages (account_seq, created_on);

CREATE TABLE webhook_deliveries (
  seq SEQ,
  id SORTED_TEXT NOT NULL,
  webhook_seq INTEGER NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  message_seq INTEGER NOT NULL REFERENCES "webhook_messages" ON DELETE CASCADE,
  -- The `webhook-id` header: the message's id, or another one after a replay with new ids.
  message_id text NOT NULL,
  type text NOT NULL,
  status text NOT NULL,
  attempts INTEGER NOT NULL,
  -- The number of attempts in the current schedule.
  schedule_step INTEGER NOT NULL,
  -- When it is attempted next; during an attempt, when the lease expires. Null once it is finished.
  due_on INTEGER,
  -- The attempt in progress.
  lease text,
  created_on INTEGER NOT NULL,
  finished_on INTEGER
);
CREATE UNIQUE INDEX webhook_deliveries_in_order ON webhook_deliveries (webhook_seq, id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_seq, due_on) WHERE due_on IS NOT NULL;
CREATE INDEX webhook_deliveries_of_message ON webhook_deliveries (message_seq);
CREATE INDEX webhook_deliveries_by_seq ON webhook_deliveries (webhook_seq, seq);

CREATE TABLE webhook_attempts (
  delivery_seq INTEGER NOT NULL REFERENCES "webhook_deliveries" ON DELETE CASCADE,
  number INTEGER NOT NULL,
  started_on INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  status INTEGER,
  error text,
  -- The first 4 KiB of the response's body.
  response text,
  PRIMARY KEY (delivery_seq, number)
) WITHOUT_ROWID;

-- When the keys of a block of `seq` values were last used, if that is later than `last_used_on`; see
-- areas/api-keys/keys/uses/use-store.ts.
CREATE TABLE key_uses (
  block INTEGER PRIMARY KEY,
  -- Seconds in four bytes each, the highest first. 0 if there is none.
  times BYTES NOT NULL
);

-- Named filters of the console's lists.
CREATE TABLE views (
  seq SEQ,
  id text NOT NULL CONSTRAINT views_id_key UNIQUE,
  account_seq INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  name text NOT NULL,
  page text NOT NULL,
  search text NOT NULL,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  CONSTRAINT views_account_seq_name_key UNIQUE (account_seq, name)
);

-- The canary release of a deployment: the running one, or the last one.
CREATE TABLE deployment_canaries (
  deployment_seq INTEGER PRIMARY KEY REFERENCES deployments ON DELETE CASCADE,
  id text NOT NULL,
  version_seq INTEGER NOT NULL,
  version_number INTEGER NOT NULL,
  live_version_seq INTEGER NOT NULL,
  live_version_number INTEGER NOT NULL,
  weight INTEGER NOT NULL,
  live_weight INTEGER NOT NULL,
  sticky_by text,
  -- JSON. Null if it is never aborted automatically.
  abort text,
  started_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  -- Null while it runs.
  ended_on INTEGER,
  outcome text
);

-- The requests of both versions of the canary release, from its start and by second.
CREATE TABLE canary_counts (
  deployment_seq INTEGER NOT NULL REFERENCES deployments ON DELETE CASCADE,
  is_canary INTEGER NOT NULL,
  -- When the second began. 0 for the total since the start.
  second INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  -- A LatencyHistogram. Only in the total.
  latency BYTES,
  PRIMARY KEY (deployment_seq, is_canary, second)
);

-- The amounts that each node holds from quotas, so that other nodes count them; see counting/quotas/published-holds.ts.
CREATE TABLE quota_holds (
  -- The name of the node's batch writer.
  writer text NOT NULL,
  subscription_seq INTEGER NOT NULL,
  period_start INTEGER NOT NULL,
  meter text NOT NULL,
  -- In billionths.
  amount text NOT NULL,
  expires_on INTEGER NOT NULL,
  -- What counts if the node is killed, in billionths, and when it was used.
  estimate text NOT NULL DEFAULT '0',
  used_on INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (writer, subscription_seq, period_start, meter)
);

-- Calls of verify-key by minute, hour and day; see analytics/verification-writer.ts.
-- The bucket is the first column: the rows of a deleted bucket are one range.
CREATE TABLE verifications (
  bucket_seq INTEGER NOT NULL,
  -- The length of the interval in milliseconds: a minute, an hour or a day.
  step INTEGER NOT NULL,
  -- 0: by result only, 1: by consumer too.
  detail INTEGER NOT NULL,
  time INTEGER NOT NULL,
  -- Empty for values that are no key of the bucket, and in detail 0.
  consumer SORTED_TEXT NOT NULL,
  -- `valid`, or the code of a rejection.
  result SORTED_TEXT NOT NULL,
  amount INTEGER NOT NULL,
  -- The part of them that was valid only because the caller observes.
  observed INTEGER NOT NULL,
  PRIMARY KEY (bucket_seq, step, detail, time, consumer, result)
) WITHOUT_ROWID;

-- Portals of key buckets, hand-offs to them, and the sessions of customers.
CREATE TABLE portals (
  seq SEQ,
  id text NOT NULL CONSTRAINT portals_id_key UNIQUE,
  account_seq INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  bucket_seq INTEGER NOT NULL CONSTRAINT portals_bucket_seq_key UNIQUE REFERENCES key_buckets ON DELETE CASCADE,
  -- The name in the portal's host.
  name text NOT NULL CONSTRAINT portals_name_key UNIQUE,
  -- A custom domain instead of that host.
  host text,
  is_enabled INTEGER NOT NULL,
  -- JSON: the fields that no query selects by.
  settings text NOT NULL,
  logo BYTES,
  logo_type text,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  -- Of the identity provider in the settings, encrypted.
  client_secret BYTES
);
CREATE INDEX portals_by_account ON portals (account_seq);

-- Codes that open a session once.
CREATE TABLE portal_handoffs (
  seq REUSABLE_SEQ,
  hash BYTES NOT NULL CONSTRAINT portal_handoffs_hash_key UNIQUE,
  portal_seq INTEGER NOT NULL REFERENCES portals ON DELETE CASCADE,
  consumer_seq INTEGER NOT NULL REFERENCES consumers ON DELETE CASCADE,
  subject text NOT NULL,
  -- Separated by spaces.
  scopes text NOT NULL,
  return_url text,
  -- JSON: the actor who views the portal as the customer. Null for the customer's own people.
  viewer text,
  expires_on INTEGER NOT NULL
);
CREATE INDEX portal_handoffs_by_portal ON portal_handoffs (portal_seq);
CREATE INDEX portal_handoffs_by_consumer ON portal_handoffs (consumer_seq);
CREATE INDEX portal_handoffs_by_expiry ON portal_handoffs (expires_on);

CREATE TABLE portal_sessions (
  seq REUSABLE_SEQ,
  id text NOT NULL,
  hash BYTES NOT NULL CONSTRAINT portal_sessions_hash_key UNIQUE,
  portal_seq INTEGER NOT NULL REFERENCES portals ON DELETE CASCADE,
  consumer_seq INTEGER NOT NULL REFERENCES consumers ON DELETE CASCADE,
  subject text NOT NULL,
  scopes text NOT NULL,
  return_url text,
  viewer text,
  created_on INTEGER NOT NULL,
  expires_on INTEGER NOT NULL,
  -- The manager who signed in, whose scopes the session has. Null for hand-offs.
  manager_seq INTEGER REFERENCES managers ON DELETE CASCADE,
  -- The address that was proven. Null for hand-offs, and if the identity provider has verified none.
  mailbox text,
  -- The identity provider that the manager signed in with.
  issuer text
);
CREATE INDEX portal_sessions_by_portal ON portal_sessions (portal_seq);
CREATE INDEX portal_sessions_by_consumer ON portal_sessions (consumer_seq);
CREATE INDEX portal_sessions_by_expiry ON portal_sessions (expires_on);
CREATE INDEX portal_sessions_by_manager ON portal_sessions (manager_seq);

CREATE TABLE members (
  seq SEQ,
  account_seq INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  person_seq INTEGER NOT NULL REFERENCES people ON DELETE CASCADE,
  name text,
  role text NOT NULL,
  -- JSON, if the role is limited to projects.
  projects text,
  -- `invited` or `active`.
  state text NOT NULL,
  -- Where the role comes from: `invitation` or `claim`.
  source text NOT NULL,
  invitation_hash BYTES CONSTRAINT members_invitation_hash_key UNIQUE,
  -- The end of the invitation.
  expires_on INTEGER,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  -- The id of the member until the person accepts, if the person was known before. It must not reveal that.
  invited_id text,
  -- The address as it was written in the invitation.
  invited_email text,
  -- The name of the person or the token that sent the invitation.
  invited_by text,
  CONSTRAINT members_account_seq_person_seq_key UNIQUE (account_seq, person_seq)
);
CREATE INDEX members_of_person ON members (person_seq);

-- A removed member is not readmitted by a claim until an invitation deletes the row.
CREATE TABLE removed_members (
  account_seq INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  person_seq INTEGER NOT NULL REFERENCES people ON DELETE CASCADE,
  removed_on INTEGER NOT NULL,
  PRIMARY KEY (account_seq, person_seq)
) WITHOUT_ROWID;
CREATE INDEX removed_members_of_person ON removed_members (person_seq);

-- Mail to send, and sign-ins by mail. Neither contains a secret: links and codes are created when a mail is sent.
--
-- The queue of mail, and what was sent lately.
CREATE TABLE mails (
  seq SEQ,
  id text NOT NULL CONSTRAINT mails_id_key UNIQUE,
  -- The account in whose name it is sent. Null if it is about no single account.
  account_seq INTEGER REFERENCES accounts ON DELETE CASCADE,
  -- The recipient, once known.
  person_seq INTEGER REFERENCES people ON DELETE CASCADE,
  -- Selects the function that composes it.
  kind text NOT NULL,
  recipient text NOT NULL,
  -- The id of what it is about.
  subject_id text NOT NULL,
  -- `queued`, `sent`, `failed` or `expired`.
  state text NOT NULL,
  attempts INTEGER NOT NULL,
  -- The time of the next attempt, or of the end of a node's lease.
  due_on INTEGER NOT NULL,
  lease text,
  last_error text,
  created_on INTEGER NOT NULL,
  -- It is not sent from this time on.
  expires_on INTEGER,
  ended_on INTEGER
);
CREATE INDEX mails_due ON mails (state, due_on);
CREATE INDEX mails_of_account ON mails (account_seq, seq);
CREATE INDEX mails_of_person ON mails (person_seq, seq);

-- Sign-ins by mail.
CREATE TABLE sign_ins (
  seq SEQ,
  id text NOT NULL CONSTRAINT sign_ins_id_key UNIQUE,
  -- The site: `console`.
  audience text NOT NULL,
  email_key text NOT NULL,
  -- The network of the client address.
  address_group text NOT NULL,
  browser_hash BYTES NOT NULL CONSTRAINT sign_ins_browser_hash_key UNIQUE,
  -- Null until a mail is sent, and for an unknown address.
  link_hash BYTES CONSTRAINT sign_ins_link_hash_key UNIQUE,
  code_hash BYTES,
  attempts INTEGER NOT NULL,
  used_on INTEGER,
  created_on INTEGER NOT NULL,
  expires_on INTEGER NOT NULL,
  -- The page of the site on which it was started. Null for the start page.
  path text
);
CREATE INDEX sign_ins_of_mailbox ON sign_ins (audience, email_key, created_on);
CREATE INDEX sign_ins_of_address ON sign_ins (address_group, created_on);
CREATE INDEX sign_ins_by_end ON sign_ins (expires_on);

-- Plans of configuration changes, and what applies created.
CREATE TABLE configuration_plans (
  seq SEQ,
  id text NOT NULL,
  account_seq INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- The actor that planned it.
  created_by text NOT NULL,
  -- The name that marks what the plan creates.
  owner text,
  is_pruning INTEGER NOT NULL,
  -- The steps as returned by the API, as JSON. Without secrets.
  steps text NOT NULL,
  -- What each step writes, encrypted because it may contain secrets. Null once the plan is applied or has expired.
  inputs BYTES,
  applied_on INTEGER,
  expires_on INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  CONSTRAINT configuration_plans_account_seq_id_key UNIQUE (account_seq, id)
);

-- Which apply created a resource. The mark of a deleted resource has no effect: ids are not reused.
CREATE TABLE configuration_marks (
  account_seq INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  resource_id text NOT NULL,
  owner text NOT NULL,
  PRIMARY KEY (account_seq, resource_id)
) WITHOUT_ROWID;

-- The reference and the guides of each artifact.
CREATE TABLE deployment_sites (
  deployment_seq INTEGER NOT NULL,
  artifact_hash text NOT NULL,
  -- SiteContents as JSON, gzipped.
  contents BYTES NOT NULL,
  -- The files of the site, one after the other.
  pack BYTES NOT NULL,
  PRIMARY KEY (deployment_seq, artifact_hash),
  FOREIGN KEY (deployment_seq, artifact_hash) REFERENCES deployment_artifacts ON DELETE CASCADE
);

-- People who have proven who they are, and have not used that yet: to choose a customer, or to sign up.
CREATE TABLE portal_proofs (
  seq SEQ,
  hash BYTES NOT NULL CONSTRAINT portal_proofs_hash_key UNIQUE,
  portal_seq INTEGER NOT NULL REFERENCES portals ON DELETE CASCADE,
  -- In lower case. Empty if the identity provider has verified none.
  mailbox text NOT NULL,
  expires_on INTEGER NOT NULL,
  issuer text,
  subject text
);
CREATE INDEX portal_proofs_by_portal ON portal_proofs (portal_seq);
CREATE INDEX portal_proofs_by_expiry ON portal_proofs (expires_on);

-- Customers who created their account themselves.
CREATE TABLE portal_sign_ups (
  seq SEQ,
  portal_seq INTEGER NOT NULL REFERENCES portals ON DELETE CASCADE,
  consumer_seq INTEGER NOT NULL CONSTRAINT portal_sign_ups_consumer_seq_key UNIQUE REFERENCES consumers ON DELETE CASCADE,
  email text NOT NULL,
  created_on INTEGER NOT NULL,
  -- Whether the person had an account before: then there is no trial.
  is_returning INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX portal_sign_ups_by_portal ON portal_sign_ups (portal_seq, seq);

CREATE TABLE portal_access_requests (
  seq SEQ,
  id text NOT NULL CONSTRAINT portal_access_requests_id_key UNIQUE,
  portal_seq INTEGER NOT NULL REFERENCES portals ON DELETE CASCADE,
  -- In lower case. A person has one request.
  mailbox text NOT NULL,
  label text,
  note text,
  -- `pending`, `approved` or `denied`.
  state text NOT NULL,
  consumer_name text,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  CONSTRAINT portal_access_requests_portal_seq_mailbox_key UNIQUE (portal_seq, mailbox)
);
CREATE INDEX portal_access_requests_in_order ON portal_access_requests (portal_seq, state, seq);

CREATE TABLE billing_profiles (
  account_seq INTEGER NOT NULL PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  -- JSON.
  profile text NOT NULL,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL
) WITHOUT_ROWID;

CREATE TABLE payment_providers (
  account_seq INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- `live` or `test`.
  mode text NOT NULL,
  type text NOT NULL,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  -- Of Stripe, encrypted.
  secret_key BYTES,
  webhook_secret BYTES,
  PRIMARY KEY (account_seq, mode)
) WITHOUT_ROWID;

-- The last number of each series of an account.
CREATE TABLE number_series (
  account_seq INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  series text NOT NULL,
  last INTEGER NOT NULL,
  PRIMARY KEY (account_seq, series)
) WITHOUT_ROWID;

CREATE TABLE customers (
  seq SEQ,
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  email text,
  legal_name text,
  -- JSON.
  address text,
  tax_ids text,
  currency text,
  payment_method text,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  -- JSON.
  spend_cap text,
  credit_limit text,
  -- JSON.
  top_up text,
  -- `taxable`, `reverse-charge` or `exempt`. Null: taxable.
  tax_status text,
  -- In a metering bucket with a key bucket: the id of its consumer, which may have been deleted.
  consumer_id text,
  CONSTRAINT customers_bucket_seq_customer_key_key UNIQUE (bucket_seq, customer_key)
);
-- Finds the customers with a cap, whose spending is compared with it, without reading all customers.
CREATE INDEX customers_capped ON customers (bucket_seq, customer_key) WHERE spend_cap IS NOT NULL OR credit_limit IS NOT NULL;
CREATE INDEX customers_with_top_up ON customers (bucket_seq, customer_key) WHERE top_up IS NOT NULL;
-- Customers are counted and listed in the order of creation without reading all of them.
CREATE INDEX customers_in_order ON customers (bucket_seq, seq);

-- A part of a quota period in which a subscription has the same terms.
-- The segments of a deleted subscription are deleted with its counters; its invoices stay.
CREATE TABLE billing_segments (
  seq SEQ,
  subscription_seq INTEGER NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  -- `billed`, `trial` or `idle`.
  kind text NOT NULL,
  period_start INTEGER NOT NULL,
  period_end INTEGER NOT NULL,
  starts_on INTEGER NOT NULL,
  -- Null while it is the current one.
  ends_on INTEGER,
  -- JSON.
  terms text NOT NULL,
  -- JSON: the billed overage of each meter in minor units.
  billed text NOT NULL
);
CREATE INDEX billing_segments_of_subscription ON billing_segments (subscription_seq, seq);

-- Invoices, and credit notes, which have `corrects_id`. Amounts are in minor units.
CREATE TABLE invoices (
  seq SEQ,
  id text NOT NULL,
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  -- Not a reference: invoices outlive subscriptions.
  subscription_id text,
  corrects_id text,
  status text NOT NULL,
  number SORTED_TEXT,
  currency text NOT NULL,
  -- JSON copies of the billing profile and the customer. Null for a draft.
  seller text,
  buyer text,
  -- JSON.
  lines text NOT NULL,
  subtotal text NOT NULL,
  tax text NOT NULL,
  total text NOT NULL,
  amount_due text NOT NULL,
  -- The sum of its credit notes.
  credited text NOT NULL,
  -- When a draft is finalized. Null if it is not a draft.
  finalizes_on INTEGER,
  finalized_on INTEGER,
  due_on INTEGER,
  -- When its payment failed and was announced.
  failed_on INTEGER,
  paid_on INTEGER,
  payment_reference text,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  -- What paid grants pay of it; of a draft, what they paid as usage occurred.
  from_credits text NOT NULL DEFAULT '0',
  -- What a cap removes from its overage.
  written_off text NOT NULL DEFAULT '0',
  -- How far a provider has come that collects it. Null if none does.
  collection_state text,
  -- Where the customer pays at the provider.
  collection_url text,
  -- What was paid with the payment method or outside of Tollgate. Null until it is paid, and of older rows. Of a credit
  -- note, what it returns of that.
  collected text,
  -- What is returned to the payment method; of a credit note, its part of that.
  refunded text NOT NULL DEFAULT '0',
  -- Of a credit note that is refunded: `pending`, `succeeded` or `failed`.
  refund_state text,
  -- What later invoices credit of its fees, with tax. It is not a part of `credited`.
  netted text NOT NULL DEFAULT '0',
  -- JSON: what was credited of each line, with tax. What is missing of `credited` and `netted` concerns all lines.
  line_credits text NOT NULL DEFAULT '{}',
  -- The purchase of a credit pack that it sells. Such an invoice, and its credit notes, have no subscription.
  purchase_id text,
  -- `exclusive` or `inclusive`. Null: that of the profile when it is finalized; of older invoices, exclusive.
  tax_behavior text,
  -- What the customer's bank demands back of its payment. It is not a part of `credited`.
  disputed text NOT NULL DEFAULT '0',
  -- The server's time when it was finalized: that may be later than it was due. Null of older rows.
  recorded_on INTEGER,
  CONSTRAINT invoices_bucket_seq_id_key UNIQUE (bucket_seq, id)
);
CREATE INDEX invoices_in_order ON invoices (bucket_seq, seq);
CREATE INDEX invoices_of_customer ON invoices (bucket_seq, customer_key, seq);
CREATE INDEX invoices_of_subscription ON invoices (bucket_seq, subscription_id, seq);
-- Finalized invoices are added up by month.
CREATE INDEX invoices_by_finalization ON invoices (bucket_seq, finalized_on, seq);
-- Complete drafts, which wait for a billing profile.
CREATE INDEX invoices_waiting ON invoices (bucket_seq, seq) WHERE status = 'draft' AND finalizes_on IS NULL;
CREATE INDEX invoices_by_number ON invoices (bucket_seq, number);
CREATE INDEX invoices_open ON invoices (bucket_seq, customer_key, seq) WHERE status = 'open';
-- The invoices that are overdue or whose payment failed are added up for each view of the console's home.
CREATE INDEX invoices_late ON invoices (bucket_seq, seq) WHERE status = 'open' AND failed_on IS NOT NULL;
-- The list of payments is in the order in which they were made.
CREATE INDEX invoices_paid ON invoices (bucket_seq, paid_on, seq) WHERE paid_on IS NOT NULL;
CREATE INDEX invoices_by_recording ON invoices (bucket_seq, recorded_on, seq) WHERE recorded_on IS NOT NULL;

-- Credits of customers: grants, their ledger, and what they pay of the usage of subscriptions. They replace balances.
--
-- What a customer may use or pay with. Amounts are billionths of a meter's unit or minor units of a currency.
CREATE TABLE grants (
  seq SEQ,
  id text NOT NULL UNIQUE,
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  -- Either a meter or a currency.
  meter text,
  currency text,
  -- `promotional`, `prepaid` or `paid`.
  funding text NOT NULL,
  priority INTEGER NOT NULL,
  amount text NOT NULL,
  balance text NOT NULL,
  effective_on INTEGER NOT NULL,
  expires_on INTEGER,
  -- When it expired or was voided.
  ended_on INTEGER,
  voided_on INTEGER,
  reason text,
  -- The invoice that it is the rest of.
  invoice_id text,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  -- The purchase of the credit pack that it comes from.
  purchase_id text,
  -- The rollover whose units it has.
  rollover_seq INTEGER
);
CREATE INDEX grants_of_customer ON grants (bucket_seq, customer_key, seq);
CREATE INDEX grants_by_expiry ON grants (expires_on) WHERE expires_on IS NOT NULL AND ended_on IS NULL;
CREATE INDEX grants_of_purchase ON grants (bucket_seq, purchase_id) WHERE purchase_id IS NOT NULL;
CREATE INDEX grants_of_rollover ON grants (rollover_seq) WHERE rollover_seq IS NOT NULL;

-- The ledger of grants. Rows never change.
CREATE TABLE grant_entries (
  seq SEQ,
  id text NOT NULL,
  grant_seq INTEGER NOT NULL REFERENCES grants ON DELETE CASCADE,
  -- `granted`, `consumed`, `expired`, `voided`, `refunded`, `restored` or `adjusted`.
  kind text NOT NULL,
  amount text NOT NULL,
  balance text NOT NULL,
  -- The start of the hour in which usage was paid.
  hour INTEGER,
  subscription_id text,
  meter text,
  invoice_id text,
  created_on INTEGER NOT NULL
);
CREATE INDEX grant_entries_of_grant ON grant_entries (grant_seq, seq);

-- What grants pay of a meter's usage: in a segment if it is billed, otherwise, with segment 0, in a period. Usage up to
-- `seen` and cost up to `cost` are decided.
CREATE TABLE credit_uses (
  subscription_seq INTEGER NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  period_start INTEGER NOT NULL,
  segment_seq INTEGER NOT NULL,
  meter text NOT NULL,
  seen text NOT NULL,
  covered text NOT NULL,
  cost text NOT NULL,
  -- Money that reduces the cost before tax: of promotional and prepaid grants.
  promotional text NOT NULL,
  paid text NOT NULL,
  -- The parts that invoices show already.
  applied_promotional text NOT NULL,
  applied_paid text NOT NULL,
  -- The parts of `promotional` and `applied_promotional` that come from prepaid grants.
  prepaid text NOT NULL DEFAULT '0',
  applied_prepaid text NOT NULL DEFAULT '0',
  -- The cost under a prepaid rate that no money covered.
  written_off text NOT NULL DEFAULT '0',
  applied_written_off text NOT NULL DEFAULT '0',
  -- The part of `written_off` that was written off since money last paid.
  written_off_last text NOT NULL DEFAULT '0',
  PRIMARY KEY (subscription_seq, period_start, segment_seq, meter)
) WITHOUT_ROWID;

-- Customers with grants or caps.
CREATE TABLE customer_credits (
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  -- Raised by each change of grants and of what they pay.
  revision INTEGER NOT NULL,
  -- When usage is next compared with credits. Null if there are none.
  checks_on INTEGER,
  PRIMARY KEY (bucket_seq, customer_key)
) WITHOUT_ROWID;
CREATE INDEX customer_credits_by_check ON customer_credits (checks_on) WHERE checks_on IS NOT NULL;

-- What customers with caps owe for the overage of a period.
CREATE TABLE spend_periods (
  subscription_seq INTEGER NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  period_start INTEGER NOT NULL,
  owed text NOT NULL,
  written_off text NOT NULL,
  applied text NOT NULL,
  threshold INTEGER NOT NULL,
  is_over INTEGER NOT NULL,
  cap text,
  PRIMARY KEY (subscription_seq, period_start)
) WITHOUT_ROWID;

-- Money that a customer owes and that is too little to be collected, in minor units. The next invoice has it.
CREATE TABLE carried_amounts (
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  currency text NOT NULL,
  amount text NOT NULL,
  PRIMARY KEY (bucket_seq, customer_key, currency)
) WITHOUT_ROWID;

-- The customers at Stripe.
CREATE TABLE stripe_customers (
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  -- Null until it is known that it was created.
  stripe_id text,
  began_on INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  -- The id of the default payment method.
  payment_method text,
  -- The checkout whose payment method became the default one.
  session_id text,
  -- When to compare it with the customer at Stripe.
  sync_on INTEGER,
  -- Until when a page of Stripe may be used.
  sync_until INTEGER,
  -- Raised when there is a reason to compare, such as an event, also during a comparison.
  wakes INTEGER NOT NULL DEFAULT 0,
  lease text,
  lease_until INTEGER,
  PRIMARY KEY (bucket_seq, customer_key)
) WITHOUT_ROWID;
CREATE INDEX stripe_customers_due ON stripe_customers (sync_on) WHERE sync_on IS NOT NULL;
CREATE INDEX stripe_customers_by_id ON stripe_customers (stripe_id);

-- How far the collection of an invoice by Stripe has come.
CREATE TABLE stripe_invoices (
  invoice_seq INTEGER NOT NULL PRIMARY KEY REFERENCES invoices ON DELETE CASCADE,
  account_seq INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- `live` or `test`.
  mode text NOT NULL,
  customer_id text,
  -- When the invoice was first requested from Stripe: from then on it may exist there.
  began_on INTEGER,
  stripe_id text,
  stripe_status text,
  -- What is due at Stripe, in its minor units.
  amount text,
  -- The number of payment attempts that were processed.
  attempts INTEGER NOT NULL,
  -- Part of idempotency keys: another one after a response that would be repeated.
  generation INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  error text,
  -- When to continue. Null if nothing remains to do.
  next_on INTEGER,
  lease text,
  lease_until INTEGER,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  -- Raised when there is a reason to continue, such as an event, also during an attempt.
  wakes INTEGER NOT NULL DEFAULT 0,
  -- The payment method of the last attempt.
  paid_with text,
  -- 1 from before a charge until its outcome is known. Bank debits take days.
  charging INTEGER NOT NULL DEFAULT 0,
  -- When it was decided to void the invoice at Stripe. Ours is void once Stripe confirms it.
  void_on INTEGER,
  -- How often a payment was requested.
  requested INTEGER NOT NULL DEFAULT 0,
  -- The request of the last attempt.
  performed INTEGER NOT NULL DEFAULT 0,
  -- The money that Stripe took and our books have, as the payment of the invoice or as a grant.
  recorded text NOT NULL DEFAULT '0',
  -- The payment that Stripe took.
  payment_intent text,
  -- How many events about refunds or credit notes arrived, and after how many they were read.
  refund_events INTEGER NOT NULL DEFAULT 0,
  refunds_read INTEGER NOT NULL DEFAULT 0,
  -- What credit notes had taken off our invoice before the one at Stripe was finalized.
  credited_before text NOT NULL DEFAULT '0'
) WITHOUT_ROWID;
CREATE INDEX stripe_invoices_due ON stripe_invoices (next_on) WHERE next_on IS NOT NULL;
CREATE INDEX stripe_invoices_by_id ON stripe_invoices (account_seq, mode, stripe_id);
CREATE INDEX stripe_invoices_by_payment ON stripe_invoices (account_seq, mode, payment_intent) WHERE payment_intent IS NOT NULL;

-- The events of Stripe that were processed.
CREATE TABLE stripe_events (
  account_seq INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  mode text NOT NULL,
  event_id text NOT NULL,
  received_on INTEGER NOT NULL,
  PRIMARY KEY (account_seq, mode, event_id)
) WITHOUT_ROWID;
CREATE INDEX stripe_events_by_time ON stripe_events (received_on);

-- Addresses where a customer enters a payment method and pays.
CREATE TABLE checkouts (
  -- Of the token in the address.
  hash BYTES NOT NULL PRIMARY KEY,
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  return_url text NOT NULL,
  expires_on INTEGER NOT NULL,
  -- Without a payment. Null if it is the same address.
  cancel_url text
) WITHOUT_ROWID;
CREATE INDEX checkouts_by_expiry ON checkouts (expires_on);
CREATE INDEX checkouts_by_bucket ON checkouts (bucket_seq);
CREATE INDEX checkouts_of_customer ON checkouts (bucket_seq, customer_key);

-- Mail of test buckets, which is never sent. Mail that is due later has no text yet.
CREATE TABLE test_mails (
  seq SEQ,
  id text NOT NULL,
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  kind text NOT NULL,
  recipient text NOT NULL,
  -- The bucket, and the invoice, or the subscription and the end of its access.
  subject_id text NOT NULL,
  due_on INTEGER NOT NULL,
  -- 0 until it is due: then the texts are written.
  is_written INTEGER NOT NULL,
  subject text,
  body_text text,
  body_html text
);
CREATE INDEX test_mails_in_order ON test_mails (bucket_seq, is_written, due_on, seq);

-- Of each customer, the newest key that they deleted in a portal.
-- The rules of the newest key that a customer deleted in a portal, which a new key gets.
CREATE TABLE portal_deleted_keys (
  consumer_seq INTEGER NOT NULL PRIMARY KEY REFERENCES consumers ON DELETE CASCADE,
  key_id text NOT NULL,
  -- JSON.
  rules text NOT NULL,
  key_created_on INTEGER NOT NULL
);

-- Not deleted with the customer: the limit of a mailbox counts the mail of all customers.
-- The invitations that customers of portals sent by mail in the last day, which are limited.
CREATE TABLE portal_invite_mails (
  seq SEQ,
  portal_id text NOT NULL,
  consumer_seq INTEGER NOT NULL,
  -- In lower case.
  mailbox text NOT NULL,
  created_on INTEGER NOT NULL,
  expires_on INTEGER NOT NULL
);
CREATE INDEX portal_invite_mails_of_consumer ON portal_invite_mails (consumer_seq, created_on);
CREATE INDEX portal_invite_mails_of_mailbox ON portal_invite_mails (portal_id, mailbox, created_on);
CREATE INDEX portal_invite_mails_by_expiry ON portal_invite_mails (expires_on);

-- People who signed up to a portal and left, so that signing up again gives no second trial and no second quota.
CREATE TABLE portal_former_customers (
  seq SEQ,
  -- Of the portal's id and the mailbox.
  hash BYTES NOT NULL CONSTRAINT portal_former_customers_hash_key UNIQUE,
  left_on INTEGER NOT NULL,
  expires_on INTEGER NOT NULL
);
CREATE INDEX portal_former_customers_by_expiry ON portal_former_customers (expires_on);

-- The plans that subscriptions change to at the end of their period. A plan is not deleted as long as it is one.
CREATE TABLE scheduled_plans (
  subscription_seq INTEGER NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  position INTEGER NOT NULL,
  plan_seq INTEGER NOT NULL REFERENCES plans,
  PRIMARY KEY (subscription_seq, position)
) WITHOUT_ROWID;
CREATE INDEX scheduled_plans_by_plan ON scheduled_plans (plan_seq);

-- The usage of a period before a segment, which begins at a time. Late events raise it.
-- Marks belong to segments instead of times: several changes of a subscription may have the same time.
CREATE TABLE segment_marks (
  subscription_seq INTEGER NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  period_start INTEGER NOT NULL,
  segment_seq INTEGER NOT NULL,
  time INTEGER NOT NULL,
  meter text NOT NULL,
  whole INTEGER NOT NULL,
  billionths INTEGER NOT NULL,
  -- The part of it without events.
  consumed_whole INTEGER NOT NULL,
  consumed_billionths INTEGER NOT NULL,
  last_event INTEGER NOT NULL,
  PRIMARY KEY (subscription_seq, period_start, segment_seq, meter)
) WITHOUT_ROWID;

-- Amounts that verify-key holds until they are settled or released, see areas/commerce/metering/takes.
CREATE TABLE metering_holds (
  id text PRIMARY KEY,
  bucket_seq INTEGER NOT NULL,
  subscription_seq INTEGER NOT NULL REFERENCES subscriptions (seq) ON DELETE CASCADE,
  period_start INTEGER NOT NULL,
  -- In the time of the bucket: when the usage is counted.
  time INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  expires_on INTEGER NOT NULL,
  on_expiry text NOT NULL,
  state text NOT NULL,
  -- The amounts that were held, in billionths by meter.
  held text NOT NULL,
  -- The amounts that the counters include now.
  counted text NOT NULL
);
CREATE INDEX metering_holds_expiry ON metering_holds (expires_on);
CREATE INDEX metering_holds_open ON metering_holds (expires_on) WHERE state = 'open';
CREATE INDEX metering_holds_of_subscription ON metering_holds (subscription_seq);

-- Requests to models by minute, hour and day; see analytics/model-usage-writer.ts.
-- The deployment is the first column: the rows of a deleted one are one range.
CREATE TABLE model_usage (
  deployment_seq INTEGER NOT NULL,
  -- The length of the interval in milliseconds: a minute, an hour or a day.
  step INTEGER NOT NULL,
  time INTEGER NOT NULL,
  -- The alias.
  model SORTED_TEXT NOT NULL,
  provider SORTED_TEXT NOT NULL,
  -- Empty without a cost.
  currency SORTED_TEXT NOT NULL,
  requests INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  estimated INTEGER NOT NULL,
  input INTEGER NOT NULL,
  cached INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  output INTEGER NOT NULL,
  -- In billionths of the currency's unit.
  cost INTEGER NOT NULL,
  charge INTEGER NOT NULL,
  -- The responses with a body, and the sum of the times to their first bytes.
  first_bytes INTEGER NOT NULL,
  first_byte_ms INTEGER NOT NULL,
  PRIMARY KEY (deployment_seq, step, time, model, provider, currency)
) WITHOUT_ROWID;

-- Portals as authorization servers: their signing keys, clients, and what customers have authorized.
--
-- The RSA keys that sign the access tokens of a portal.
CREATE TABLE oauth_keys (
  seq SEQ,
  -- The `kid` of its tokens.
  id text NOT NULL CONSTRAINT oauth_keys_id_key UNIQUE,
  portal_seq INTEGER NOT NULL REFERENCES portals ON DELETE CASCADE,
  -- A JWK.
  public_key text NOT NULL,
  -- PEM, encrypted.
  private_key BYTES NOT NULL,
  created_on INTEGER NOT NULL,
  -- It is published before it signs, so that verifiers which cache the keys know it.
  signs_from INTEGER NOT NULL,
  -- Until when it verifies. Null until a successor exists.
  expires_on INTEGER
);
CREATE INDEX oauth_keys_of_portal ON oauth_keys (portal_seq);
CREATE INDEX oauth_keys_by_expiry ON oauth_keys (expires_on);

CREATE TABLE oauth_clients (
  seq SEQ,
  -- The `client_id`, unless the client has a document.
  id text NOT NULL CONSTRAINT oauth_clients_id_key UNIQUE,
  portal_seq INTEGER NOT NULL REFERENCES portals ON DELETE CASCADE,
  -- The customer who created it. Null for clients of the operator, of documents and of registrations.
  consumer_seq INTEGER REFERENCES consumers ON DELETE CASCADE,
  -- `registered`, `service`, `document` or `dynamic`.
  type text NOT NULL,
  -- The `client_id` of a client with a metadata document.
  document_url text,
  name text NOT NULL,
  -- JSON.
  redirect_uris text NOT NULL,
  secret_hash BYTES,
  -- The network that a dynamic client was registered from, or the id of the first customer who authorized one with a
  -- document: their number is limited by it.
  registered_from text,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  -- Of a dynamic client that no customer has authorized yet.
  expires_on INTEGER,
  CONSTRAINT oauth_clients_document_key UNIQUE (portal_seq, document_url)
);
CREATE INDEX oauth_clients_of_portal ON oauth_clients (portal_seq, type, created_on);
CREATE INDEX oauth_clients_of_consumer ON oauth_clients (consumer_seq);
CREATE INDEX oauth_clients_by_expiry ON oauth_clients (expires_on);

-- What a client may do for a consumer. A row that is deleted has ended.
CREATE TABLE oauth_authorizations (
  seq SEQ,
  id text NOT NULL CONSTRAINT oauth_authorizations_id_key UNIQUE,
  portal_seq INTEGER NOT NULL REFERENCES portals ON DELETE CASCADE,
  consumer_seq INTEGER NOT NULL REFERENCES consumers ON DELETE CASCADE,
  -- The manager who consented. Null for the person of a hand-off.
  manager_seq INTEGER REFERENCES managers ON DELETE CASCADE,
  client_seq INTEGER NOT NULL REFERENCES oauth_clients ON DELETE CASCADE,
  -- Who consented, for lists.
  subject text NOT NULL,
  -- JSON: the permissions that were consented to.
  granted text NOT NULL,
  -- JSON: the permissions, addresses, rate limit and metadata that apply, those of a new key at the last token.
  rules text NOT NULL,
  -- The deployment of its tokens. Null for a service client, which may choose one for each token.
  deployment text,
  code_hash BYTES CONSTRAINT oauth_authorizations_code_hash_key UNIQUE,
  code_challenge text,
  redirect_uri text,
  code_expires_on INTEGER,
  code_used_on INTEGER,
  -- Encrypted. Refresh tokens are its MACs of their numbers, so that every old one is recognized.
  refresh_secret BYTES,
  -- The number of the refresh token that is valid.
  refresh_number INTEGER NOT NULL,
  -- When it was issued.
  refreshed_on INTEGER,
  created_on INTEGER NOT NULL,
  -- Until its code was exchanged, the expiry of that. Null for service clients.
  expires_on INTEGER,
  -- JSON: who consented, and from where, until the code is exchanged. Null afterwards, and without a code.
  consent text
);
CREATE INDEX oauth_authorizations_of_portal ON oauth_authorizations (portal_seq);
CREATE INDEX oauth_authorizations_of_consumer ON oauth_authorizations (consumer_seq);
CREATE INDEX oauth_authorizations_of_manager ON oauth_authorizations (manager_seq);
CREATE INDEX oauth_authorizations_of_client ON oauth_authorizations (client_seq);
CREATE INDEX oauth_authorizations_by_expiry ON oauth_authorizations (expires_on);

-- Destinations to which closed hours are written. Hours are times in milliseconds.
CREATE TABLE exports (
  seq SEQ,
  id text NOT NULL CONSTRAINT exports_id_key UNIQUE,
  account_seq INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  name text NOT NULL,
  url text NOT NULL,
  endpoint text,
  region text,
  -- The secret part of the credential, encrypted.
  credential BYTES,
  access_key_id text,
  -- JSON: a list.
  kinds text NOT NULL,
  format text NOT NULL,
  -- 1 or 0.
  is_enabled INTEGER NOT NULL,
  -- The first hour that was or will be written, without a backfill in progress.
  first_hour INTEGER NOT NULL,
  -- The next hour to write.
  next_hour INTEGER NOT NULL,
  -- The first and the next hour of the backfill in progress, which ends before `backfill_to`, or `first_hour`.
  backfill_from INTEGER,
  backfill_next INTEGER,
  -- When the last hour was written.
  written_on INTEGER,
  last_error text,
  failing_since INTEGER,
  failures INTEGER NOT NULL,
  -- The time of the next attempt after a failure.
  attempt_on INTEGER,
  -- The node that writes an hour.
  lease text,
  leased_until INTEGER,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  backfill_to INTEGER,
  CONSTRAINT exports_account_seq_name_key UNIQUE (account_seq, name)
);

-- Requests to models by consumer: more rows than `model_usage` has, and read only for consumers.
CREATE TABLE model_usage_consumers (
  deployment_seq INTEGER NOT NULL,
  -- The length of the interval in milliseconds: a minute, an hour or a day.
  step INTEGER NOT NULL,
  time INTEGER NOT NULL,
  -- Empty without a consumer, or if it is none of a key bucket.
  consumer_id SORTED_TEXT NOT NULL,
  -- Empty without a consumer, `*` for all others if there are too many.
  consumer SORTED_TEXT NOT NULL,
  -- The alias.
  model SORTED_TEXT NOT NULL,
  provider SORTED_TEXT NOT NULL,
  -- Empty without a cost.
  currency SORTED_TEXT NOT NULL,
  requests INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  estimated INTEGER NOT NULL,
  input INTEGER NOT NULL,
  cached INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  output INTEGER NOT NULL,
  -- In billionths of the currency's unit.
  cost INTEGER NOT NULL,
  charge INTEGER NOT NULL,
  -- The responses with a body, and the sum of the times to their first bytes.
  first_bytes INTEGER NOT NULL,
  first_byte_ms INTEGER NOT NULL,
  PRIMARY KEY (deployment_seq, step, time, consumer_id, consumer, model, provider, currency)
) WITHOUT_ROWID;

-- Credit packs, their sale by invoices without a subscription, and automatic top-ups of customers.
--
-- Credit that is offered for a price. Amounts are minor units, and for a meter billionths of its unit.
CREATE TABLE credit_packs (
  seq SEQ,
  id text NOT NULL CONSTRAINT credit_packs_id_key UNIQUE,
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  external_id text NOT NULL,
  label text NOT NULL,
  currency text NOT NULL,
  price text NOT NULL,
  -- Either a meter or a currency.
  grant_meter text,
  grant_currency text,
  grant_amount text NOT NULL,
  expires_in_days INTEGER,
  is_public INTEGER NOT NULL,
  position INTEGER NOT NULL,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  CONSTRAINT credit_packs_bucket_seq_external_id_key UNIQUE (bucket_seq, external_id)
);

-- Sales of credit packs, with the pack as it was.
CREATE TABLE pack_purchases (
  seq SEQ,
  id text NOT NULL CONSTRAINT pack_purchases_id_key UNIQUE,
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  pack_external_id text NOT NULL,
  label text NOT NULL,
  is_top_up INTEGER NOT NULL,
  -- `open`, `paid`, `failed` or `canceled`.
  state text NOT NULL,
  currency text NOT NULL,
  price text NOT NULL,
  -- The price with tax.
  total text NOT NULL,
  grant_meter text,
  grant_currency text,
  grant_amount text NOT NULL,
  expires_in_days INTEGER,
  invoice_id text NOT NULL,
  -- Null until it is paid.
  grant_id text,
  paid_on INTEGER,
  -- Until when an open one can be paid. Null without a limit.
  expires_on INTEGER,
  -- When the provider was asked to stop its payment. It may be paid until the provider confirms that.
  stopped_on INTEGER,
  -- When the payment was refunded or disputed at the provider, and how much of the credit was used by then.
  reversed_on INTEGER,
  reversed_used text,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL
);
CREATE INDEX pack_purchases_of_customer ON pack_purchases (bucket_seq, customer_key, seq);
CREATE INDEX pack_purchases_by_expiry ON pack_purchases (expires_on) WHERE state = 'open' AND expires_on IS NOT NULL;

-- Words by which consumers are found. It may contain words of former versions.
CREATE TABLE consumer_words (
  bucket_seq INTEGER NOT NULL,
  word SORTED_TEXT NOT NULL,
  consumer_seq INTEGER NOT NULL,
  PRIMARY KEY (bucket_seq, word, consumer_seq)
) WITHOUT_ROWID;

-- What a plan carries over of a meter's unused units at the end of a period. Amounts are billionths. Rows outlive
-- subscriptions, because invoices do.
CREATE TABLE rollovers (
  seq SEQ,
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  subscription_id text NOT NULL,
  period_start INTEGER NOT NULL,
  period_end INTEGER NOT NULL,
  plan_id text NOT NULL,
  -- That of the plan.
  label text NOT NULL,
  meter text NOT NULL,
  -- The most that this plan carries over.
  maximum text NOT NULL,
  -- The allowance of the period, of all plans.
  allowance text NOT NULL,
  -- Where the fee of the period was invoiced. Null if there was nothing to pay.
  invoice_id text,
  line INTEGER,
  expires_on INTEGER NOT NULL,
  -- The grant that it became.
  grant_id text,
  -- How much was granted, with later changes. Null before.
  granted text,
  -- When it expired, or its fee was returned.
  ended_on INTEGER,
  CONSTRAINT rollovers_of_period_key UNIQUE (bucket_seq, subscription_id, period_start, plan_id, meter)
);
CREATE INDEX rollovers_of_customer ON rollovers (bucket_seq, customer_key, expires_on);
CREATE INDEX rollovers_in_progress ON rollovers (bucket_seq, subscription_id) WHERE ended_on IS NULL;

-- The sum of the open invoices of each customer that has some, for lists by amount due. All currencies are counted with
-- the same number of digits. Customers who owe nothing may have no row.
CREATE TABLE customer_dues (
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key SORTED_TEXT NOT NULL,
  -- In ten-thousandths, whatever the currencies are.
  due INTEGER NOT NULL,
  PRIMARY KEY (bucket_seq, customer_key)
) WITHOUT_ROWID;
CREATE INDEX customer_dues_in_order ON customer_dues (bucket_seq, due DESC, customer_key);

-- Usage events on PostgreSQL are partitioned by the time of receipt, see docs/decisions/event-partitions.md. A unique
-- constraint of a partitioned table must contain that time, so duplicates are found by a table of keys. The first start
-- makes the table a partition, with what was moved from SQLite.
-- The sums of dropped events that are not yet added to the removed sums of their counters.
CREATE TABLE removed_usage (
  seq REUSABLE_SEQ,
  subscription_seq INTEGER NOT NULL,
  period_start INTEGER NOT NULL,
  meter text NOT NULL,
  events INTEGER NOT NULL,
  whole INTEGER NOT NULL,
  billionths INTEGER NOT NULL
);
CREATE INDEX removed_usage_by_period ON removed_usage (subscription_seq, period_start);

-- The subscriptions of large metering buckets by the used share of their quotas, for lists in that order. Rankings are
-- computed in the background and replaced as a whole.
--
-- The last ranking of a large bucket, see metering/usage/rank-usage.ts.
CREATE TABLE usage_rankings (
  bucket_seq INTEGER PRIMARY KEY REFERENCES metering_buckets ON DELETE CASCADE,
  -- When it was begun. Null if none is complete yet.
  ranked_on INTEGER,
  -- The one before it, which is kept for lists that began with it.
  previous_ranked_on INTEGER,
  -- The time of a test bucket at which it was ranked.
  bucket_clock INTEGER,
  -- The number of ranked subscriptions.
  size INTEGER NOT NULL,
  -- When the next one is due.
  next_on INTEGER NOT NULL,
  -- Until when a node computes one.
  lease_until INTEGER NOT NULL
) WITHOUT_ROWID;

-- Parts of rankings, of equal size except the last.
CREATE TABLE usage_ranking_blocks (
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  ranked_on INTEGER NOT NULL,
  block INTEGER NOT NULL,
  -- The smallest share in it, in millionths.
  last_share INTEGER NOT NULL,
  -- JSON: the numbers of the subscriptions, and their shares in millionths.
  ranks text NOT NULL,
  PRIMARY KEY (bucket_seq, ranked_on, block)
);
CREATE INDEX usage_ranking_blocks_by_share ON usage_ranking_blocks (bucket_seq, ranked_on, last_share, block);

-- only PostgreSQL
CREATE TABLE usage_event_keys (
  bucket_seq bigint NOT NULL,
  digest uuid NOT NULL,
  received_on bigint NOT NULL,
  PRIMARY KEY (bucket_seq, digest)
);

-- only PostgreSQL
CREATE INDEX usage_event_keys_by_receipt ON usage_event_keys (received_on);

-- only PostgreSQL
CREATE TABLE usage_event_storage (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  removed_before bigint NOT NULL
);

-- only PostgreSQL
INSERT INTO usage_event_storage (removed_before) VALUES (0);
