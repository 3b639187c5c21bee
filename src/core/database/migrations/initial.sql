-- The tables of 0.1.0, for both engines: `platform/storage/migrations/migration.ts` has the types in capitals.

-- Accounts, tokens, key buckets, consumers, managers and keys; the change feed and idempotency.
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
  audience text,
  subject text NOT NULL,
  claims text,
  role text NOT NULL,
  project text,
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
  created_by text,
  trusted_issuer_seq INTEGER REFERENCES trusted_issuers ON DELETE CASCADE,
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
  has_lookalike_keys INTEGER NOT NULL DEFAULT 0,
  on_leak text NOT NULL DEFAULT 'mark',
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
  email_key SORTED_TEXT,
  created_on INTEGER NOT NULL,
  scopes text,
  version INTEGER NOT NULL DEFAULT 1,
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
  scopes text,
  CONSTRAINT manager_invites_consumer_seq_email_key_key UNIQUE (consumer_seq, email_key)
);
CREATE INDEX manager_invites_by_email ON manager_invites (bucket_seq, email_key, consumer_seq);

CREATE TABLE api_keys (
  seq REUSABLE_SEQ,
  id SORTED_TEXT NOT NULL,
  bucket_seq INTEGER NOT NULL,
  consumer_seq INTEGER NOT NULL REFERENCES consumers ON DELETE CASCADE,
  hash BYTES NOT NULL,
  suffix SORTED_TEXT NOT NULL,
  sealed BYTES,
  description text,
  expires_on INTEGER,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  is_enabled INTEGER NOT NULL DEFAULT 1,
  permissions text,
  allowed_ips text,
  rate_limit text,
  metadata text,
  last_used_on INTEGER,
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
  answer BYTES NOT NULL,
  created_on INTEGER NOT NULL,
  PRIMARY KEY (credential, key)
) WITHOUT_ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_on);

CREATE TABLE encryption_keys (
  name text PRIMARY KEY,
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
CREATE TABLE metering_buckets (
  seq SEQ,
  id text NOT NULL,
  account_seq INTEGER NOT NULL REFERENCES accounts,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  name text,
  test_clock INTEGER,
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
  bucket_seq INTEGER REFERENCES metering_buckets,
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
  allowance_period INTEGER,
  allowance text,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  renews_on INTEGER NOT NULL DEFAULT 0,
  bills_on INTEGER,
  blocks_on INTEGER,
  payment text,
  billing text,
  has_credits INTEGER NOT NULL DEFAULT 0,
  expires_on INTEGER,
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
  removed_events INTEGER NOT NULL,
  removed_whole INTEGER NOT NULL,
  removed_billionths INTEGER NOT NULL,
  consumed_whole INTEGER NOT NULL,
  consumed_billionths INTEGER NOT NULL,
  is_unchecked INTEGER NOT NULL DEFAULT 0,
  announced_percent INTEGER NOT NULL DEFAULT 0,
  announced_max text,
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
  part INTEGER NOT NULL,
  subscription_seq INTEGER NOT NULL,
  time INTEGER NOT NULL,
  period_start INTEGER NOT NULL,
  received_on INTEGER NOT NULL,
  meter text NOT NULL,
  whole INTEGER NOT NULL,
  billionths INTEGER NOT NULL,
  voided_on INTEGER,
  CONSTRAINT usage_events_bucket_seq_source_event_id_part_key UNIQUE (bucket_seq, source, event_id, part)
);
CREATE INDEX usage_events_by_period ON usage_events (subscription_seq, period_start);

-- Deployments with their uploads, builds, versions and logs.
-- The name is also a host name, so it is unique over all accounts.
CREATE TABLE deployments (
  seq SEQ,
  account_seq INTEGER NOT NULL REFERENCES accounts,
  name SORTED_TEXT NOT NULL,
  project text NOT NULL,
  branch text NOT NULL,
  code text NOT NULL,
  message text NOT NULL,
  active_version_seq INTEGER,
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
  id text NOT NULL,
  deployment_seq INTEGER NOT NULL REFERENCES deployments ON DELETE CASCADE,
  state text NOT NULL,
  upload_hash BYTES,
  upload_until INTEGER NOT NULL,
  source_seq INTEGER,
  steps text NOT NULL,
  result text,
  worker text,
  worker_until INTEGER,
  attempts INTEGER NOT NULL,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  is_staged INTEGER NOT NULL DEFAULT 0,
  is_preview_only INTEGER NOT NULL DEFAULT 0,
  author text NOT NULL,
  note text,
  is_limited INTEGER NOT NULL DEFAULT 0,
  CONSTRAINT deployment_builds_id_key UNIQUE (id)
);
CREATE INDEX deployment_builds_by_state ON deployment_builds (state, seq);
CREATE INDEX deployment_builds_of_deployment ON deployment_builds (deployment_seq, state);

CREATE TABLE deployment_sources (
  seq SEQ,
  deployment_seq INTEGER NOT NULL REFERENCES deployments ON DELETE CASCADE,
  created_on INTEGER NOT NULL,
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
  hash text NOT NULL,
  data text NOT NULL,
  PRIMARY KEY (deployment_seq, hash)
);

CREATE TABLE deployment_versions (
  seq SEQ,
  id text NOT NULL,
  deployment_seq INTEGER NOT NULL REFERENCES deployments ON DELETE CASCADE,
  number INTEGER NOT NULL,
  build_id text NOT NULL,
  artifact_hash text NOT NULL,
  artifact_bytes INTEGER NOT NULL,
  routes INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
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
  bytes INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX deployment_logs_of_deployment ON deployment_logs (deployment_seq, seq);
CREATE INDEX deployment_logs_by_time ON deployment_logs (time);

-- The total of requests that all nodes admitted in a window.
CREATE TABLE rate_limits (
  scope text NOT NULL,
  subject text NOT NULL,
  window_start INTEGER NOT NULL,
  ends_on INTEGER NOT NULL,
  used INTEGER NOT NULL,
  PRIMARY KEY (scope, subject, window_start)
) WITHOUT_ROWID;
CREATE INDEX rate_limits_by_end ON rate_limits (ends_on);

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

CREATE TABLE subscription_history (
  subscription_seq INTEGER NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  valid_until INTEGER NOT NULL,
  plan_seqs text NOT NULL,
  allowance_period INTEGER,
  allowance text,
  PRIMARY KEY (subscription_seq, valid_until)
) WITHOUT_ROWID;

-- The last batch of each writer is sufficient: a writer has at most one batch of unknown outcome.
CREATE TABLE written_batches (
  writer text NOT NULL PRIMARY KEY,
  number INTEGER NOT NULL,
  written_on INTEGER NOT NULL
) WITHOUT_ROWID;

-- Requests by minute, hour and day, and usage of subscriptions by hour and day.
-- The time is the first column: old rows are a range at the front, and new ones are written next to each other.
CREATE TABLE traffic (
  step INTEGER NOT NULL,
  time INTEGER NOT NULL,
  detail INTEGER NOT NULL,
  account_seq INTEGER NOT NULL,
  deployment_seq INTEGER NOT NULL,
  version INTEGER NOT NULL,
  route SORTED_TEXT NOT NULL,
  status INTEGER NOT NULL,
  consumer SORTED_TEXT NOT NULL,
  requests INTEGER NOT NULL,
  rejected INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  observed INTEGER NOT NULL,
  bytes_in INTEGER NOT NULL,
  bytes_out INTEGER NOT NULL,
  latency BYTES NOT NULL,
  PRIMARY KEY (step, time, detail, account_seq, deployment_seq, version, route, status, consumer)
) WITHOUT_ROWID;
CREATE INDEX traffic_by_consumer ON traffic (account_seq, consumer, step, time) WHERE consumer <> '';

CREATE TABLE traffic_deployments (
  deployment_seq INTEGER NOT NULL PRIMARY KEY,
  account_seq INTEGER NOT NULL
) WITHOUT_ROWID;

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

-- Requests to deployments with their outcome: the access log.
-- No foreign keys: requests are written asynchronously, and their deployment may have been deleted.
CREATE TABLE requests (
  seq SEQ,
  id SORTED_TEXT NOT NULL,
  account_seq INTEGER NOT NULL,
  deployment_seq INTEGER NOT NULL,
  version_seq INTEGER NOT NULL,
  is_failure INTEGER NOT NULL,
  time INTEGER NOT NULL,
  status INTEGER NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  route text,
  consumer text,
  request_id text NOT NULL,
  entry text NOT NULL,
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

CREATE TABLE omitted_requests (
  deployment_seq INTEGER NOT NULL,
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

CREATE TABLE audit_chains (
  account_seq INTEGER PRIMARY KEY,
  account text NOT NULL,
  count INTEGER NOT NULL,
  hash text NOT NULL,
  sealed_on INTEGER NOT NULL,
  anchor INTEGER NOT NULL,
  anchor_hash text NOT NULL,
  oldest_on INTEGER,
  signed_count INTEGER NOT NULL,
  head text
);

CREATE TABLE audit_keys (
  id text PRIMARY KEY,
  public_key text NOT NULL,
  private_key BYTES NOT NULL,
  created_on INTEGER NOT NULL
);

-- Webhooks, their messages and deliveries, and the state of scans for events that are due to time.
CREATE TABLE webhooks (
  seq SEQ,
  id text NOT NULL,
  account_seq INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  url text NOT NULL,
  events text NOT NULL,
  description text,
  is_enabled INTEGER NOT NULL,
  disabled_reason text,
  secret BYTES NOT NULL,
  previous_secret BYTES,
  previous_until INTEGER,
  failing_since INTEGER,
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

CREATE TABLE key_permissions (
  bucket_seq INTEGER NOT NULL,
  permission SORTED_TEXT NOT NULL,
  key_seq INTEGER NOT NULL REFERENCES api_keys ON DELETE CASCADE,
  PRIMARY KEY (bucket_seq, permission, key_seq)
) WITHOUT_ROWID;
CREATE INDEX key_permissions_of_key ON key_permissions (key_seq);

-- No foreign key to the bucket: a job whose bucket was deleted has nothing left to do.
CREATE TABLE jobs (
  seq SEQ,
  id SORTED_TEXT NOT NULL,
  account_seq INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  actor text NOT NULL,
  kind text NOT NULL,
  input text NOT NULL,
  state text NOT NULL,
  position INTEGER NOT NULL,
  done INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  total INTEGER NOT NULL,
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
  environments text NOT NULL,
  value text,
  sealed BYTES,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  is_limited INTEGER NOT NULL DEFAULT 0,
  CONSTRAINT project_variables_account_seq_project_name_key UNIQUE (account_seq, project, name)
);

-- People, their roles in accounts, and their sessions.
CREATE TABLE people (
  seq SEQ,
  id text NOT NULL CONSTRAINT people_id_key UNIQUE,
  email text NOT NULL,
  email_key text CONSTRAINT people_email_key_key UNIQUE,
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
  account_seq INTEGER REFERENCES accounts ON DELETE CASCADE,
  token_seq INTEGER REFERENCES tokens ON DELETE CASCADE,
  token_id text NOT NULL,
  token_hash BYTES NOT NULL,
  created_on INTEGER NOT NULL,
  last_used_on INTEGER NOT NULL,
  expires_on INTEGER NOT NULL,
  person_seq INTEGER REFERENCES people ON DELETE CASCADE,
  method text NOT NULL DEFAULT 'token',
  ip text,
  ended_in text,
  CONSTRAINT sessions_hash_key UNIQUE (hash)
);
CREATE INDEX sessions_of_token ON sessions (token_id, seq);
CREATE INDEX sessions_token ON sessions (token_seq);
CREATE INDEX sessions_account ON sessions (account_seq);
CREATE INDEX sessions_by_end ON sessions (expires_on);
CREATE INDEX sessions_person ON sessions (person_seq);

-- Custom domains of deployments. Any number of accounts may claim a host; at most one owns it.
CREATE TABLE domains (
  seq SEQ,
  id SORTED_TEXT NOT NULL,
  account_seq INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  host SORTED_TEXT NOT NULL,
  deployment_name text NOT NULL,
  status text NOT NULL,
  expires_on INTEGER,
  failing_since INTEGER,
  is_proof_seen INTEGER NOT NULL,
  is_route_seen INTEGER NOT NULL,
  finding text,
  checked_on INTEGER,
  next_check_on INTEGER NOT NULL,
  checks INTEGER NOT NULL,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  mounts text,
  CONSTRAINT domains_host_key UNIQUE (account_seq, host)
);
CREATE UNIQUE INDEX domains_owner ON domains (host) WHERE status <> 'pending';
CREATE INDEX domains_by_id ON domains (account_seq, id);
CREATE INDEX domains_by_check ON domains (next_check_on);

-- Certificates that are ordered from an authority, the accounts there, and the open challenges.
CREATE TABLE certificates (
  host text PRIMARY KEY,
  chain text,
  private_key BYTES,
  issued_on INTEGER,
  due_on INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  error text,
  lease text,
  lease_ends_on INTEGER
);
CREATE INDEX certificates_by_due ON certificates (due_on);

CREATE TABLE acme_accounts (
  directory text PRIMARY KEY,
  private_key BYTES NOT NULL,
  created_on INTEGER NOT NULL
);

CREATE TABLE acme_challenges (
  token text PRIMARY KEY,
  key_authorization text NOT NULL,
  created_on INTEGER NOT NULL
);

-- No reference to the account: its log is kept after its deletion until it expires.
CREATE TABLE audit_segments (
  account_seq INTEGER NOT NULL,
  number INTEGER NOT NULL,
  count INTEGER NOT NULL,
  lowest_id SORTED_TEXT NOT NULL,
  highest_id SORTED_TEXT NOT NULL,
  earliest INTEGER NOT NULL,
  latest INTEGER NOT NULL,
  hashes BYTES NOT NULL,
  entries BYTES NOT NULL,
  sealed_on INTEGER NOT NULL,
  PRIMARY KEY (account_seq, number)
);
CREATE UNIQUE INDEX audit_segments_by_ids ON audit_segments (account_seq, highest_id, lowest_id);

CREATE TABLE audit_topics (
  account_seq INTEGER NOT NULL,
  topic SORTED_TEXT NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (account_seq, topic, number)
) WITHOUT_ROWID;

-- Messages of a deleted account are removed in batches. A foreign key to the account would remove them all in one
-- transaction. SQLite drops a foreign key by copying the table and the tables that reference it.
CREATE TABLE webhook_removals (
  account_seq INTEGER PRIMARY KEY
);

CREATE TABLE webhook_messages (
  seq SEQ,
  account_seq INTEGER NOT NULL,
  id text NOT NULL,
  type text NOT NULL,
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
  message_id text NOT NULL,
  type text NOT NULL,
  status text NOT NULL,
  attempts INTEGER NOT NULL,
  schedule_step INTEGER NOT NULL,
  due_on INTEGER,
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
  response text,
  PRIMARY KEY (delivery_seq, number)
) WITHOUT_ROWID;

-- When keys were last used, many keys per row; see areas/keys/uses/use-store.ts.
CREATE TABLE key_uses (
  block INTEGER PRIMARY KEY,
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
  abort text,
  started_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  ended_on INTEGER,
  outcome text
);

CREATE TABLE canary_counts (
  deployment_seq INTEGER NOT NULL REFERENCES deployments ON DELETE CASCADE,
  is_canary INTEGER NOT NULL,
  second INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  latency BYTES,
  PRIMARY KEY (deployment_seq, is_canary, second)
);

-- The amounts that each node holds from quotas, so that other nodes count them.
CREATE TABLE quota_holds (
  writer text NOT NULL,
  subscription_seq INTEGER NOT NULL,
  period_start INTEGER NOT NULL,
  meter text NOT NULL,
  amount text NOT NULL,
  expires_on INTEGER NOT NULL,
  estimate text NOT NULL DEFAULT '0',
  used_on INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (writer, subscription_seq, period_start, meter)
);

-- Calls of verify-key by minute, hour and day.
-- The bucket is the first column: the rows of a deleted bucket are one range.
CREATE TABLE verifications (
  bucket_seq INTEGER NOT NULL,
  step INTEGER NOT NULL,
  detail INTEGER NOT NULL,
  time INTEGER NOT NULL,
  consumer SORTED_TEXT NOT NULL,
  result SORTED_TEXT NOT NULL,
  amount INTEGER NOT NULL,
  observed INTEGER NOT NULL,
  PRIMARY KEY (bucket_seq, step, detail, time, consumer, result)
) WITHOUT_ROWID;

-- Portals of key buckets, hand-offs to them, and the sessions of customers.
CREATE TABLE portals (
  seq SEQ,
  id text NOT NULL CONSTRAINT portals_id_key UNIQUE,
  account_seq INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  bucket_seq INTEGER NOT NULL CONSTRAINT portals_bucket_seq_key UNIQUE REFERENCES key_buckets ON DELETE CASCADE,
  name text NOT NULL CONSTRAINT portals_name_key UNIQUE,
  host text,
  is_enabled INTEGER NOT NULL,
  settings text NOT NULL,
  logo BYTES,
  logo_type text,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  client_secret BYTES
);
CREATE INDEX portals_by_account ON portals (account_seq);

CREATE TABLE portal_handoffs (
  seq REUSABLE_SEQ,
  hash BYTES NOT NULL CONSTRAINT portal_handoffs_hash_key UNIQUE,
  portal_seq INTEGER NOT NULL REFERENCES portals ON DELETE CASCADE,
  consumer_seq INTEGER NOT NULL REFERENCES consumers ON DELETE CASCADE,
  subject text NOT NULL,
  scopes text NOT NULL,
  return_url text,
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
  manager_seq INTEGER REFERENCES managers ON DELETE CASCADE,
  mailbox text,
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
  projects text,
  state text NOT NULL,
  source text NOT NULL,
  invitation_hash BYTES CONSTRAINT members_invitation_hash_key UNIQUE,
  expires_on INTEGER,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  invited_id text,
  invited_email text,
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
CREATE TABLE mails (
  seq SEQ,
  id text NOT NULL CONSTRAINT mails_id_key UNIQUE,
  account_seq INTEGER REFERENCES accounts ON DELETE CASCADE,
  person_seq INTEGER REFERENCES people ON DELETE CASCADE,
  kind text NOT NULL,
  recipient text NOT NULL,
  subject_id text NOT NULL,
  state text NOT NULL,
  attempts INTEGER NOT NULL,
  due_on INTEGER NOT NULL,
  lease text,
  last_error text,
  created_on INTEGER NOT NULL,
  expires_on INTEGER,
  ended_on INTEGER
);
CREATE INDEX mails_due ON mails (state, due_on);
CREATE INDEX mails_of_account ON mails (account_seq, seq);
CREATE INDEX mails_of_person ON mails (person_seq, seq);

CREATE TABLE sign_ins (
  seq SEQ,
  id text NOT NULL CONSTRAINT sign_ins_id_key UNIQUE,
  audience text NOT NULL,
  email_key text NOT NULL,
  address_group text NOT NULL,
  browser_hash BYTES NOT NULL CONSTRAINT sign_ins_browser_hash_key UNIQUE,
  link_hash BYTES CONSTRAINT sign_ins_link_hash_key UNIQUE,
  code_hash BYTES,
  attempts INTEGER NOT NULL,
  used_on INTEGER,
  created_on INTEGER NOT NULL,
  expires_on INTEGER NOT NULL,
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
  created_by text NOT NULL,
  owner text,
  is_pruning INTEGER NOT NULL,
  steps text NOT NULL,
  inputs BYTES,
  applied_on INTEGER,
  expires_on INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  CONSTRAINT configuration_plans_account_seq_id_key UNIQUE (account_seq, id)
);

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
  contents BYTES NOT NULL,
  pack BYTES NOT NULL,
  PRIMARY KEY (deployment_seq, artifact_hash),
  FOREIGN KEY (deployment_seq, artifact_hash) REFERENCES deployment_artifacts ON DELETE CASCADE
);

CREATE TABLE portal_proofs (
  seq SEQ,
  hash BYTES NOT NULL CONSTRAINT portal_proofs_hash_key UNIQUE,
  portal_seq INTEGER NOT NULL REFERENCES portals ON DELETE CASCADE,
  mailbox text NOT NULL,
  expires_on INTEGER NOT NULL,
  issuer text,
  subject text
);
CREATE INDEX portal_proofs_by_portal ON portal_proofs (portal_seq);
CREATE INDEX portal_proofs_by_expiry ON portal_proofs (expires_on);

CREATE TABLE portal_sign_ups (
  seq SEQ,
  portal_seq INTEGER NOT NULL REFERENCES portals ON DELETE CASCADE,
  consumer_seq INTEGER NOT NULL CONSTRAINT portal_sign_ups_consumer_seq_key UNIQUE REFERENCES consumers ON DELETE CASCADE,
  email text NOT NULL,
  created_on INTEGER NOT NULL,
  is_returning INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX portal_sign_ups_by_portal ON portal_sign_ups (portal_seq, seq);

CREATE TABLE portal_access_requests (
  seq SEQ,
  id text NOT NULL CONSTRAINT portal_access_requests_id_key UNIQUE,
  portal_seq INTEGER NOT NULL REFERENCES portals ON DELETE CASCADE,
  mailbox text NOT NULL,
  label text,
  note text,
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
  profile text NOT NULL,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL
) WITHOUT_ROWID;

CREATE TABLE payment_providers (
  account_seq INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  mode text NOT NULL,
  type text NOT NULL,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  secret_key BYTES,
  webhook_secret BYTES,
  PRIMARY KEY (account_seq, mode)
) WITHOUT_ROWID;

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
  address text,
  tax_ids text,
  currency text,
  payment_method text,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  spend_cap text,
  credit_limit text,
  top_up text,
  tax_status text,
  consumer_id text,
  CONSTRAINT customers_bucket_seq_customer_key_key UNIQUE (bucket_seq, customer_key)
);
-- Finds the customers with a cap, whose spending is compared with it, without reading all customers.
CREATE INDEX customers_capped ON customers (bucket_seq, customer_key) WHERE spend_cap IS NOT NULL OR credit_limit IS NOT NULL;
CREATE INDEX customers_with_top_up ON customers (bucket_seq, customer_key) WHERE top_up IS NOT NULL;
-- Customers are counted and listed in the order of creation without reading all of them.
CREATE INDEX customers_in_order ON customers (bucket_seq, seq);

-- The segments of a deleted subscription are deleted with its counters; its invoices stay.
CREATE TABLE billing_segments (
  seq SEQ,
  subscription_seq INTEGER NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  kind text NOT NULL,
  period_start INTEGER NOT NULL,
  period_end INTEGER NOT NULL,
  starts_on INTEGER NOT NULL,
  ends_on INTEGER,
  terms text NOT NULL,
  billed text NOT NULL
);
CREATE INDEX billing_segments_of_subscription ON billing_segments (subscription_seq, seq);

CREATE TABLE invoices (
  seq SEQ,
  id text NOT NULL,
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  subscription_id text,
  corrects_id text,
  status text NOT NULL,
  number SORTED_TEXT,
  currency text NOT NULL,
  seller text,
  buyer text,
  lines text NOT NULL,
  subtotal text NOT NULL,
  tax text NOT NULL,
  total text NOT NULL,
  amount_due text NOT NULL,
  credited text NOT NULL,
  finalizes_on INTEGER,
  finalized_on INTEGER,
  due_on INTEGER,
  failed_on INTEGER,
  paid_on INTEGER,
  payment_reference text,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  from_credits text NOT NULL DEFAULT '0',
  written_off text NOT NULL DEFAULT '0',
  collection_state text,
  collection_url text,
  collected text,
  refunded text NOT NULL DEFAULT '0',
  refund_state text,
  netted text NOT NULL DEFAULT '0',
  line_credits text NOT NULL DEFAULT '{}',
  purchase_id text,
  tax_behavior text,
  disputed text NOT NULL DEFAULT '0',
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
CREATE TABLE grants (
  seq SEQ,
  id text NOT NULL UNIQUE,
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  meter text,
  currency text,
  funding text NOT NULL,
  priority INTEGER NOT NULL,
  amount text NOT NULL,
  balance text NOT NULL,
  effective_on INTEGER NOT NULL,
  expires_on INTEGER,
  ended_on INTEGER,
  voided_on INTEGER,
  reason text,
  invoice_id text,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  purchase_id text,
  rollover_seq INTEGER
);
CREATE INDEX grants_of_customer ON grants (bucket_seq, customer_key, seq);
CREATE INDEX grants_by_expiry ON grants (expires_on) WHERE expires_on IS NOT NULL AND ended_on IS NULL;
CREATE INDEX grants_of_purchase ON grants (bucket_seq, purchase_id) WHERE purchase_id IS NOT NULL;
CREATE INDEX grants_of_rollover ON grants (rollover_seq) WHERE rollover_seq IS NOT NULL;

CREATE TABLE grant_entries (
  seq SEQ,
  id text NOT NULL,
  grant_seq INTEGER NOT NULL REFERENCES grants ON DELETE CASCADE,
  kind text NOT NULL,
  amount text NOT NULL,
  balance text NOT NULL,
  hour INTEGER,
  subscription_id text,
  meter text,
  invoice_id text,
  created_on INTEGER NOT NULL
);
CREATE INDEX grant_entries_of_grant ON grant_entries (grant_seq, seq);

CREATE TABLE credit_uses (
  subscription_seq INTEGER NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  period_start INTEGER NOT NULL,
  segment_seq INTEGER NOT NULL,
  meter text NOT NULL,
  seen text NOT NULL,
  covered text NOT NULL,
  cost text NOT NULL,
  promotional text NOT NULL,
  paid text NOT NULL,
  applied_promotional text NOT NULL,
  applied_paid text NOT NULL,
  prepaid text NOT NULL DEFAULT '0',
  applied_prepaid text NOT NULL DEFAULT '0',
  written_off text NOT NULL DEFAULT '0',
  applied_written_off text NOT NULL DEFAULT '0',
  written_off_last text NOT NULL DEFAULT '0',
  PRIMARY KEY (subscription_seq, period_start, segment_seq, meter)
) WITHOUT_ROWID;

CREATE TABLE customer_credits (
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  revision INTEGER NOT NULL,
  checks_on INTEGER,
  PRIMARY KEY (bucket_seq, customer_key)
) WITHOUT_ROWID;
CREATE INDEX customer_credits_by_check ON customer_credits (checks_on) WHERE checks_on IS NOT NULL;

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

CREATE TABLE carried_amounts (
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  currency text NOT NULL,
  amount text NOT NULL,
  PRIMARY KEY (bucket_seq, customer_key, currency)
) WITHOUT_ROWID;

CREATE TABLE stripe_customers (
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  stripe_id text,
  began_on INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  payment_method text,
  session_id text,
  sync_on INTEGER,
  sync_until INTEGER,
  wakes INTEGER NOT NULL DEFAULT 0,
  lease text,
  lease_until INTEGER,
  PRIMARY KEY (bucket_seq, customer_key)
) WITHOUT_ROWID;
CREATE INDEX stripe_customers_due ON stripe_customers (sync_on) WHERE sync_on IS NOT NULL;
CREATE INDEX stripe_customers_by_id ON stripe_customers (stripe_id);

CREATE TABLE stripe_invoices (
  invoice_seq INTEGER NOT NULL PRIMARY KEY REFERENCES invoices ON DELETE CASCADE,
  account_seq INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  mode text NOT NULL,
  customer_id text,
  began_on INTEGER,
  stripe_id text,
  stripe_status text,
  amount text,
  attempts INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  error text,
  next_on INTEGER,
  lease text,
  lease_until INTEGER,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  wakes INTEGER NOT NULL DEFAULT 0,
  paid_with text,
  charging INTEGER NOT NULL DEFAULT 0,
  void_on INTEGER,
  requested INTEGER NOT NULL DEFAULT 0,
  performed INTEGER NOT NULL DEFAULT 0,
  recorded text NOT NULL DEFAULT '0',
  payment_intent text,
  refund_events INTEGER NOT NULL DEFAULT 0,
  refunds_read INTEGER NOT NULL DEFAULT 0,
  credited_before text NOT NULL DEFAULT '0'
) WITHOUT_ROWID;
CREATE INDEX stripe_invoices_due ON stripe_invoices (next_on) WHERE next_on IS NOT NULL;
CREATE INDEX stripe_invoices_by_id ON stripe_invoices (account_seq, mode, stripe_id);
CREATE INDEX stripe_invoices_by_payment ON stripe_invoices (account_seq, mode, payment_intent) WHERE payment_intent IS NOT NULL;

CREATE TABLE stripe_events (
  account_seq INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  mode text NOT NULL,
  event_id text NOT NULL,
  received_on INTEGER NOT NULL,
  PRIMARY KEY (account_seq, mode, event_id)
) WITHOUT_ROWID;
CREATE INDEX stripe_events_by_time ON stripe_events (received_on);

CREATE TABLE checkouts (
  hash BYTES NOT NULL PRIMARY KEY,
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  return_url text NOT NULL,
  expires_on INTEGER NOT NULL,
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
  subject_id text NOT NULL,
  due_on INTEGER NOT NULL,
  is_written INTEGER NOT NULL,
  subject text,
  body_text text,
  body_html text
);
CREATE INDEX test_mails_in_order ON test_mails (bucket_seq, is_written, due_on, seq);

-- The rules of the newest key that a customer deleted in a portal, which a new key gets.
CREATE TABLE portal_deleted_keys (
  consumer_seq INTEGER NOT NULL PRIMARY KEY REFERENCES consumers ON DELETE CASCADE,
  key_id text NOT NULL,
  rules text NOT NULL,
  key_created_on INTEGER NOT NULL
);

-- The invitations that customers of portals sent by mail in the last day, which are limited.
CREATE TABLE portal_invite_mails (
  seq SEQ,
  portal_id text NOT NULL,
  consumer_seq INTEGER NOT NULL,
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

-- Marks belong to segments instead of times: several changes of a subscription may have the same time.
CREATE TABLE segment_marks (
  subscription_seq INTEGER NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  period_start INTEGER NOT NULL,
  segment_seq INTEGER NOT NULL,
  time INTEGER NOT NULL,
  meter text NOT NULL,
  whole INTEGER NOT NULL,
  billionths INTEGER NOT NULL,
  consumed_whole INTEGER NOT NULL,
  consumed_billionths INTEGER NOT NULL,
  last_event INTEGER NOT NULL,
  PRIMARY KEY (subscription_seq, period_start, segment_seq, meter)
) WITHOUT_ROWID;

-- Amounts that verify-key holds until they are settled or released.
CREATE TABLE metering_holds (
  id text PRIMARY KEY,
  bucket_seq INTEGER NOT NULL,
  subscription_seq INTEGER NOT NULL REFERENCES subscriptions (seq) ON DELETE CASCADE,
  period_start INTEGER NOT NULL,
  time INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  expires_on INTEGER NOT NULL,
  on_expiry text NOT NULL,
  state text NOT NULL,
  held text NOT NULL,
  counted text NOT NULL
);
CREATE INDEX metering_holds_expiry ON metering_holds (expires_on);
CREATE INDEX metering_holds_open ON metering_holds (expires_on) WHERE state = 'open';
CREATE INDEX metering_holds_of_subscription ON metering_holds (subscription_seq);

-- Requests to models by minute, hour and day.
-- The deployment is the first column: the rows of a deleted one are one range.
CREATE TABLE model_usage (
  deployment_seq INTEGER NOT NULL,
  step INTEGER NOT NULL,
  time INTEGER NOT NULL,
  model SORTED_TEXT NOT NULL,
  provider SORTED_TEXT NOT NULL,
  currency SORTED_TEXT NOT NULL,
  requests INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  estimated INTEGER NOT NULL,
  input INTEGER NOT NULL,
  cached INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  charge INTEGER NOT NULL,
  first_bytes INTEGER NOT NULL,
  first_byte_ms INTEGER NOT NULL,
  PRIMARY KEY (deployment_seq, step, time, model, provider, currency)
) WITHOUT_ROWID;

-- Portals as authorization servers: their signing keys, clients, and what customers have authorized.
CREATE TABLE oauth_keys (
  seq SEQ,
  id text NOT NULL CONSTRAINT oauth_keys_id_key UNIQUE,
  portal_seq INTEGER NOT NULL REFERENCES portals ON DELETE CASCADE,
  public_key text NOT NULL,
  private_key BYTES NOT NULL,
  created_on INTEGER NOT NULL,
  signs_from INTEGER NOT NULL,
  expires_on INTEGER
);
CREATE INDEX oauth_keys_of_portal ON oauth_keys (portal_seq);
CREATE INDEX oauth_keys_by_expiry ON oauth_keys (expires_on);

CREATE TABLE oauth_clients (
  seq SEQ,
  id text NOT NULL CONSTRAINT oauth_clients_id_key UNIQUE,
  portal_seq INTEGER NOT NULL REFERENCES portals ON DELETE CASCADE,
  consumer_seq INTEGER REFERENCES consumers ON DELETE CASCADE,
  type text NOT NULL,
  document_url text,
  name text NOT NULL,
  redirect_uris text NOT NULL,
  secret_hash BYTES,
  registered_from text,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL,
  expires_on INTEGER,
  CONSTRAINT oauth_clients_document_key UNIQUE (portal_seq, document_url)
);
CREATE INDEX oauth_clients_of_portal ON oauth_clients (portal_seq, type, created_on);
CREATE INDEX oauth_clients_of_consumer ON oauth_clients (consumer_seq);
CREATE INDEX oauth_clients_by_expiry ON oauth_clients (expires_on);

CREATE TABLE oauth_authorizations (
  seq SEQ,
  id text NOT NULL CONSTRAINT oauth_authorizations_id_key UNIQUE,
  portal_seq INTEGER NOT NULL REFERENCES portals ON DELETE CASCADE,
  consumer_seq INTEGER NOT NULL REFERENCES consumers ON DELETE CASCADE,
  manager_seq INTEGER REFERENCES managers ON DELETE CASCADE,
  client_seq INTEGER NOT NULL REFERENCES oauth_clients ON DELETE CASCADE,
  subject text NOT NULL,
  granted text NOT NULL,
  rules text NOT NULL,
  deployment text,
  code_hash BYTES CONSTRAINT oauth_authorizations_code_hash_key UNIQUE,
  code_challenge text,
  redirect_uri text,
  code_expires_on INTEGER,
  code_used_on INTEGER,
  refresh_secret BYTES,
  refresh_number INTEGER NOT NULL,
  refreshed_on INTEGER,
  created_on INTEGER NOT NULL,
  expires_on INTEGER,
  consent text
);
CREATE INDEX oauth_authorizations_of_portal ON oauth_authorizations (portal_seq);
CREATE INDEX oauth_authorizations_of_consumer ON oauth_authorizations (consumer_seq);
CREATE INDEX oauth_authorizations_of_manager ON oauth_authorizations (manager_seq);
CREATE INDEX oauth_authorizations_of_client ON oauth_authorizations (client_seq);
CREATE INDEX oauth_authorizations_by_expiry ON oauth_authorizations (expires_on);

-- Destinations to which closed hours are written.
CREATE TABLE exports (
  seq SEQ,
  id text NOT NULL CONSTRAINT exports_id_key UNIQUE,
  account_seq INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  name text NOT NULL,
  url text NOT NULL,
  endpoint text,
  region text,
  credential BYTES,
  access_key_id text,
  kinds text NOT NULL,
  format text NOT NULL,
  is_enabled INTEGER NOT NULL,
  first_hour INTEGER NOT NULL,
  next_hour INTEGER NOT NULL,
  backfill_from INTEGER,
  backfill_next INTEGER,
  written_on INTEGER,
  last_error text,
  failing_since INTEGER,
  failures INTEGER NOT NULL,
  attempt_on INTEGER,
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
  step INTEGER NOT NULL,
  time INTEGER NOT NULL,
  consumer_id SORTED_TEXT NOT NULL,
  consumer SORTED_TEXT NOT NULL,
  model SORTED_TEXT NOT NULL,
  provider SORTED_TEXT NOT NULL,
  currency SORTED_TEXT NOT NULL,
  requests INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  estimated INTEGER NOT NULL,
  input INTEGER NOT NULL,
  cached INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  charge INTEGER NOT NULL,
  first_bytes INTEGER NOT NULL,
  first_byte_ms INTEGER NOT NULL,
  PRIMARY KEY (deployment_seq, step, time, consumer_id, consumer, model, provider, currency)
) WITHOUT_ROWID;

-- Credit packs, their sale by invoices without a subscription, and automatic top-ups of customers.
CREATE TABLE credit_packs (
  seq SEQ,
  id text NOT NULL CONSTRAINT credit_packs_id_key UNIQUE,
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  external_id text NOT NULL,
  label text NOT NULL,
  currency text NOT NULL,
  price text NOT NULL,
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

CREATE TABLE pack_purchases (
  seq SEQ,
  id text NOT NULL CONSTRAINT pack_purchases_id_key UNIQUE,
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  pack_external_id text NOT NULL,
  label text NOT NULL,
  is_top_up INTEGER NOT NULL,
  state text NOT NULL,
  currency text NOT NULL,
  price text NOT NULL,
  total text NOT NULL,
  grant_meter text,
  grant_currency text,
  grant_amount text NOT NULL,
  expires_in_days INTEGER,
  invoice_id text NOT NULL,
  grant_id text,
  paid_on INTEGER,
  expires_on INTEGER,
  stopped_on INTEGER,
  reversed_on INTEGER,
  reversed_used text,
  version INTEGER NOT NULL,
  created_on INTEGER NOT NULL,
  updated_on INTEGER NOT NULL
);
CREATE INDEX pack_purchases_of_customer ON pack_purchases (bucket_seq, customer_key, seq);
CREATE INDEX pack_purchases_by_expiry ON pack_purchases (expires_on) WHERE state = 'open' AND expires_on IS NOT NULL;

-- Words by which consumers are found.
CREATE TABLE consumer_words (
  bucket_seq INTEGER NOT NULL,
  word SORTED_TEXT NOT NULL,
  consumer_seq INTEGER NOT NULL,
  PRIMARY KEY (bucket_seq, word, consumer_seq)
) WITHOUT_ROWID;

CREATE TABLE rollovers (
  seq SEQ,
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  subscription_id text NOT NULL,
  period_start INTEGER NOT NULL,
  period_end INTEGER NOT NULL,
  plan_id text NOT NULL,
  label text NOT NULL,
  meter text NOT NULL,
  maximum text NOT NULL,
  allowance text NOT NULL,
  invoice_id text,
  line INTEGER,
  expires_on INTEGER NOT NULL,
  grant_id text,
  granted text,
  ended_on INTEGER,
  CONSTRAINT rollovers_of_period_key UNIQUE (bucket_seq, subscription_id, period_start, plan_id, meter)
);
CREATE INDEX rollovers_of_customer ON rollovers (bucket_seq, customer_key, expires_on);
CREATE INDEX rollovers_in_progress ON rollovers (bucket_seq, subscription_id) WHERE ended_on IS NULL;

-- The sum of the open invoices of each customer that has some, for lists by amount due. All currencies are counted with the
-- same number of digits.
CREATE TABLE customer_dues (
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key SORTED_TEXT NOT NULL,
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
CREATE TABLE usage_rankings (
  bucket_seq INTEGER PRIMARY KEY REFERENCES metering_buckets ON DELETE CASCADE,
  ranked_on INTEGER,
  previous_ranked_on INTEGER,
  bucket_clock INTEGER,
  size INTEGER NOT NULL,
  next_on INTEGER NOT NULL,
  lease_until INTEGER NOT NULL
) WITHOUT_ROWID;

CREATE TABLE usage_ranking_blocks (
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  ranked_on INTEGER NOT NULL,
  block INTEGER NOT NULL,
  last_share INTEGER NOT NULL,
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
