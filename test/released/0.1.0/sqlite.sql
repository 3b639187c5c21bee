PRAGMA foreign_keys = OFF;
BEGIN;
CREATE TABLE migrations (name text PRIMARY KEY, applied_on bigint NOT NULL);
CREATE TABLE accounts (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL,
  name text NOT NULL,
  version integer NOT NULL,
  created_on integer NOT NULL,
  updated_on integer NOT NULL,
  CONSTRAINT accounts_name_key UNIQUE (name)
);
CREATE TABLE trusted_issuers (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL CONSTRAINT trusted_issuers_id_key UNIQUE,
  account_seq integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  issuer text NOT NULL,
  audience text,
  subject text NOT NULL,
  claims text,
  role text NOT NULL,
  project text,
  environments text NOT NULL,
  branch_claim text,
  version integer NOT NULL,
  created_on integer NOT NULL,
  updated_on integer NOT NULL
);
CREATE INDEX trusted_issuers_of_account ON trusted_issuers (account_seq, seq);
CREATE INDEX trusted_issuers_by_issuer ON trusted_issuers (issuer, audience);
CREATE TABLE tokens (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL,
  account_seq integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  role text NOT NULL,
  name text,
  hash blob NOT NULL,
  expires_on integer,
  last_used_on integer,
  created_on integer NOT NULL,
  created_by text,
  trusted_issuer_seq integer REFERENCES trusted_issuers ON DELETE CASCADE,
  scope text,
  CONSTRAINT tokens_hash_key UNIQUE (hash)
);
CREATE UNIQUE INDEX tokens_account ON tokens (account_seq, id);
CREATE INDEX tokens_of_trusted_issuer ON tokens (trusted_issuer_seq);
CREATE TABLE key_buckets (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL,
  account_seq integer NOT NULL REFERENCES accounts,
  name text NOT NULL,
  description text,
  tags text,
  is_retrievable integer NOT NULL,
  key_prefix text NOT NULL,
  version integer NOT NULL,
  created_on integer NOT NULL,
  updated_on integer NOT NULL,
  has_lookalike_keys integer NOT NULL DEFAULT 0,
  on_leak text NOT NULL DEFAULT 'mark',
  token_issuers text,
  CONSTRAINT key_buckets_account_seq_name_key UNIQUE (account_seq, name)
);
CREATE TABLE consumers (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL,
  bucket_seq integer NOT NULL REFERENCES key_buckets,
  name text NOT NULL,
  description text,
  tags text,
  metadata text,
  version integer NOT NULL,
  created_on integer NOT NULL,
  updated_on integer NOT NULL,
  words_version integer NOT NULL DEFAULT 0,
  CONSTRAINT consumers_bucket_seq_name_key UNIQUE (bucket_seq, name)
);
CREATE INDEX consumers_in_order ON consumers (bucket_seq, seq);
CREATE INDEX consumers_by_id ON consumers (bucket_seq, id);
CREATE INDEX consumers_without_words ON consumers (seq) WHERE words_version <> version;
CREATE TABLE consumer_tags (
  bucket_seq integer NOT NULL,
  name text NOT NULL,
  value text NOT NULL,
  consumer_seq integer NOT NULL,
  PRIMARY KEY (bucket_seq, name, value, consumer_seq)
) WITHOUT ROWID;
CREATE TABLE managers (
  seq integer PRIMARY KEY,
  id text NOT NULL,
  bucket_seq integer NOT NULL,
  consumer_seq integer NOT NULL REFERENCES consumers ON DELETE CASCADE,
  sub text NOT NULL,
  email text,
  email_key text,
  created_on integer NOT NULL,
  scopes text,
  version integer NOT NULL DEFAULT 1,
  issuer text,
  CONSTRAINT managers_consumer_seq_sub_key UNIQUE (consumer_seq, sub)
);
CREATE INDEX managers_by_email ON managers (bucket_seq, email_key, consumer_seq);
CREATE INDEX managers_by_sub ON managers (bucket_seq, sub);
CREATE TABLE manager_invites (
  seq integer PRIMARY KEY,
  id text NOT NULL,
  bucket_seq integer NOT NULL,
  consumer_seq integer NOT NULL REFERENCES consumers ON DELETE CASCADE,
  email text NOT NULL,
  email_key text NOT NULL,
  created_on integer NOT NULL,
  expires_on integer NOT NULL,
  scopes text,
  CONSTRAINT manager_invites_consumer_seq_email_key_key UNIQUE (consumer_seq, email_key)
);
CREATE INDEX manager_invites_by_email ON manager_invites (bucket_seq, email_key, consumer_seq);
CREATE TABLE api_keys (
  seq integer PRIMARY KEY,
  id text NOT NULL,
  bucket_seq integer NOT NULL,
  consumer_seq integer NOT NULL REFERENCES consumers ON DELETE CASCADE,
  hash blob NOT NULL,
  suffix text NOT NULL,
  sealed blob,
  description text,
  expires_on integer,
  version integer NOT NULL,
  created_on integer NOT NULL,
  updated_on integer NOT NULL,
  is_enabled integer NOT NULL DEFAULT 1,
  permissions text,
  allowed_ips text,
  rate_limit text,
  metadata text,
  last_used_on integer,
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
  block integer NOT NULL,
  shard integer NOT NULL,
  size integer NOT NULL,
  PRIMARY KEY (scope, list, block, shard)
) WITHOUT ROWID;
CREATE TABLE idempotency_keys (
  credential text NOT NULL,
  key text NOT NULL,
  fingerprint blob NOT NULL,
  answer blob NOT NULL,
  created_on integer NOT NULL,
  PRIMARY KEY (credential, key)
) WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_on);
CREATE TABLE encryption_keys (
  name text PRIMARY KEY,
  created_on integer NOT NULL
);
CREATE TABLE changes (
  seq integer PRIMARY KEY,
  at integer NOT NULL,
  origin text NOT NULL,
  account_seq integer,
  actor text NOT NULL,
  kind text NOT NULL,
  subject text NOT NULL,
  data text,
  details text,
  state text,
  topics text,
  count integer NOT NULL DEFAULT 1,
  pack blob
);
CREATE TABLE metering_buckets (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL,
  account_seq integer NOT NULL REFERENCES accounts,
  version integer NOT NULL,
  created_on integer NOT NULL,
  updated_on integer NOT NULL,
  name text,
  test_clock integer,
  key_bucket text,
  CONSTRAINT metering_buckets_account_seq_id_key UNIQUE (account_seq, id)
);
CREATE UNIQUE INDEX metering_buckets_account_seq_name_key ON metering_buckets (account_seq, name);
CREATE TABLE plans (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL,
  bucket_seq integer NOT NULL REFERENCES metering_buckets,
  external_id text NOT NULL,
  label text NOT NULL,
  meters text NOT NULL,
  trial_days integer,
  trial_end_status text,
  is_trial_collect_payment integer,
  version integer NOT NULL,
  created_on integer NOT NULL,
  updated_on integer NOT NULL,
  price text,
  rates text,
  features text,
  description text,
  is_public integer,
  list_position integer,
  rollover text,
  CONSTRAINT plans_bucket_seq_id_key UNIQUE (bucket_seq, id),
  CONSTRAINT plans_bucket_seq_external_id_key UNIQUE (bucket_seq, external_id)
);
CREATE INDEX plans_by_label ON plans (bucket_seq, label);
CREATE TABLE subscriptions (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL,
  bucket_seq integer NOT NULL REFERENCES metering_buckets,
  status text NOT NULL,
  renewal_strategy text NOT NULL,
  region text NOT NULL,
  customer_key text NOT NULL,
  external_id text NOT NULL,
  customer_external_id text NOT NULL,
  quota_reset_anchor integer NOT NULL,
  metadata text,
  trial_end_status text,
  trial_start_date integer,
  trial_end_date integer,
  next_billing_cycle integer,
  product_key text,
  allowance_period integer,
  allowance text,
  version integer NOT NULL,
  created_on integer NOT NULL,
  updated_on integer NOT NULL,
  renews_on integer NOT NULL DEFAULT 0,
  bills_on integer,
  blocks_on integer,
  payment text,
  billing text,
  has_credits integer NOT NULL DEFAULT 0,
  expires_on integer,
  CONSTRAINT subscriptions_bucket_seq_id_key UNIQUE (bucket_seq, id)
);
CREATE INDEX subscriptions_in_order ON subscriptions (bucket_seq, seq);
CREATE INDEX subscriptions_by_customer ON subscriptions (bucket_seq, customer_key, seq);
CREATE INDEX subscriptions_by_external_id ON subscriptions (bucket_seq, external_id, seq);
CREATE INDEX subscriptions_by_trial_end ON subscriptions (trial_end_date, seq) WHERE trial_end_date IS NOT NULL;
CREATE INDEX subscriptions_by_renewal ON subscriptions (renews_on);
CREATE INDEX subscriptions_by_billing ON subscriptions (bills_on) WHERE bills_on IS NOT NULL;
CREATE TABLE subscription_plans (
  subscription_seq integer NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  position integer NOT NULL,
  plan_seq integer NOT NULL REFERENCES plans,
  PRIMARY KEY (subscription_seq, position)
) WITHOUT ROWID;
CREATE INDEX subscription_plans_by_plan ON subscription_plans (plan_seq);
CREATE TABLE usage_counters (
  subscription_seq integer NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  period_start integer NOT NULL,
  meter text NOT NULL,
  events integer NOT NULL,
  whole integer NOT NULL,
  billionths integer NOT NULL,
  removed_events integer NOT NULL,
  removed_whole integer NOT NULL,
  removed_billionths integer NOT NULL,
  consumed_whole integer NOT NULL,
  consumed_billionths integer NOT NULL,
  is_unchecked integer NOT NULL DEFAULT 0,
  announced_percent integer NOT NULL DEFAULT 0,
  announced_max text,
  version integer NOT NULL DEFAULT 0,
  PRIMARY KEY (subscription_seq, period_start, meter)
) WITHOUT ROWID;
CREATE INDEX usage_counters_unchecked ON usage_counters (subscription_seq, period_start, meter) WHERE is_unchecked = 1;
CREATE TABLE usage_events (
  seq integer PRIMARY KEY,
  bucket_seq integer NOT NULL,
  source text NOT NULL,
  event_id text NOT NULL,
  part integer NOT NULL,
  subscription_seq integer NOT NULL,
  time integer NOT NULL,
  period_start integer NOT NULL,
  received_on integer NOT NULL,
  meter text NOT NULL,
  whole integer NOT NULL,
  billionths integer NOT NULL,
  voided_on integer,
  CONSTRAINT usage_events_bucket_seq_source_event_id_part_key UNIQUE (bucket_seq, source, event_id, part)
);
CREATE INDEX usage_events_by_period ON usage_events (subscription_seq, period_start);
CREATE TABLE deployments (
  seq integer PRIMARY KEY AUTOINCREMENT,
  account_seq integer NOT NULL REFERENCES accounts,
  name text NOT NULL,
  project text NOT NULL,
  branch text NOT NULL,
  code text NOT NULL,
  message text NOT NULL,
  active_version_seq integer,
  source_seq integer,
  version integer NOT NULL,
  created_on integer NOT NULL,
  updated_on integer NOT NULL,
  CONSTRAINT deployments_name_key UNIQUE (name),
  CONSTRAINT deployments_account_seq_project_branch_key UNIQUE (account_seq, project, branch)
);
CREATE INDEX deployments_by_name ON deployments (account_seq, name);
CREATE TABLE deployment_builds (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL,
  deployment_seq integer NOT NULL REFERENCES deployments ON DELETE CASCADE,
  state text NOT NULL,
  upload_hash blob,
  upload_until integer NOT NULL,
  source_seq integer,
  steps text NOT NULL,
  result text,
  worker text,
  worker_until integer,
  attempts integer NOT NULL,
  version integer NOT NULL,
  created_on integer NOT NULL,
  updated_on integer NOT NULL,
  is_staged integer NOT NULL DEFAULT 0,
  is_preview_only integer NOT NULL DEFAULT 0,
  author text,
  note text,
  is_limited integer NOT NULL DEFAULT 0,
  CONSTRAINT deployment_builds_id_key UNIQUE (id)
);
CREATE INDEX deployment_builds_by_state ON deployment_builds (state, seq);
CREATE INDEX deployment_builds_of_deployment ON deployment_builds (deployment_seq, state);
CREATE TABLE deployment_sources (
  seq integer PRIMARY KEY AUTOINCREMENT,
  deployment_seq integer NOT NULL REFERENCES deployments ON DELETE CASCADE,
  created_on integer NOT NULL,
  is_limited integer NOT NULL DEFAULT 0
);
CREATE INDEX deployment_sources_of_deployment ON deployment_sources (deployment_seq);
CREATE TABLE deployment_source_chunks (
  source_seq integer NOT NULL REFERENCES deployment_sources ON DELETE CASCADE,
  position integer NOT NULL,
  data blob NOT NULL,
  PRIMARY KEY (source_seq, position)
);
CREATE TABLE deployment_artifacts (
  deployment_seq integer NOT NULL REFERENCES deployments ON DELETE CASCADE,
  hash text NOT NULL,
  data text NOT NULL,
  PRIMARY KEY (deployment_seq, hash)
);
CREATE TABLE deployment_versions (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL,
  deployment_seq integer NOT NULL REFERENCES deployments ON DELETE CASCADE,
  number integer NOT NULL,
  build_id text NOT NULL,
  artifact_hash text NOT NULL,
  artifact_bytes integer NOT NULL,
  routes integer NOT NULL,
  created_on integer NOT NULL,
  is_staged integer NOT NULL DEFAULT 0,
  source_seq integer,
  author text,
  note text,
  CONSTRAINT deployment_versions_deployment_seq_number_key UNIQUE (deployment_seq, number)
);
CREATE TABLE deployment_logs (
  seq integer PRIMARY KEY,
  id text NOT NULL,
  deployment_seq integer NOT NULL,
  time integer NOT NULL,
  kind text NOT NULL,
  entry text NOT NULL,
  bytes integer NOT NULL DEFAULT 0
);
CREATE INDEX deployment_logs_of_deployment ON deployment_logs (deployment_seq, seq);
CREATE INDEX deployment_logs_by_time ON deployment_logs (time);
CREATE TABLE rate_limits (
  scope text NOT NULL,
  subject text NOT NULL,
  window_start integer NOT NULL,
  ends_on integer NOT NULL,
  used integer NOT NULL,
  PRIMARY KEY (scope, subject, window_start)
) WITHOUT ROWID;
CREATE INDEX rate_limits_by_end ON rate_limits (ends_on);
CREATE TABLE deployment_log_sizes (
  deployment_seq integer NOT NULL PRIMARY KEY,
  bytes integer NOT NULL
) WITHOUT ROWID;
CREATE TABLE production_branches (
  account_seq integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  project text NOT NULL,
  branch text NOT NULL,
  PRIMARY KEY (account_seq, project)
);
CREATE TABLE plan_history (
  plan_seq integer NOT NULL,
  valid_until integer NOT NULL,
  bucket_seq integer NOT NULL REFERENCES metering_buckets,
  meters text NOT NULL,
  price text,
  rates text,
  rollover text,
  PRIMARY KEY (plan_seq, valid_until)
) WITHOUT ROWID;
CREATE INDEX plan_history_by_bucket ON plan_history (bucket_seq);
CREATE TABLE subscription_history (
  subscription_seq integer NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  valid_until integer NOT NULL,
  plan_seqs text NOT NULL,
  allowance_period integer,
  allowance text,
  PRIMARY KEY (subscription_seq, valid_until)
) WITHOUT ROWID;
CREATE TABLE written_batches (
  writer text NOT NULL PRIMARY KEY,
  number integer NOT NULL,
  written_on integer NOT NULL
) WITHOUT ROWID;
CREATE TABLE traffic (
  step integer NOT NULL,
  time integer NOT NULL,
  detail integer NOT NULL,
  account_seq integer NOT NULL,
  deployment_seq integer NOT NULL,
  version integer NOT NULL,
  route text NOT NULL,
  status integer NOT NULL,
  consumer text NOT NULL,
  requests integer NOT NULL,
  rejected integer NOT NULL,
  errors integer NOT NULL,
  bytes_in integer NOT NULL,
  bytes_out integer NOT NULL,
  latency blob NOT NULL,
  PRIMARY KEY (step, time, detail, account_seq, deployment_seq, version, route, status, consumer)
) WITHOUT ROWID;
CREATE INDEX traffic_by_consumer ON traffic (account_seq, consumer, step, time) WHERE consumer <> '';
CREATE TABLE traffic_deployments (
  deployment_seq integer NOT NULL PRIMARY KEY,
  account_seq integer NOT NULL
) WITHOUT ROWID;
CREATE TABLE usage_hours (
  time integer NOT NULL,
  subscription_seq integer NOT NULL,
  period_start integer NOT NULL,
  meter text NOT NULL,
  whole integer NOT NULL,
  billionths integer NOT NULL,
  PRIMARY KEY (time, subscription_seq, period_start, meter)
) WITHOUT ROWID;
CREATE TABLE usage_days (
  time integer NOT NULL,
  subscription_seq integer NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  period_start integer NOT NULL,
  meter text NOT NULL,
  whole integer NOT NULL,
  billionths integer NOT NULL,
  PRIMARY KEY (subscription_seq, period_start, time, meter)
) WITHOUT ROWID;
CREATE TABLE requests (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL,
  account_seq integer NOT NULL,
  deployment_seq integer NOT NULL,
  version_seq integer NOT NULL,
  is_failure integer NOT NULL,
  time integer NOT NULL,
  status integer NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  route text,
  consumer text,
  request_id text NOT NULL,
  entry text NOT NULL,
  bytes integer NOT NULL
);
CREATE UNIQUE INDEX requests_of_account ON requests (account_seq, id);
CREATE INDEX requests_of_deployment ON requests (deployment_seq, id);
CREATE INDEX requests_by_outcome ON requests (deployment_seq, is_failure, id);
CREATE INDEX requests_by_request_id ON requests (account_seq, request_id);
CREATE TABLE request_sizes (
  deployment_seq integer NOT NULL,
  is_failure integer NOT NULL,
  bytes integer NOT NULL,
  PRIMARY KEY (deployment_seq, is_failure)
) WITHOUT ROWID;
CREATE TABLE omitted_requests (
  deployment_seq integer NOT NULL,
  minute integer NOT NULL,
  account_seq integer NOT NULL,
  successes integer NOT NULL,
  failures integer NOT NULL,
  PRIMARY KEY (deployment_seq, minute)
) WITHOUT ROWID;
CREATE INDEX omitted_requests_of_account ON omitted_requests (account_seq, minute);
CREATE INDEX omitted_requests_by_minute ON omitted_requests (minute);
CREATE TABLE feed_cursors (
  reader text PRIMARY KEY,
  position integer NOT NULL,
  snapshot text,
  target text
);
CREATE TABLE audit_chains (
  account_seq integer PRIMARY KEY,
  account text NOT NULL,
  count integer NOT NULL,
  hash text NOT NULL,
  sealed_on integer NOT NULL,
  anchor integer NOT NULL,
  anchor_hash text NOT NULL,
  oldest_on integer,
  signed_count integer NOT NULL,
  head text
);
CREATE TABLE audit_keys (
  id text PRIMARY KEY,
  public_key text NOT NULL,
  private_key blob NOT NULL,
  created_on integer NOT NULL
);
CREATE TABLE webhooks (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL,
  account_seq integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  url text NOT NULL,
  events text NOT NULL,
  description text,
  is_enabled integer NOT NULL,
  disabled_reason text,
  secret blob NOT NULL,
  previous_secret blob,
  previous_until integer,
  failing_since integer,
  next_due_on integer,
  version integer NOT NULL,
  created_on integer NOT NULL,
  updated_on integer NOT NULL,
  name text
);
CREATE UNIQUE INDEX webhooks_account ON webhooks (account_seq, id);
CREATE INDEX webhooks_due ON webhooks (next_due_on) WHERE next_due_on IS NOT NULL;
CREATE UNIQUE INDEX webhooks_account_seq_name_key ON webhooks (account_seq, name);
CREATE TABLE webhook_timers (
  name text NOT NULL PRIMARY KEY,
  reached_time integer NOT NULL,
  reached_seq integer NOT NULL
) WITHOUT ROWID;
CREATE TABLE key_permissions (
  bucket_seq integer NOT NULL,
  permission text NOT NULL,
  key_seq integer NOT NULL REFERENCES api_keys ON DELETE CASCADE,
  PRIMARY KEY (bucket_seq, permission, key_seq)
) WITHOUT ROWID;
CREATE INDEX key_permissions_of_key ON key_permissions (key_seq);
CREATE TABLE jobs (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL,
  account_seq integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  actor text NOT NULL,
  kind text NOT NULL,
  input text NOT NULL,
  state text NOT NULL,
  position integer NOT NULL,
  done integer NOT NULL,
  failed integer NOT NULL,
  total integer NOT NULL,
  worker text,
  worker_until integer,
  created_on integer NOT NULL,
  updated_on integer NOT NULL,
  CONSTRAINT jobs_account_seq_id_key UNIQUE (account_seq, id)
);
CREATE INDEX jobs_by_state ON jobs (state, seq);
CREATE TABLE project_variables (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL,
  account_seq integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  project text NOT NULL,
  name text NOT NULL,
  environments text NOT NULL,
  value text,
  sealed blob,
  version integer NOT NULL,
  created_on integer NOT NULL,
  updated_on integer NOT NULL,
  is_limited integer NOT NULL DEFAULT 0,
  CONSTRAINT project_variables_account_seq_project_name_key UNIQUE (account_seq, project, name)
);
CREATE TABLE people (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL CONSTRAINT people_id_key UNIQUE,
  email text NOT NULL,
  email_key text CONSTRAINT people_email_key_key UNIQUE,
  issuer text,
  subject text,
  signed_in_on integer,
  created_on integer NOT NULL,
  updated_on integer NOT NULL,
  CONSTRAINT people_issuer_subject_key UNIQUE (issuer, subject)
);
CREATE TABLE sessions (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL,
  hash blob NOT NULL,
  account_seq integer REFERENCES accounts ON DELETE CASCADE,
  token_seq integer REFERENCES tokens ON DELETE CASCADE,
  token_id text NOT NULL,
  token_hash blob NOT NULL,
  created_on integer NOT NULL,
  last_used_on integer NOT NULL,
  expires_on integer NOT NULL,
  person_seq integer REFERENCES people ON DELETE CASCADE,
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
CREATE TABLE domains (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL,
  account_seq integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  host text NOT NULL,
  deployment_name text NOT NULL,
  status text NOT NULL,
  expires_on integer,
  failing_since integer,
  is_proof_seen integer NOT NULL,
  is_route_seen integer NOT NULL,
  finding text,
  checked_on integer,
  next_check_on integer NOT NULL,
  checks integer NOT NULL,
  version integer NOT NULL,
  created_on integer NOT NULL,
  updated_on integer NOT NULL,
  mounts text,
  CONSTRAINT domains_host_key UNIQUE (account_seq, host)
);
CREATE UNIQUE INDEX domains_owner ON domains (host) WHERE status <> 'pending';
CREATE INDEX domains_by_id ON domains (account_seq, id);
CREATE INDEX domains_by_check ON domains (next_check_on);
CREATE TABLE certificates (
  host text PRIMARY KEY,
  chain text,
  private_key blob,
  issued_on integer,
  due_on integer NOT NULL,
  failures integer NOT NULL,
  error text,
  lease text,
  lease_ends_on integer
);
CREATE INDEX certificates_by_due ON certificates (due_on);
CREATE TABLE acme_accounts (
  directory text PRIMARY KEY,
  private_key blob NOT NULL,
  created_on integer NOT NULL
);
CREATE TABLE acme_challenges (
  token text PRIMARY KEY,
  key_authorization text NOT NULL,
  created_on integer NOT NULL
);
CREATE TABLE audit_segments (
  account_seq integer NOT NULL,
  number integer NOT NULL,
  count integer NOT NULL,
  lowest_id text NOT NULL,
  highest_id text NOT NULL,
  earliest integer NOT NULL,
  latest integer NOT NULL,
  hashes blob NOT NULL,
  entries blob NOT NULL,
  sealed_on integer,
  PRIMARY KEY (account_seq, number)
);
CREATE UNIQUE INDEX audit_segments_by_ids ON audit_segments (account_seq, highest_id, lowest_id);
CREATE TABLE audit_topics (
  account_seq integer NOT NULL,
  topic text NOT NULL,
  number integer NOT NULL,
  PRIMARY KEY (account_seq, topic, number)
) WITHOUT ROWID;
CREATE TABLE webhook_removals (
  account_seq integer PRIMARY KEY
);
CREATE TABLE webhook_messages (
  seq integer PRIMARY KEY AUTOINCREMENT,
  account_seq integer NOT NULL,
  id text NOT NULL,
  type text NOT NULL,
  body text NOT NULL,
  created_on integer NOT NULL,
  CONSTRAINT webhook_messages_account_seq_id_key UNIQUE (account_seq, id)
);
CREATE INDEX webhook_messages_by_age ON webhook_messages (created_on);
CREATE INDEX webhook_messages_of_account ON webhook_messages (account_seq, created_on);
CREATE TABLE webhook_deliveries (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL,
  webhook_seq integer NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  message_seq integer NOT NULL REFERENCES "webhook_messages" ON DELETE CASCADE,
  message_id text NOT NULL,
  type text NOT NULL,
  status text NOT NULL,
  attempts integer NOT NULL,
  schedule_step integer NOT NULL,
  due_on integer,
  lease text,
  created_on integer NOT NULL,
  finished_on integer
);
CREATE UNIQUE INDEX webhook_deliveries_in_order ON webhook_deliveries (webhook_seq, id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_seq, due_on) WHERE due_on IS NOT NULL;
CREATE INDEX webhook_deliveries_of_message ON webhook_deliveries (message_seq);
CREATE INDEX webhook_deliveries_by_seq ON webhook_deliveries (webhook_seq, seq);
CREATE TABLE webhook_attempts (
  delivery_seq integer NOT NULL REFERENCES "webhook_deliveries" ON DELETE CASCADE,
  number integer NOT NULL,
  started_on integer NOT NULL,
  duration_ms integer NOT NULL,
  status integer,
  error text,
  response text,
  PRIMARY KEY (delivery_seq, number)
) WITHOUT ROWID;
CREATE TABLE key_uses (
  block integer PRIMARY KEY,
  times blob NOT NULL
);
CREATE TABLE views (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL CONSTRAINT views_id_key UNIQUE,
  account_seq integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  name text NOT NULL,
  page text NOT NULL,
  search text NOT NULL,
  version integer NOT NULL,
  created_on integer NOT NULL,
  updated_on integer NOT NULL,
  CONSTRAINT views_account_seq_name_key UNIQUE (account_seq, name)
);
CREATE TABLE deployment_canaries (
  deployment_seq integer PRIMARY KEY REFERENCES deployments ON DELETE CASCADE,
  id text NOT NULL,
  version_seq integer NOT NULL,
  version_number integer NOT NULL,
  live_version_seq integer NOT NULL,
  live_version_number integer NOT NULL,
  weight integer NOT NULL,
  live_weight integer NOT NULL,
  sticky_by text,
  abort text,
  started_on integer NOT NULL,
  updated_on integer NOT NULL,
  ended_on integer,
  outcome text
);
CREATE TABLE canary_counts (
  deployment_seq integer NOT NULL REFERENCES deployments ON DELETE CASCADE,
  is_canary integer NOT NULL,
  second integer NOT NULL,
  requests integer NOT NULL,
  errors integer NOT NULL,
  latency blob,
  PRIMARY KEY (deployment_seq, is_canary, second)
);
CREATE TABLE quota_holds (
  writer text NOT NULL,
  subscription_seq integer NOT NULL,
  period_start integer NOT NULL,
  meter text NOT NULL,
  amount text NOT NULL,
  expires_on integer NOT NULL,
  estimate text NOT NULL DEFAULT '0',
  used_on integer NOT NULL DEFAULT 0,
  PRIMARY KEY (writer, subscription_seq, period_start, meter)
);
CREATE TABLE verifications (
  bucket_seq integer NOT NULL,
  step integer NOT NULL,
  detail integer NOT NULL,
  time integer NOT NULL,
  consumer text NOT NULL,
  result text NOT NULL,
  amount integer NOT NULL,
  PRIMARY KEY (bucket_seq, step, detail, time, consumer, result)
) WITHOUT ROWID;
CREATE TABLE portals (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL CONSTRAINT portals_id_key UNIQUE,
  account_seq integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  bucket_seq integer NOT NULL CONSTRAINT portals_bucket_seq_key UNIQUE REFERENCES key_buckets ON DELETE CASCADE,
  name text NOT NULL CONSTRAINT portals_name_key UNIQUE,
  host text,
  is_enabled integer NOT NULL,
  settings text NOT NULL,
  logo blob,
  logo_type text,
  version integer NOT NULL,
  created_on integer NOT NULL,
  updated_on integer NOT NULL,
  client_secret blob
);
CREATE INDEX portals_by_account ON portals (account_seq);
CREATE TABLE portal_handoffs (
  seq integer PRIMARY KEY,
  hash blob NOT NULL CONSTRAINT portal_handoffs_hash_key UNIQUE,
  portal_seq integer NOT NULL REFERENCES portals ON DELETE CASCADE,
  consumer_seq integer NOT NULL REFERENCES consumers ON DELETE CASCADE,
  subject text NOT NULL,
  scopes text NOT NULL,
  return_url text,
  viewer text,
  expires_on integer NOT NULL
);
CREATE INDEX portal_handoffs_by_portal ON portal_handoffs (portal_seq);
CREATE INDEX portal_handoffs_by_consumer ON portal_handoffs (consumer_seq);
CREATE INDEX portal_handoffs_by_expiry ON portal_handoffs (expires_on);
CREATE TABLE portal_sessions (
  seq integer PRIMARY KEY,
  id text NOT NULL,
  hash blob NOT NULL CONSTRAINT portal_sessions_hash_key UNIQUE,
  portal_seq integer NOT NULL REFERENCES portals ON DELETE CASCADE,
  consumer_seq integer NOT NULL REFERENCES consumers ON DELETE CASCADE,
  subject text NOT NULL,
  scopes text NOT NULL,
  return_url text,
  viewer text,
  created_on integer NOT NULL,
  expires_on integer NOT NULL,
  manager_seq integer REFERENCES managers ON DELETE CASCADE,
  mailbox text,
  issuer text
);
CREATE INDEX portal_sessions_by_portal ON portal_sessions (portal_seq);
CREATE INDEX portal_sessions_by_consumer ON portal_sessions (consumer_seq);
CREATE INDEX portal_sessions_by_expiry ON portal_sessions (expires_on);
CREATE INDEX portal_sessions_by_manager ON portal_sessions (manager_seq);
CREATE TABLE members (
  seq integer PRIMARY KEY AUTOINCREMENT,
  account_seq integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  person_seq integer NOT NULL REFERENCES people ON DELETE CASCADE,
  name text,
  role text NOT NULL,
  projects text,
  state text NOT NULL,
  source text NOT NULL,
  invitation_hash blob CONSTRAINT members_invitation_hash_key UNIQUE,
  expires_on integer,
  version integer NOT NULL,
  created_on integer NOT NULL,
  updated_on integer NOT NULL,
  invited_id text,
  invited_email text,
  invited_by text,
  CONSTRAINT members_account_seq_person_seq_key UNIQUE (account_seq, person_seq)
);
CREATE INDEX members_of_person ON members (person_seq);
CREATE TABLE removed_members (
  account_seq integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  person_seq integer NOT NULL REFERENCES people ON DELETE CASCADE,
  removed_on integer NOT NULL,
  PRIMARY KEY (account_seq, person_seq)
) WITHOUT ROWID;
CREATE INDEX removed_members_of_person ON removed_members (person_seq);
CREATE TABLE mails (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL CONSTRAINT mails_id_key UNIQUE,
  account_seq integer REFERENCES accounts ON DELETE CASCADE,
  person_seq integer REFERENCES people ON DELETE CASCADE,
  kind text NOT NULL,
  recipient text NOT NULL,
  subject_id text NOT NULL,
  state text NOT NULL,
  attempts integer NOT NULL,
  due_on integer NOT NULL,
  lease text,
  last_error text,
  created_on integer NOT NULL,
  expires_on integer,
  ended_on integer
);
CREATE INDEX mails_due ON mails (state, due_on);
CREATE INDEX mails_of_account ON mails (account_seq, seq);
CREATE INDEX mails_of_person ON mails (person_seq, seq);
CREATE TABLE sign_ins (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL CONSTRAINT sign_ins_id_key UNIQUE,
  audience text NOT NULL,
  email_key text NOT NULL,
  address_group text NOT NULL,
  browser_hash blob NOT NULL CONSTRAINT sign_ins_browser_hash_key UNIQUE,
  link_hash blob CONSTRAINT sign_ins_link_hash_key UNIQUE,
  code_hash blob,
  attempts integer NOT NULL,
  used_on integer,
  created_on integer NOT NULL,
  expires_on integer NOT NULL,
  path text
);
CREATE INDEX sign_ins_of_mailbox ON sign_ins (audience, email_key, created_on);
CREATE INDEX sign_ins_of_address ON sign_ins (address_group, created_on);
CREATE INDEX sign_ins_by_end ON sign_ins (expires_on);
CREATE TABLE configuration_plans (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL,
  account_seq integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  created_by text NOT NULL,
  owner text,
  is_pruning integer NOT NULL,
  steps text NOT NULL,
  inputs blob,
  applied_on integer,
  expires_on integer NOT NULL,
  created_on integer NOT NULL,
  CONSTRAINT configuration_plans_account_seq_id_key UNIQUE (account_seq, id)
);
CREATE TABLE configuration_marks (
  account_seq integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  resource_id text NOT NULL,
  owner text NOT NULL,
  PRIMARY KEY (account_seq, resource_id)
) WITHOUT ROWID;
CREATE TABLE deployment_sites (
  deployment_seq integer NOT NULL,
  artifact_hash text NOT NULL,
  contents blob NOT NULL,
  pack blob NOT NULL,
  PRIMARY KEY (deployment_seq, artifact_hash),
  FOREIGN KEY (deployment_seq, artifact_hash) REFERENCES deployment_artifacts ON DELETE CASCADE
);
CREATE TABLE portal_proofs (
  seq integer PRIMARY KEY AUTOINCREMENT,
  hash blob NOT NULL CONSTRAINT portal_proofs_hash_key UNIQUE,
  portal_seq integer NOT NULL REFERENCES portals ON DELETE CASCADE,
  mailbox text NOT NULL,
  expires_on integer NOT NULL,
  issuer text,
  subject text
);
CREATE INDEX portal_proofs_by_portal ON portal_proofs (portal_seq);
CREATE INDEX portal_proofs_by_expiry ON portal_proofs (expires_on);
CREATE TABLE portal_sign_ups (
  seq integer PRIMARY KEY AUTOINCREMENT,
  portal_seq integer NOT NULL REFERENCES portals ON DELETE CASCADE,
  consumer_seq integer NOT NULL CONSTRAINT portal_sign_ups_consumer_seq_key UNIQUE REFERENCES consumers ON DELETE CASCADE,
  email text NOT NULL,
  label text,
  created_on integer NOT NULL,
  is_returning integer NOT NULL DEFAULT 0
);
CREATE INDEX portal_sign_ups_by_portal ON portal_sign_ups (portal_seq, seq);
CREATE TABLE portal_access_requests (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL CONSTRAINT portal_access_requests_id_key UNIQUE,
  portal_seq integer NOT NULL REFERENCES portals ON DELETE CASCADE,
  mailbox text NOT NULL,
  label text,
  note text,
  state text NOT NULL,
  consumer_name text,
  version integer NOT NULL,
  created_on integer NOT NULL,
  updated_on integer NOT NULL,
  CONSTRAINT portal_access_requests_portal_seq_mailbox_key UNIQUE (portal_seq, mailbox)
);
CREATE INDEX portal_access_requests_in_order ON portal_access_requests (portal_seq, state, seq);
CREATE TABLE billing_profiles (
  account_seq integer NOT NULL PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  profile text NOT NULL,
  version integer NOT NULL,
  created_on integer NOT NULL,
  updated_on integer NOT NULL
) WITHOUT ROWID;
CREATE TABLE payment_providers (
  account_seq integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  mode text NOT NULL,
  type text NOT NULL,
  version integer NOT NULL,
  created_on integer NOT NULL,
  updated_on integer NOT NULL,
  secret_key blob,
  webhook_secret blob,
  PRIMARY KEY (account_seq, mode)
) WITHOUT ROWID;
CREATE TABLE number_series (
  account_seq integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  series text NOT NULL,
  last integer NOT NULL,
  PRIMARY KEY (account_seq, series)
) WITHOUT ROWID;
CREATE TABLE customers (
  seq integer PRIMARY KEY AUTOINCREMENT,
  bucket_seq integer NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  email text,
  legal_name text,
  address text,
  tax_ids text,
  currency text,
  payment_method text,
  version integer NOT NULL,
  created_on integer NOT NULL,
  updated_on integer NOT NULL,
  spend_cap text,
  credit_limit text,
  top_up text,
  tax_status text,
  CONSTRAINT customers_bucket_seq_customer_key_key UNIQUE (bucket_seq, customer_key)
);
CREATE INDEX customers_capped ON customers (bucket_seq, customer_key) WHERE spend_cap IS NOT NULL OR credit_limit IS NOT NULL;
CREATE INDEX customers_with_top_up ON customers (bucket_seq, customer_key) WHERE top_up IS NOT NULL;
CREATE INDEX customers_in_order ON customers (bucket_seq, seq);
CREATE TABLE billing_segments (
  seq integer PRIMARY KEY AUTOINCREMENT,
  subscription_seq integer NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  kind text NOT NULL,
  period_start integer NOT NULL,
  period_end integer NOT NULL,
  starts_on integer NOT NULL,
  ends_on integer,
  terms text NOT NULL,
  billed text NOT NULL
);
CREATE INDEX billing_segments_of_subscription ON billing_segments (subscription_seq, seq);
CREATE TABLE invoices (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL,
  bucket_seq integer NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  subscription_id text,
  corrects_id text,
  status text NOT NULL,
  number text,
  currency text NOT NULL,
  seller text,
  buyer text,
  lines text NOT NULL,
  subtotal text NOT NULL,
  tax text NOT NULL,
  total text NOT NULL,
  amount_due text NOT NULL,
  credited text NOT NULL,
  finalizes_on integer,
  finalized_on integer,
  due_on integer,
  failed_on integer,
  paid_on integer,
  payment_reference text,
  version integer NOT NULL,
  created_on integer NOT NULL,
  updated_on integer NOT NULL,
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
  CONSTRAINT invoices_bucket_seq_id_key UNIQUE (bucket_seq, id)
);
CREATE INDEX invoices_in_order ON invoices (bucket_seq, seq);
CREATE INDEX invoices_of_customer ON invoices (bucket_seq, customer_key, seq);
CREATE INDEX invoices_of_subscription ON invoices (bucket_seq, subscription_id, seq);
CREATE INDEX invoices_by_finalization ON invoices (bucket_seq, finalized_on, seq);
CREATE INDEX invoices_waiting ON invoices (bucket_seq, seq) WHERE status = 'draft' AND finalizes_on IS NULL;
CREATE INDEX invoices_by_number ON invoices (bucket_seq, number);
CREATE INDEX invoices_open ON invoices (bucket_seq, customer_key, seq) WHERE status = 'open';
CREATE INDEX invoices_late ON invoices (bucket_seq, seq) WHERE status = 'open' AND failed_on IS NOT NULL;
CREATE INDEX invoices_paid ON invoices (bucket_seq, paid_on, seq) WHERE paid_on IS NOT NULL;
CREATE TABLE grants (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL UNIQUE,
  bucket_seq integer NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  meter text,
  currency text,
  funding text NOT NULL,
  priority integer NOT NULL,
  amount text NOT NULL,
  balance text NOT NULL,
  effective_on integer NOT NULL,
  expires_on integer,
  ended_on integer,
  voided_on integer,
  reason text,
  invoice_id text,
  version integer NOT NULL,
  created_on integer NOT NULL,
  updated_on integer NOT NULL,
  purchase_id text,
  rollover_seq integer
);
CREATE INDEX grants_of_customer ON grants (bucket_seq, customer_key, seq);
CREATE INDEX grants_by_expiry ON grants (expires_on) WHERE expires_on IS NOT NULL AND ended_on IS NULL;
CREATE INDEX grants_of_purchase ON grants (bucket_seq, purchase_id) WHERE purchase_id IS NOT NULL;
CREATE INDEX grants_of_rollover ON grants (rollover_seq) WHERE rollover_seq IS NOT NULL;
CREATE TABLE grant_entries (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL,
  grant_seq integer NOT NULL REFERENCES grants ON DELETE CASCADE,
  kind text NOT NULL,
  amount text NOT NULL,
  balance text NOT NULL,
  hour integer,
  subscription_id text,
  meter text,
  invoice_id text,
  created_on integer NOT NULL
);
CREATE INDEX grant_entries_of_grant ON grant_entries (grant_seq, seq);
CREATE TABLE credit_uses (
  subscription_seq integer NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  period_start integer NOT NULL,
  segment_seq integer NOT NULL,
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
) WITHOUT ROWID;
CREATE TABLE customer_credits (
  bucket_seq integer NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  revision integer NOT NULL,
  checks_on integer,
  PRIMARY KEY (bucket_seq, customer_key)
) WITHOUT ROWID;
CREATE INDEX customer_credits_by_check ON customer_credits (checks_on) WHERE checks_on IS NOT NULL;
CREATE TABLE spend_periods (
  subscription_seq integer NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  period_start integer NOT NULL,
  owed text NOT NULL,
  written_off text NOT NULL,
  applied text NOT NULL,
  threshold integer NOT NULL,
  is_over integer NOT NULL,
  cap text,
  PRIMARY KEY (subscription_seq, period_start)
) WITHOUT ROWID;
CREATE TABLE carried_amounts (
  bucket_seq integer NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  currency text NOT NULL,
  amount text NOT NULL,
  PRIMARY KEY (bucket_seq, customer_key, currency)
) WITHOUT ROWID;
CREATE TABLE stripe_customers (
  bucket_seq integer NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  stripe_id text,
  began_on integer NOT NULL,
  generation integer NOT NULL,
  payment_method text,
  session_id text,
  sync_on integer,
  sync_until integer,
  wakes integer NOT NULL DEFAULT 0,
  lease text,
  lease_until integer,
  PRIMARY KEY (bucket_seq, customer_key)
) WITHOUT ROWID;
CREATE INDEX stripe_customers_due ON stripe_customers (sync_on) WHERE sync_on IS NOT NULL;
CREATE INDEX stripe_customers_by_id ON stripe_customers (stripe_id);
CREATE TABLE stripe_invoices (
  invoice_seq integer NOT NULL PRIMARY KEY REFERENCES invoices ON DELETE CASCADE,
  account_seq integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  mode text NOT NULL,
  customer_id text,
  began_on integer,
  stripe_id text,
  stripe_status text,
  amount text,
  attempts integer NOT NULL,
  generation integer NOT NULL,
  failures integer NOT NULL,
  error text,
  next_on integer,
  lease text,
  lease_until integer,
  created_on integer NOT NULL,
  updated_on integer NOT NULL,
  wakes integer NOT NULL DEFAULT 0,
  paid_with text,
  charging integer NOT NULL DEFAULT 0,
  void_on integer,
  requested integer NOT NULL DEFAULT 0,
  performed integer NOT NULL DEFAULT 0,
  recorded text NOT NULL DEFAULT '0',
  payment_intent text,
  refund_events integer NOT NULL DEFAULT 0,
  refunds_read integer NOT NULL DEFAULT 0,
  credited_before text NOT NULL DEFAULT '0'
) WITHOUT ROWID;
CREATE INDEX stripe_invoices_due ON stripe_invoices (next_on) WHERE next_on IS NOT NULL;
CREATE INDEX stripe_invoices_by_id ON stripe_invoices (account_seq, mode, stripe_id);
CREATE INDEX stripe_invoices_by_payment ON stripe_invoices (account_seq, mode, payment_intent) WHERE payment_intent IS NOT NULL;
CREATE TABLE stripe_events (
  account_seq integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  mode text NOT NULL,
  event_id text NOT NULL,
  received_on integer NOT NULL,
  PRIMARY KEY (account_seq, mode, event_id)
) WITHOUT ROWID;
CREATE INDEX stripe_events_by_time ON stripe_events (received_on);
CREATE TABLE checkouts (
  hash blob NOT NULL PRIMARY KEY,
  bucket_seq integer NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  return_url text NOT NULL,
  expires_on integer NOT NULL,
  cancel_url text
) WITHOUT ROWID;
CREATE INDEX checkouts_by_expiry ON checkouts (expires_on);
CREATE INDEX checkouts_by_bucket ON checkouts (bucket_seq);
CREATE INDEX checkouts_of_customer ON checkouts (bucket_seq, customer_key);
CREATE TABLE test_mails (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL,
  bucket_seq integer NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  kind text NOT NULL,
  recipient text NOT NULL,
  subject_id text NOT NULL,
  due_on integer NOT NULL,
  is_written integer NOT NULL,
  subject text,
  body_text text,
  body_html text
);
CREATE INDEX test_mails_in_order ON test_mails (bucket_seq, is_written, due_on, seq);
CREATE TABLE portal_deleted_keys (
  consumer_seq integer NOT NULL PRIMARY KEY REFERENCES consumers ON DELETE CASCADE,
  key_id text NOT NULL,
  rules text NOT NULL,
  key_created_on integer
);
CREATE TABLE portal_invite_mails (
  seq integer PRIMARY KEY AUTOINCREMENT,
  portal_id text NOT NULL,
  consumer_seq integer NOT NULL,
  mailbox text NOT NULL,
  created_on integer NOT NULL,
  expires_on integer NOT NULL
);
CREATE INDEX portal_invite_mails_of_consumer ON portal_invite_mails (consumer_seq, created_on);
CREATE INDEX portal_invite_mails_of_mailbox ON portal_invite_mails (portal_id, mailbox, created_on);
CREATE INDEX portal_invite_mails_by_expiry ON portal_invite_mails (expires_on);
CREATE TABLE portal_former_customers (
  seq integer PRIMARY KEY AUTOINCREMENT,
  hash blob NOT NULL CONSTRAINT portal_former_customers_hash_key UNIQUE,
  left_on integer NOT NULL,
  expires_on integer NOT NULL
);
CREATE INDEX portal_former_customers_by_expiry ON portal_former_customers (expires_on);
CREATE TABLE scheduled_plans (
  subscription_seq integer NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  position integer NOT NULL,
  plan_seq integer NOT NULL REFERENCES plans,
  PRIMARY KEY (subscription_seq, position)
) WITHOUT ROWID;
CREATE INDEX scheduled_plans_by_plan ON scheduled_plans (plan_seq);
CREATE TABLE segment_marks (
  subscription_seq integer NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  period_start integer NOT NULL,
  segment_seq integer NOT NULL,
  time integer NOT NULL,
  meter text NOT NULL,
  whole integer NOT NULL,
  billionths integer NOT NULL,
  last_event integer,
  PRIMARY KEY (subscription_seq, period_start, segment_seq, meter)
) WITHOUT ROWID;
CREATE TABLE metering_holds (
  id text PRIMARY KEY,
  bucket_seq integer NOT NULL,
  subscription_seq integer NOT NULL REFERENCES subscriptions (seq) ON DELETE CASCADE,
  period_start integer NOT NULL,
  time integer NOT NULL,
  created_on integer NOT NULL,
  expires_on integer NOT NULL,
  on_expiry text NOT NULL,
  state text NOT NULL,
  held text NOT NULL,
  counted text NOT NULL
);
CREATE INDEX metering_holds_expiry ON metering_holds (expires_on);
CREATE INDEX metering_holds_open ON metering_holds (expires_on) WHERE state = 'open';
CREATE INDEX metering_holds_of_subscription ON metering_holds (subscription_seq);
CREATE TABLE model_usage (
  deployment_seq integer NOT NULL,
  step integer NOT NULL,
  time integer NOT NULL,
  model text NOT NULL,
  provider text NOT NULL,
  currency text NOT NULL,
  requests integer NOT NULL,
  errors integer NOT NULL,
  estimated integer NOT NULL,
  input integer NOT NULL,
  cached integer NOT NULL,
  cache_write integer NOT NULL,
  output integer NOT NULL,
  cost integer NOT NULL,
  charge integer NOT NULL,
  first_bytes integer NOT NULL,
  first_byte_ms integer NOT NULL,
  PRIMARY KEY (deployment_seq, step, time, model, provider, currency)
) WITHOUT ROWID;
CREATE TABLE oauth_keys (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL CONSTRAINT oauth_keys_id_key UNIQUE,
  portal_seq integer NOT NULL REFERENCES portals ON DELETE CASCADE,
  public_key text NOT NULL,
  private_key blob NOT NULL,
  created_on integer NOT NULL,
  signs_from integer NOT NULL,
  expires_on integer
);
CREATE INDEX oauth_keys_of_portal ON oauth_keys (portal_seq);
CREATE INDEX oauth_keys_by_expiry ON oauth_keys (expires_on);
CREATE TABLE oauth_clients (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL CONSTRAINT oauth_clients_id_key UNIQUE,
  portal_seq integer NOT NULL REFERENCES portals ON DELETE CASCADE,
  consumer_seq integer REFERENCES consumers ON DELETE CASCADE,
  type text NOT NULL,
  document_url text,
  name text NOT NULL,
  redirect_uris text NOT NULL,
  secret_hash blob,
  registered_from text,
  version integer NOT NULL,
  created_on integer NOT NULL,
  updated_on integer NOT NULL,
  expires_on integer,
  CONSTRAINT oauth_clients_document_key UNIQUE (portal_seq, document_url)
);
CREATE INDEX oauth_clients_of_portal ON oauth_clients (portal_seq, type, created_on);
CREATE INDEX oauth_clients_of_consumer ON oauth_clients (consumer_seq);
CREATE INDEX oauth_clients_by_expiry ON oauth_clients (expires_on);
CREATE TABLE oauth_authorizations (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL CONSTRAINT oauth_authorizations_id_key UNIQUE,
  portal_seq integer NOT NULL REFERENCES portals ON DELETE CASCADE,
  consumer_seq integer NOT NULL REFERENCES consumers ON DELETE CASCADE,
  manager_seq integer REFERENCES managers ON DELETE CASCADE,
  client_seq integer NOT NULL REFERENCES oauth_clients ON DELETE CASCADE,
  subject text NOT NULL,
  granted text NOT NULL,
  rules text NOT NULL,
  deployment text,
  code_hash blob CONSTRAINT oauth_authorizations_code_hash_key UNIQUE,
  code_challenge text,
  redirect_uri text,
  code_expires_on integer,
  code_used_on integer,
  refresh_secret blob,
  refresh_number integer NOT NULL,
  refreshed_on integer,
  created_on integer NOT NULL,
  expires_on integer,
  consent text
);
CREATE INDEX oauth_authorizations_of_portal ON oauth_authorizations (portal_seq);
CREATE INDEX oauth_authorizations_of_consumer ON oauth_authorizations (consumer_seq);
CREATE INDEX oauth_authorizations_of_manager ON oauth_authorizations (manager_seq);
CREATE INDEX oauth_authorizations_of_client ON oauth_authorizations (client_seq);
CREATE INDEX oauth_authorizations_by_expiry ON oauth_authorizations (expires_on);
CREATE TABLE exports (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL CONSTRAINT exports_id_key UNIQUE,
  account_seq integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  name text NOT NULL,
  url text NOT NULL,
  endpoint text,
  region text,
  credential blob,
  access_key_id text,
  kinds text NOT NULL,
  format text NOT NULL,
  is_enabled integer NOT NULL,
  first_hour integer NOT NULL,
  next_hour integer NOT NULL,
  backfill_from integer,
  backfill_next integer,
  written_on integer,
  last_error text,
  failing_since integer,
  failures integer NOT NULL,
  attempt_on integer,
  lease text,
  leased_until integer,
  version integer NOT NULL,
  created_on integer NOT NULL,
  updated_on integer NOT NULL,
  CONSTRAINT exports_account_seq_name_key UNIQUE (account_seq, name)
);
CREATE TABLE model_usage_consumers (
  deployment_seq integer NOT NULL,
  step integer NOT NULL,
  time integer NOT NULL,
  consumer_id text NOT NULL,
  consumer text NOT NULL,
  model text NOT NULL,
  provider text NOT NULL,
  currency text NOT NULL,
  requests integer NOT NULL,
  errors integer NOT NULL,
  estimated integer NOT NULL,
  input integer NOT NULL,
  cached integer NOT NULL,
  cache_write integer NOT NULL,
  output integer NOT NULL,
  cost integer NOT NULL,
  charge integer NOT NULL,
  first_bytes integer NOT NULL,
  first_byte_ms integer NOT NULL,
  PRIMARY KEY (deployment_seq, step, time, consumer_id, consumer, model, provider, currency)
) WITHOUT ROWID;
CREATE TABLE credit_packs (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL CONSTRAINT credit_packs_id_key UNIQUE,
  bucket_seq integer NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  external_id text NOT NULL,
  label text NOT NULL,
  currency text NOT NULL,
  price text NOT NULL,
  grant_meter text,
  grant_currency text,
  grant_amount text NOT NULL,
  expires_in_days integer,
  is_public integer NOT NULL,
  position integer NOT NULL,
  version integer NOT NULL,
  created_on integer NOT NULL,
  updated_on integer NOT NULL,
  CONSTRAINT credit_packs_bucket_seq_external_id_key UNIQUE (bucket_seq, external_id)
);
CREATE TABLE pack_purchases (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL CONSTRAINT pack_purchases_id_key UNIQUE,
  bucket_seq integer NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  pack_external_id text NOT NULL,
  label text NOT NULL,
  is_top_up integer NOT NULL,
  state text NOT NULL,
  currency text NOT NULL,
  price text NOT NULL,
  total text NOT NULL,
  grant_meter text,
  grant_currency text,
  grant_amount text NOT NULL,
  expires_in_days integer,
  invoice_id text NOT NULL,
  grant_id text,
  paid_on integer,
  expires_on integer,
  stopped_on integer,
  reversed_on integer,
  reversed_used text,
  version integer NOT NULL,
  created_on integer NOT NULL,
  updated_on integer NOT NULL
);
CREATE INDEX pack_purchases_of_customer ON pack_purchases (bucket_seq, customer_key, seq);
CREATE INDEX pack_purchases_by_expiry ON pack_purchases (expires_on) WHERE state = 'open' AND expires_on IS NOT NULL;
CREATE TABLE consumer_words (
  bucket_seq integer NOT NULL,
  word text NOT NULL,
  consumer_seq integer NOT NULL,
  PRIMARY KEY (bucket_seq, word, consumer_seq)
) WITHOUT ROWID;
CREATE TABLE rollovers (
  seq integer PRIMARY KEY AUTOINCREMENT,
  bucket_seq integer NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  subscription_id text NOT NULL,
  period_start integer NOT NULL,
  period_end integer NOT NULL,
  plan_id text NOT NULL,
  label text NOT NULL,
  meter text NOT NULL,
  maximum text NOT NULL,
  allowance text NOT NULL,
  invoice_id text,
  line integer,
  expires_on integer NOT NULL,
  grant_id text,
  granted text,
  ended_on integer,
  CONSTRAINT rollovers_of_period_key UNIQUE (bucket_seq, subscription_id, period_start, plan_id, meter)
);
CREATE INDEX rollovers_of_customer ON rollovers (bucket_seq, customer_key, expires_on);
CREATE INDEX rollovers_in_progress ON rollovers (bucket_seq, subscription_id) WHERE ended_on IS NULL;
CREATE TABLE customer_dues (
  bucket_seq integer NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  customer_key text NOT NULL,
  due integer NOT NULL,
  PRIMARY KEY (bucket_seq, customer_key)
) WITHOUT ROWID;
CREATE INDEX customer_dues_in_order ON customer_dues (bucket_seq, due DESC, customer_key);
CREATE TABLE removed_usage (
  seq integer PRIMARY KEY,
  subscription_seq integer NOT NULL,
  period_start integer NOT NULL,
  meter text NOT NULL,
  events integer NOT NULL,
  whole integer NOT NULL,
  billionths integer NOT NULL
);
CREATE INDEX removed_usage_by_period ON removed_usage (subscription_seq, period_start);
CREATE TABLE usage_rankings (
  bucket_seq integer PRIMARY KEY REFERENCES metering_buckets ON DELETE CASCADE,
  ranked_on integer,
  previous_ranked_on integer,
  bucket_clock integer,
  size integer NOT NULL,
  next_on integer NOT NULL,
  lease_until integer NOT NULL
) WITHOUT ROWID;
CREATE TABLE usage_ranking_blocks (
  bucket_seq integer NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  ranked_on integer NOT NULL,
  block integer NOT NULL,
  last_share integer NOT NULL,
  ranks text NOT NULL,
  PRIMARY KEY (bucket_seq, ranked_on, block)
);
CREATE INDEX usage_ranking_blocks_by_share ON usage_ranking_blocks (bucket_seq, ranked_on, last_share, block);
INSERT INTO migrations ("name", "applied_on") VALUES ('0001-initial', 1768471200000);
INSERT INTO accounts ("seq", "id", "name", "version", "created_on", "updated_on") VALUES (1, 'acct_0V8MevgG7aL2RdIS3uOY7jkd', 'default', 1, 1768471200000, 1768471200000);
INSERT INTO tokens ("seq", "id", "account_seq", "role", "name", "hash", "expires_on", "last_used_on", "created_on", "created_by", "trusted_issuer_seq", "scope") VALUES (1, 'tokn_0V8MevgG7aL4FliYwSfOWRKO', 1, 'admin', 'TOLLGATE_ADMIN_TOKEN', X'69e0f808545ab84a30114604cedae05edfe2a570dbe3b6bbfcc6dc3b56eb1d7d', NULL, 1768471200000, 1768471200000, NULL, NULL, NULL);
INSERT INTO tokens ("seq", "id", "account_seq", "role", "name", "hash", "expires_on", "last_used_on", "created_on", "created_by", "trusted_issuer_seq", "scope") VALUES (2, 'tokn_0V8MevgG7aLbTfRISr7OP6tK', 1, 'reader', 'dashboard', X'4e097fdbd1501b46630fc268ed74afba1a5cbd1f29670a0447fa3e89d89fe0cb', NULL, NULL, 1768471200000, NULL, NULL, NULL);
INSERT INTO key_buckets ("seq", "id", "account_seq", "name", "description", "tags", "is_retrievable", "key_prefix", "version", "created_on", "updated_on", "has_lookalike_keys", "on_leak", "token_issuers") VALUES (1, 'bckt_0V8MevgG7aL6romj2by4PHzf', 1, 'main', NULL, NULL, 1, 'tg', 1, 1768471200000, 1768471200000, 0, 'mark', NULL);
INSERT INTO consumers ("seq", "id", "bucket_seq", "name", "description", "tags", "metadata", "version", "created_on", "updated_on", "words_version") VALUES (1, 'csmr_0V8MevgG7aL8FY0OUM3taZXI', 1, 'acme', NULL, '{"region":"eu"}', '{"plan":"gold","nested":{"text":"it''s \"quoted\"\nand long: äöü 😀"}}', 1, 1768471200000, 1768471200000, 1);
INSERT INTO consumers ("seq", "id", "bucket_seq", "name", "description", "tags", "metadata", "version", "created_on", "updated_on", "words_version") VALUES (2, 'csmr_0V8MevgG7aLRSYBx9z6Av75x', 1, 'beta', NULL, NULL, NULL, 1, 1768471200000, 1768471200000, 1);
INSERT INTO consumer_tags ("bucket_seq", "name", "value", "consumer_seq") VALUES (1, 'region', 'eu', 1);
INSERT INTO managers ("seq", "id", "bucket_seq", "consumer_seq", "sub", "email", "email_key", "created_on", "scopes", "version", "issuer") VALUES (1, 'mngr_0V8MevgG7aLNM7hE2OWiNq8l', 1, 1, 'auth|jo', 'jo@example.com', 'jo@example.com', 1768471200000, NULL, 1, NULL);
INSERT INTO manager_invites ("seq", "id", "bucket_seq", "consumer_seq", "email", "email_key", "created_on", "expires_on", "scopes") VALUES (1, 'mngi_0V8MevgG7aLP8YwlQ1BIKEnV', 1, 1, 'kim@example.com', 'kim@example.com', 1768471200000, 1769076000000, NULL);
INSERT INTO api_keys ("seq", "id", "bucket_seq", "consumer_seq", "hash", "suffix", "sealed", "description", "expires_on", "version", "created_on", "updated_on", "is_enabled", "permissions", "allowed_ips", "rate_limit", "metadata", "last_used_on", "leak") VALUES (1, 'key_0V8MevgG7aLANFtVdTtiD6OR', 1, 1, X'424fa8662dca577209bc770aed51d13d70364def7b9e73f3149bd9a1794f8779', 'e293c353', X'4fe8a5037949c8870cdcfa0976d9ec64759b259ddc1c43efbbda7f183d994db3189b37a798fd4ebc50ba3ca42d02c92d82d4bcfbbf9e7f840fc5e5068bd825a9b0b27dd662731dcac9ece1ea', 'generated', NULL, 1, 1768471200000, 1768471200000, 1, NULL, NULL, NULL, NULL, 1768471200000, NULL);
INSERT INTO api_keys ("seq", "id", "bucket_seq", "consumer_seq", "hash", "suffix", "sealed", "description", "expires_on", "version", "created_on", "updated_on", "is_enabled", "permissions", "allowed_ips", "rate_limit", "metadata", "last_used_on", "leak") VALUES (2, 'key_0V8MevgG7aLDxWlMyMLNi8LB', 1, 1, X'fec03ca1d61f2502b9e60496092d12d55dc7665b23ddc3306477e78c1b957699', 'er-1234', X'4fe8a5038a5e1b1d80162cf3ed705bdb17d14eb49c34a0656f8a887bf0a89e3e4ea4fedcea71763afe3dcb32298759a8d916d27c15b07b297025c017de', NULL, NULL, 1, 1768471200000, 1768471200000, 1, NULL, NULL, NULL, NULL, 1768471200000, NULL);
INSERT INTO api_keys ("seq", "id", "bucket_seq", "consumer_seq", "hash", "suffix", "sealed", "description", "expires_on", "version", "created_on", "updated_on", "is_enabled", "permissions", "allowed_ips", "rate_limit", "metadata", "last_used_on", "leak") VALUES (3, 'key_0V8MevgG7aLGWwAgujEvQSAY', 1, 1, X'd5b7b29c3fc448e0846ba047c9b73bcfdceb77da32d9d25aa454acd8d6b2e1a5', 'ac01d5d8', X'4fe8a503a3d0f209f67cfdf8808d44af5d0eab87460fc6b602bd56b1ac477c5e275fc7a4bb6f3d28a804e6cd934fb40bfd6167d296d66e5320cd4fbd8ff2fac0f962c4bfe079780e7247a596', 'expired', 1768471199000, 1, 1768471200000, 1768471200000, 1, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO api_keys ("seq", "id", "bucket_seq", "consumer_seq", "hash", "suffix", "sealed", "description", "expires_on", "version", "created_on", "updated_on", "is_enabled", "permissions", "allowed_ips", "rate_limit", "metadata", "last_used_on", "leak") VALUES (4, 'key_0V8MevgG7aLTzFMV6SMawa7Y', 1, 1, X'1df66559e3a9c4e07f4feeaafc69b01693c5f969813742cc4fadb4366fad3351', '1d60b01b', X'4fe8a50329a3ce522843828ca61dfa165c91f8cb399cf275129a5b5a630a3766fb64e98152d6d9ba99d0a402a5a15159250219ba6778fa47d22d28e14917775d35f8fd13f3e9b45d7c027417', 'once', NULL, 1, 1768471200000, 1768471200000, 1, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('bckt_0V8MevgG7aL6romj2by4PHzf', '', 0, 0, 2);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('bckt_0V8MevgG7aL6romj2by4PHzf', '["region","eu"]', 0, 0, 1);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('bckt_0V8MevgG7aL6romj2by4PHzf', 'keys', 0, 0, 4);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('bckt_0V8MevgG7aL6romj2by4PHzf', 'keys ["region","eu"]', 0, 0, 4);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('mtr_0V8MevgG7aLVkGV6SvwBhRqe', 'customers', 0, 0, 1);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('mtr_0V8MevgG7aLVkGV6SvwBhRqe', 'subscriptions', 0, 0, 1);
INSERT INTO idempotency_keys ("credential", "key", "fingerprint", "answer", "created_on") VALUES ('tokn_0V8MevgG7aL4FliYwSfOWRKO', 'released', X'fb0da8380c915c6c412f57d77e8d28fed4223ef15ef2816e47717e8f7ea27902', X'4fe8a503082e27f1f3eb3a4186cae23729bb8c6e545ece1c5d155f1858dfb2dad9cf0e4ff95564ddc9e53ed5575a903178faffae297daf0b948e4049b5ba9f34b13219157a2602126cefddd8545b451a4f633e528fd773a6c6b5c78fac0a5f8be086a3884617ffb7c05e833c065199ce1e13fa3d8db8cb544bf47d0ea43e8d7939b5206283216d750cb02850be894697a7e114f7d4665fc0e43ca90294a91a6859ce11fbb28b6bb7d0e524d787447290a0a58290a68c4243c65499c60ac042034325492d31f4cf0c2679a2a9c6d5779b305a0dea42362018f47ebaadb655561a088ccd3d340933b764aed383c9fad8f547febba024423840720851a433d312575fc14061c7eb016ad7d90e52dcfcaf1424f379e9dbff95b74895221c950d03efdc076c1326a318315f1b94fde544a7d6e9531c0a118206effad016d4a0ef057d2af22c20640048682fe50b7b4dfc6ba2f6dfa01f05f4f12a88c822a607262c033c0e3e5db76bcc435c4944a6fcbff1b8d70d591905f476ed654a383f3a3584916855c329218e3328667938493bc9b46481c6ab349b7e9c7a4079ea2399461cdbdfd9c45a', 1768471200000);
INSERT INTO encryption_keys ("name", "created_on") VALUES ('4fe8a503', 1768471200000);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (1, 1768471200000, 'local', 1, 'system', 'account.created', 'acct_0V8MevgG7aL2RdIS3uOY7jkd', NULL, '{"id":"audt_0V8MevgG7aL3rQTVfwlVBS4b","time":"2026-01-15T10:00:00.000Z","action":"account.created","actor":{"type":"system","id":"system"},"resource":{"type":"account","id":"acct_0V8MevgG7aL2RdIS3uOY7jkd","name":"default"},"changes":[{"pointer":"","after":{"id":"acct_0V8MevgG7aL2RdIS3uOY7jkd","name":"default","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (2, 1768471200000, 'local', 1, 'system', 'token.created', 'tokn_0V8MevgG7aL4FliYwSfOWRKO', NULL, '{"id":"audt_0V8MevgG7aL5l4XIGkTCfkzG","time":"2026-01-15T10:00:00.000Z","action":"token.created","actor":{"type":"system","id":"system"},"resource":{"type":"token","id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","name":"TOLLGATE_ADMIN_TOKEN"},"changes":[{"pointer":"","after":{"id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","role":"admin","createdOn":"2026-01-15T10:00:00.000Z","name":"TOLLGATE_ADMIN_TOKEN"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (3, 1768471200000, 'local', 1, 'tokn_0V8MevgG7aL4FliYwSfOWRKO', 'bucket.created', 'bckt_0V8MevgG7aL6romj2by4PHzf', '{"name":"main"}', '{"id":"audt_0V8MevgG7aL7vy4gVxKwTi3j","time":"2026-01-15T10:00:00.000Z","action":"bucket.created","actor":{"type":"token","id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"bucket","id":"bckt_0V8MevgG7aL6romj2by4PHzf","name":"main"},"requestId":"9935f3da-83a3-40ce-836d-3dc834445595","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"bckt_0V8MevgG7aL6romj2by4PHzf","name":"main","isRetrievable":true,"keyPrefix":"tg","onLeak":"mark","tokenIssuers":[],"createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (4, 1768471200000, 'local', 1, 'tokn_0V8MevgG7aL4FliYwSfOWRKO', 'consumer.created', 'csmr_0V8MevgG7aL8FY0OUM3taZXI', NULL, '{"id":"audt_0V8MevgG7aL9FjLE4IHIgUhX","time":"2026-01-15T10:00:00.000Z","action":"consumer.created","actor":{"type":"token","id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"consumer","id":"csmr_0V8MevgG7aL8FY0OUM3taZXI","name":"acme","parent":{"type":"bucket","id":"bckt_0V8MevgG7aL6romj2by4PHzf","name":"main"}},"requestId":"575e0aa6-b300-48ef-9939-9f0f73f5fb37","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"csmr_0V8MevgG7aL8FY0OUM3taZXI","name":"acme","tags":{"region":"eu"},"metadata":{"plan":"gold","nested":{"text":"it''s \"quoted\"\nand long: äöü 😀"}},"createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, 'bckt_0V8MevgG7aL6romj2by4PHzf', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (5, 1768471200000, 'local', 1, 'tokn_0V8MevgG7aL4FliYwSfOWRKO', 'key.created', 'csmr_0V8MevgG7aL8FY0OUM3taZXI', '{"keyIds":["key_0V8MevgG7aLANFtVdTtiD6OR"]}', '{"id":"audt_0V8MevgG7aLBq0StUPjFIxzK","time":"2026-01-15T10:00:00.000Z","action":"key.created","actor":{"type":"token","id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG7aLANFtVdTtiD6OR","parent":{"type":"consumer","id":"csmr_0V8MevgG7aL8FY0OUM3taZXI","name":"acme"}},"requestId":"03b7bf7d-b4ec-4556-8b15-6aba55235429","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"key_0V8MevgG7aLANFtVdTtiD6OR","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"generated","isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgG7aLANFtVdTtiD6OR","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"generated","isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgG7aL6romj2by4PHzf","name":"main"}}', 'key_0V8MevgG7aLANFtVdTtiD6OR', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (6, 1768471200000, 'local', 1, 'tokn_0V8MevgG7aL4FliYwSfOWRKO', 'key.revealed', 'key_0V8MevgG7aLANFtVdTtiD6OR', NULL, '{"id":"audt_0V8MevgG7aLCxKLv7Vr7ZC20","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG7aLANFtVdTtiD6OR","parent":{"type":"consumer","id":"csmr_0V8MevgG7aL8FY0OUM3taZXI","name":"acme"}},"requestId":"ba216039-0d45-4fdf-a0c3-dfcbcefc1953","ip":"127.0.0.1","changes":[],"counts":{"keys":1}}', NULL, 'csmr_0V8MevgG7aL8FY0OUM3taZXI', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (7, 1768471200000, 'local', 1, 'tokn_0V8MevgG7aL4FliYwSfOWRKO', 'key.created', 'csmr_0V8MevgG7aL8FY0OUM3taZXI', '{"keyIds":["key_0V8MevgG7aLDxWlMyMLNi8LB"]}', '{"id":"audt_0V8MevgG7aLEVZvY6SQc8Zwe","time":"2026-01-15T10:00:00.000Z","action":"key.created","actor":{"type":"token","id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG7aLDxWlMyMLNi8LB","parent":{"type":"consumer","id":"csmr_0V8MevgG7aL8FY0OUM3taZXI","name":"acme"}},"requestId":"3aed4f39-3519-461c-bc2a-e6dd15bc69dd","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"key_0V8MevgG7aLDxWlMyMLNi8LB","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgG7aLDxWlMyMLNi8LB","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgG7aL6romj2by4PHzf","name":"main"}}', 'key_0V8MevgG7aLDxWlMyMLNi8LB', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (8, 1768471200000, 'local', 1, 'tokn_0V8MevgG7aL4FliYwSfOWRKO', 'key.revealed', 'key_0V8MevgG7aLDxWlMyMLNi8LB', NULL, '{"id":"audt_0V8MevgG7aLFMg8edYVyT2kr","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG7aLDxWlMyMLNi8LB","parent":{"type":"consumer","id":"csmr_0V8MevgG7aL8FY0OUM3taZXI","name":"acme"}},"requestId":"19363da0-ba87-4be1-8bba-f2aeb8df9a9c","ip":"127.0.0.1","changes":[],"counts":{"keys":1}}', NULL, 'csmr_0V8MevgG7aL8FY0OUM3taZXI', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (9, 1768471200000, 'local', 1, 'tokn_0V8MevgG7aL4FliYwSfOWRKO', 'key.created', 'csmr_0V8MevgG7aL8FY0OUM3taZXI', '{"keyIds":["key_0V8MevgG7aLGWwAgujEvQSAY"]}', '{"id":"audt_0V8MevgG7aLHOABk9gPTIJpc","time":"2026-01-15T10:00:00.000Z","action":"key.created","actor":{"type":"token","id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG7aLGWwAgujEvQSAY","parent":{"type":"consumer","id":"csmr_0V8MevgG7aL8FY0OUM3taZXI","name":"acme"}},"requestId":"0fde7c0c-bc53-4638-a152-2b95039210da","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"key_0V8MevgG7aLGWwAgujEvQSAY","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":"2026-01-15T09:59:59.000Z","description":"expired","isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgG7aLGWwAgujEvQSAY","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":"2026-01-15T09:59:59.000Z","description":"expired","isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgG7aL6romj2by4PHzf","name":"main"}}', 'key_0V8MevgG7aLGWwAgujEvQSAY', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (10, 1768471200000, 'local', 1, 'tokn_0V8MevgG7aL4FliYwSfOWRKO', 'key.revealed', 'key_0V8MevgG7aLGWwAgujEvQSAY', NULL, '{"id":"audt_0V8MevgG7aLILJVlDAUJEwKZ","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG7aLGWwAgujEvQSAY","parent":{"type":"consumer","id":"csmr_0V8MevgG7aL8FY0OUM3taZXI","name":"acme"}},"requestId":"93f3f31e-4592-43f3-9e6e-0cc82de43675","ip":"127.0.0.1","changes":[],"counts":{"keys":1}}', NULL, 'csmr_0V8MevgG7aL8FY0OUM3taZXI', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (11, 1768471200000, 'local', 1, 'tokn_0V8MevgG7aL4FliYwSfOWRKO', 'key.created', 'csmr_0V8MevgG7aL8FY0OUM3taZXI', '{"keyIds":["key_0V8MevgG7aLJkH9JN2of0dpQ"]}', '{"id":"audt_0V8MevgG7aLKMuGEMmdX8dCX","time":"2026-01-15T10:00:00.000Z","action":"key.created","actor":{"type":"token","id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG7aLJkH9JN2of0dpQ","parent":{"type":"consumer","id":"csmr_0V8MevgG7aL8FY0OUM3taZXI","name":"acme"}},"requestId":"7be0e263-07c7-4406-84e0-525b8c7a4276","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"key_0V8MevgG7aLJkH9JN2of0dpQ","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"revoked","isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgG7aLJkH9JN2of0dpQ","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"revoked","isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgG7aL6romj2by4PHzf","name":"main"}}', 'key_0V8MevgG7aLJkH9JN2of0dpQ', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (12, 1768471200000, 'local', 1, 'tokn_0V8MevgG7aL4FliYwSfOWRKO', 'key.revealed', 'key_0V8MevgG7aLJkH9JN2of0dpQ', NULL, '{"id":"audt_0V8MevgG7aLLzC4QKXyYVJWp","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG7aLJkH9JN2of0dpQ","parent":{"type":"consumer","id":"csmr_0V8MevgG7aL8FY0OUM3taZXI","name":"acme"}},"requestId":"41303e34-f620-4cfc-a45c-b067a8f4f07c","ip":"127.0.0.1","changes":[],"counts":{"keys":1}}', NULL, 'csmr_0V8MevgG7aL8FY0OUM3taZXI', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (13, 1768471200000, 'local', 1, 'tokn_0V8MevgG7aL4FliYwSfOWRKO', 'key.deleted', 'key_0V8MevgG7aLJkH9JN2of0dpQ', '{"bucketSeq":1,"hash":"G78wZBkPieRfrUvReaKiFf796eIz+YrYw9P1OtS8GUU="}', '{"id":"audt_0V8MevgG7aLMTXjhZxLD7TS7","time":"2026-01-15T10:00:00.000Z","action":"key.deleted","actor":{"type":"token","id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG7aLJkH9JN2of0dpQ","parent":{"type":"consumer","id":"csmr_0V8MevgG7aL8FY0OUM3taZXI","name":"acme"}},"requestId":"812ba44e-259a-4ee7-a2f0-acc308cbd973","ip":"127.0.0.1","changes":[{"pointer":"","before":{"id":"key_0V8MevgG7aLJkH9JN2of0dpQ","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"revoked","isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgG7aLJkH9JN2of0dpQ","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"revoked","isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgG7aL6romj2by4PHzf","name":"main"}}', 'csmr_0V8MevgG7aL8FY0OUM3taZXI', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (14, 1768471200000, 'local', 1, 'tokn_0V8MevgG7aL4FliYwSfOWRKO', 'manager.created', 'mngr_0V8MevgG7aLNM7hE2OWiNq8l', '{"consumerId":"csmr_0V8MevgG7aL8FY0OUM3taZXI"}', '{"id":"audt_0V8MevgG7aLOS84Fdlbm2uEk","time":"2026-01-15T10:00:00.000Z","action":"manager.created","actor":{"type":"token","id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"manager","id":"mngr_0V8MevgG7aLNM7hE2OWiNq8l","name":"jo@example.com","parent":{"type":"consumer","id":"csmr_0V8MevgG7aL8FY0OUM3taZXI","name":"acme"}},"requestId":"5393c773-9b86-4139-b815-93edfcefd854","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"mngr_0V8MevgG7aLNM7hE2OWiNq8l","createdOn":"2026-01-15T10:00:00.000Z","email":"jo@example.com","sub":"auth|jo"}}]}', NULL, 'csmr_0V8MevgG7aL8FY0OUM3taZXI', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (15, 1768471200000, 'local', 1, 'tokn_0V8MevgG7aL4FliYwSfOWRKO', 'manager-invite.created', 'mngi_0V8MevgG7aLP8YwlQ1BIKEnV', '{"consumerId":"csmr_0V8MevgG7aL8FY0OUM3taZXI"}', '{"id":"audt_0V8MevgG7aLQ5K4AVYwrfV7v","time":"2026-01-15T10:00:00.000Z","action":"manager-invite.created","actor":{"type":"token","id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"manager-invite","id":"mngi_0V8MevgG7aLP8YwlQ1BIKEnV","name":"kim@example.com","parent":{"type":"consumer","id":"csmr_0V8MevgG7aL8FY0OUM3taZXI","name":"acme"}},"requestId":"b675f8a1-ab53-467b-ba23-d16e61f10b8d","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"mngi_0V8MevgG7aLP8YwlQ1BIKEnV","email":"kim@example.com","createdOn":"2026-01-15T10:00:00.000Z","expiresOn":"2026-01-22T10:00:00.000Z"}}]}', NULL, 'csmr_0V8MevgG7aL8FY0OUM3taZXI', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (16, 1768471200000, 'local', 1, 'tokn_0V8MevgG7aL4FliYwSfOWRKO', 'consumer.created', 'csmr_0V8MevgG7aLRSYBx9z6Av75x', NULL, '{"id":"audt_0V8MevgG7aLS08QUeoDSsAMG","time":"2026-01-15T10:00:00.000Z","action":"consumer.created","actor":{"type":"token","id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"consumer","id":"csmr_0V8MevgG7aLRSYBx9z6Av75x","name":"beta","parent":{"type":"bucket","id":"bckt_0V8MevgG7aL6romj2by4PHzf","name":"main"}},"requestId":"069f1c86-3750-403d-9051-8deefe4c6eae","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"csmr_0V8MevgG7aLRSYBx9z6Av75x","name":"beta","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, 'bckt_0V8MevgG7aL6romj2by4PHzf', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (17, 1768471200000, 'local', 1, 'tokn_0V8MevgG7aL4FliYwSfOWRKO', 'key.created', 'csmr_0V8MevgG7aL8FY0OUM3taZXI', '{"keyIds":["key_0V8MevgG7aLTzFMV6SMawa7Y"]}', '{"id":"audt_0V8MevgG7aLUxd545XA99LX9","time":"2026-01-15T10:00:00.000Z","action":"key.created","actor":{"type":"token","id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG7aLTzFMV6SMawa7Y","parent":{"type":"consumer","id":"csmr_0V8MevgG7aL8FY0OUM3taZXI","name":"acme"}},"requestId":"5ae23438-3bab-46b1-8ba0-221b0f8c444f","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"key_0V8MevgG7aLTzFMV6SMawa7Y","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"once","isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgG7aLTzFMV6SMawa7Y","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"once","isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgG7aL6romj2by4PHzf","name":"main"}}', 'key_0V8MevgG7aLTzFMV6SMawa7Y', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (18, 1768471200000, 'local', 1, 'tokn_0V8MevgG7aL4FliYwSfOWRKO', 'metering-bucket.created', 'mtr_0V8MevgG7aLVkGV6SvwBhRqe', '{}', '{"id":"audt_0V8MevgG7aLW8HuYAf0j6PRb","time":"2026-01-15T10:00:00.000Z","action":"metering-bucket.created","actor":{"type":"token","id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"metering-bucket","id":"mtr_0V8MevgG7aLVkGV6SvwBhRqe"},"requestId":"3f7c07c9-f561-4f58-9a23-1e4f483254ae","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"mtr_0V8MevgG7aLVkGV6SvwBhRqe","accountName":"default","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (19, 1768471200000, 'local', 1, 'tokn_0V8MevgG7aL4FliYwSfOWRKO', 'plan.created', 'plan_0V8MevgG7aLXoO34XKJUPHBM', '{"bucketId":"mtr_0V8MevgG7aLVkGV6SvwBhRqe"}', '{"id":"audt_0V8MevgG7aLY7rx11DF9SkRf","time":"2026-01-15T10:00:00.000Z","action":"plan.created","actor":{"type":"token","id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"plan","id":"plan_0V8MevgG7aLXoO34XKJUPHBM","name":"price-1","parent":{"type":"metering-bucket","id":"mtr_0V8MevgG7aLVkGV6SvwBhRqe"}},"requestId":"b369db98-03cc-4f10-996e-129f4f04142a","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"plan_0V8MevgG7aLXoO34XKJUPHBM","label":"Gold","planExternalId":"price-1","meters":{"requests":{"label":"Requests","max":100}},"hasSubscriptions":false,"createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, 'mtr_0V8MevgG7aLVkGV6SvwBhRqe', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (20, 1768471200000, 'local', 1, 'tokn_0V8MevgG7aL4FliYwSfOWRKO', 'subscription.created', 'sbsc_0V8MevgG7aLZQWglM9bb9pI4', '{"bucketId":"mtr_0V8MevgG7aLVkGV6SvwBhRqe","customerKey":"acme"}', '{"id":"audt_0V8MevgG7aLaVGJ3cstV18G6","time":"2026-01-15T10:00:00.000Z","action":"subscription.created","actor":{"type":"token","id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"subscription","id":"sbsc_0V8MevgG7aLZQWglM9bb9pI4","name":"sub-2","parent":{"type":"metering-bucket","id":"mtr_0V8MevgG7aLVkGV6SvwBhRqe"}},"requestId":"ead9fd36-f44d-49a0-8e98-8673cff1e544","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"sbsc_0V8MevgG7aLZQWglM9bb9pI4","planIds":["plan_0V8MevgG7aLXoO34XKJUPHBM"],"planExternalIds":["price-1"],"status":"active","type":"periodic","renewalStrategy":"monthly","region":"europe-west4","customerKey":"acme","subscriptionExternalId":"sub-2","customerExternalId":"cus_1","quotaResetAnchor":"2026-01-15T10:00:00.000Z","nextBillingCycle":"2026-02-15T10:00:00.000Z","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, 'mtr_0V8MevgG7aLVkGV6SvwBhRqe', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (21, 1768471200000, 'local', 1, 'tokn_0V8MevgG7aL4FliYwSfOWRKO', 'usage.recorded', 'mtr_0V8MevgG7aLVkGV6SvwBhRqe', '{"events":1}', NULL, NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (22, 1768471200000, 'local', 1, 'tokn_0V8MevgG7aL4FliYwSfOWRKO', 'token.created', 'tokn_0V8MevgG7aLbTfRISr7OP6tK', NULL, '{"id":"audt_0V8MevgG7aLcqJxagbd60d34","time":"2026-01-15T10:00:00.000Z","action":"token.created","actor":{"type":"token","id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"token","id":"tokn_0V8MevgG7aLbTfRISr7OP6tK","name":"dashboard"},"requestId":"c2ff1305-6f77-4137-9655-bc9db79b01ea","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"tokn_0V8MevgG7aLbTfRISr7OP6tK","role":"reader","createdOn":"2026-01-15T10:00:00.000Z","name":"dashboard"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (23, 1768471200000, 'local', 1, 'tokn_0V8MevgG7aL4FliYwSfOWRKO', 'deployment.created', 'shop-main-46a1663', NULL, '{"id":"audt_0V8MevgG7aLdvG7BJSL1HwXg","time":"2026-01-15T10:00:00.000Z","action":"deployment.created","actor":{"type":"token","id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"deployment","id":"shop-main-46a1663","name":"shop-main-46a1663"},"requestId":"fc940d88-e5ee-49ce-a162-8c052334229b","ip":"127.0.0.1","changes":[{"pointer":"","after":{"name":"shop-main-46a1663","label":"main","urlParameter":"main","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","loggingId":"default::shop::main::46a1663","accountName":"default","projectName":"shop","state":"PENDING","message":"","branchName":"main","environmentType":"PRODUCTION"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (24, 1768471200000, 'local', 1, 'tokn_0V8MevgG7aL4FliYwSfOWRKO', 'deployment.upload-requested', 'shop-main-46a1663', '{"statusId":"082a515b-a6a1-4f3d-ba8f-6044bc35d4a6"}', '{"id":"audt_0V8MevgG7aLeeDsP9mxnmdxd","time":"2026-01-15T10:00:00.000Z","action":"deployment.upload_requested","actor":{"type":"token","id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"deployment","id":"shop-main-46a1663","name":"shop-main-46a1663"},"requestId":"fc940d88-e5ee-49ce-a162-8c052334229b","ip":"127.0.0.1","changes":[{"pointer":"","after":{"name":"shop-main-46a1663","label":"main","urlParameter":"main","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","loggingId":"default::shop::main::46a1663","accountName":"default","projectName":"shop","state":"PENDING","message":"","branchName":"main","environmentType":"PRODUCTION","statusId":"082a515b-a6a1-4f3d-ba8f-6044bc35d4a6"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (25, 1768471200000, 'local', 1, 'upload address', 'deployment.build-queued', 'shop-main-46a1663', '{"statusId":"082a515b-a6a1-4f3d-ba8f-6044bc35d4a6"}', '{"id":"audt_0V8MevgG7aLfBfu88b8GvWki","time":"2026-01-15T10:00:00.000Z","action":"deployment.uploaded","actor":{"type":"system","id":"upload address"},"resource":{"type":"deployment","id":"shop-main-46a1663","name":"shop-main-46a1663"},"requestId":"6c8f523a-1c8d-4e73-a561-3eafaf74e800","ip":"127.0.0.1","changes":[{"pointer":"","after":{"name":"shop-main-46a1663","label":"main","urlParameter":"main","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","loggingId":"default::shop::main::46a1663","accountName":"default","projectName":"shop","state":"BUILDING","message":"","branchName":"main","environmentType":"PRODUCTION","statusId":"082a515b-a6a1-4f3d-ba8f-6044bc35d4a6"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (26, 1768471200000, 'local', 1, 'system', 'deployment.activated', 'shop-main-46a1663', '{"deploymentSeq":1,"accountName":"default","versionSeq":1,"versionNumber":1,"artifactHash":"414ce1deeb7ef9028bfdb7ed549ee4efdca7e706d714c5aaf10a19e006a46a1f"}', '{"id":"audt_0V8MevgG7aLjoEinQnfyY5Bd","time":"2026-01-15T10:00:00.000Z","action":"deployment.succeeded","actor":{"type":"system","id":"system"},"resource":{"type":"deployment","id":"shop-main-46a1663","name":"shop-main-46a1663"},"changes":[{"pointer":"","after":{"name":"shop-main-46a1663","label":"main","urlParameter":"main","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","loggingId":"default::shop::main::46a1663","accountName":"default","projectName":"shop","state":"STARTED","message":"","branchName":"main","activeVersion":1,"environmentType":"PRODUCTION","version":1}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (27, 1768471200000, 'local', 1, 'tokn_0V8MevgG7aL4FliYwSfOWRKO', 'key.revealed', 'bckt_0V8MevgG7aL6romj2by4PHzf', NULL, '{"id":"audt_0V8MevgG7aLoZ5OVtNAYs8AE","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"bucket","id":"bckt_0V8MevgG7aL6romj2by4PHzf","name":"main"},"requestId":"ab4e253c-5992-428c-bd29-155244e5b231","ip":"127.0.0.1","changes":[],"counts":{"keys":4}}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (28, 1768471200000, 'local', 1, 'tokn_0V8MevgG7aL4FliYwSfOWRKO', 'key.revealed', 'csmr_0V8MevgG7aL8FY0OUM3taZXI', NULL, '{"id":"audt_0V8MevgG7aLpNNyaZHJwAHPk","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"consumer","id":"csmr_0V8MevgG7aL8FY0OUM3taZXI","name":"acme"},"requestId":"9b912327-7234-4e50-81a5-50abf76c2a95","ip":"127.0.0.1","changes":[],"counts":{"keys":4}}', NULL, NULL, 1, NULL);
INSERT INTO metering_buckets ("seq", "id", "account_seq", "version", "created_on", "updated_on", "name", "test_clock", "key_bucket") VALUES (1, 'mtr_0V8MevgG7aLVkGV6SvwBhRqe', 1, 1, 1768471200000, 1768471200000, NULL, NULL, NULL);
INSERT INTO plans ("seq", "id", "bucket_seq", "external_id", "label", "meters", "trial_days", "trial_end_status", "is_trial_collect_payment", "version", "created_on", "updated_on", "price", "rates", "features", "description", "is_public", "list_position", "rollover") VALUES (1, 'plan_0V8MevgG7aLXoO34XKJUPHBM', 1, 'price-1', 'Gold', '{"requests":{"label":"Requests","max":100}}', NULL, NULL, NULL, 1, 1768471200000, 1768471200000, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO subscriptions ("seq", "id", "bucket_seq", "status", "renewal_strategy", "region", "customer_key", "external_id", "customer_external_id", "quota_reset_anchor", "metadata", "trial_end_status", "trial_start_date", "trial_end_date", "next_billing_cycle", "product_key", "allowance_period", "allowance", "version", "created_on", "updated_on", "renews_on", "bills_on", "blocks_on", "payment", "billing", "has_credits", "expires_on") VALUES (1, 'sbsc_0V8MevgG7aLZQWglM9bb9pI4', 1, 'active', 'monthly', 'europe-west4', 'acme', 'sub-2', 'cus_1', 1768471200000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 1768471200000, 1768471200000, 1771149600000, NULL, NULL, NULL, NULL, 0, NULL);
INSERT INTO subscription_plans ("subscription_seq", "position", "plan_seq") VALUES (1, 0, 1);
INSERT INTO usage_counters ("subscription_seq", "period_start", "meter", "events", "whole", "billionths", "removed_events", "removed_whole", "removed_billionths", "consumed_whole", "consumed_billionths", "is_unchecked", "announced_percent", "announced_max", "version") VALUES (1, 1768471200000, 'requests', 1, 7, 0, 0, 0, 0, 6, 0, 1, 0, NULL, 2);
INSERT INTO usage_events ("seq", "bucket_seq", "source", "event_id", "part", "subscription_seq", "time", "period_start", "received_on", "meter", "whole", "billionths", "voided_on") VALUES (1, 1, 'gateway', 'event-3', 0, 1, 1768471200000, 1768471200000, 1768471200000, 'requests', 7, 0, NULL);
INSERT INTO deployments ("seq", "account_seq", "name", "project", "branch", "code", "message", "active_version_seq", "source_seq", "version", "created_on", "updated_on") VALUES (1, 1, 'shop-main-46a1663', 'shop', 'main', '46a1663', '', 1, 1, 3, 1768471200000, 1768471200000);
INSERT INTO deployment_builds ("seq", "id", "deployment_seq", "state", "upload_hash", "upload_until", "source_seq", "steps", "result", "worker", "worker_until", "attempts", "version", "created_on", "updated_on", "is_staged", "is_preview_only", "author", "note", "is_limited") VALUES (1, '082a515b-a6a1-4f3d-ba8f-6044bc35d4a6', 1, 'succeeded', X'b87712c47fc85d8920db4596e2fb5f5dabdf6a2d99787f06802e89ef2e89c8f0', 1768474800000, 1, '{"upload":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.000Z","finishedOn":"2026-01-15T10:00:00.000Z"},"unpack":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.000Z","finishedOn":"2026-01-15T10:00:00.040Z"},"validate":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.040Z","finishedOn":"2026-01-15T10:00:00.530Z"},"build":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.530Z","finishedOn":"2026-01-15T10:00:00.565Z"},"start":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.000Z","finishedOn":"2026-01-15T10:00:00.000Z"}}', '{"success":true,"durationMs":633,"artifact":{"sha256":"414ce1deeb7ef9028bfdb7ed549ee4efdca7e706d714c5aaf10a19e006a46a1f","bytes":2275},"routes":1,"warnings":[],"errors":[]}', NULL, 1768471210000, 1, 7, 1768471200000, 1768471200000, 0, 0, '{"type":"token","id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","name":"TOLLGATE_ADMIN_TOKEN"}', NULL, 0);
INSERT INTO deployment_sources ("seq", "deployment_seq", "created_on", "is_limited") VALUES (1, 1, 1768471200000, 0);
INSERT INTO deployment_source_chunks ("source_seq", "position", "data") VALUES (1, 0, X'1f8b0800000000000003ed563d6fdb3010f5ec5f71e094a0b64235b15db86d862e418176710a2f4510b0d2c5662d913249f90386fe7b404a7624c24987360e0ae80da274efc87b14c847ca0c05cb78f05b4bd17925504a875757605b4aa9dfd2900e2954ef8ea06138082ddf3901726d98ead0bfaee54fee3fc1ae0b4064b908c818c865100694f46c948b0749c660330088e126419bf103b571090064854a73296c38245d80c275cc9899eba79e17734c1279b1132cc5e21006203334b54f00a250675268749ddd58159131c55234a82cf3f310875a6797674b5831aeed3539ee645a6d3ea37099738531198351397aac8ee698b286d08a31dbcc55d3467131b3f37f42d13df67e579bd3a66f6492cc98416f6c3267224e50d9a15319e709eaf217064637a4934c263ce2e8ff1400b2c06d3317802c7369981f4c78ca4d5dfa5dd7975db6f659748bb75eaf2dfe2df66bf0350f803ff83f1d0e06beff8f68d8faffc9fcbfe62395673bffa859f5deea58c6fb0bdc1e5c84c8cc7029eab900e4571e2d9cb7939471419a3e521d1da51b1d29d1b4a9970a7cb58e4d52a3eee9f4c3775ccd6e46ecdb7471331ddeaed65fe69365fd0c2087f3a3e1b5d6fb511b1b0f9f73be4a71699547142b66b05fb22fcbae17a394d6c4adb988e5fa162329624b0fe989ccd73f60de62ff87a3d0dbffef2fe9a8ddffa7006e32a90cc4f8c0f2c4c0d9fd1826e52aed412485c18d19c30edc054c5b2e922afe54de787a50b6d7509cc3e76b10b8864975853b236e45018177fb71827290c05ecece3f9e64762d5ab468d1a2f30c1e01db6b5f4c00120000');
INSERT INTO deployment_artifacts ("deployment_seq", "hash", "data") VALUES (1, '414ce1deeb7ef9028bfdb7ed549ee4efdca7e706d714c5aaf10a19e006a46a1f', '{"format":1,"environment":{},"policies":{"keys":{"type":"api-key","options":{"bucket":"main","header":"authorization","scheme":"Bearer","allowAnonymous":false,"oauth":false}},"quota":{"type":"quota","options":{"bucketId":"mtr_0V8MevgG7aLVkGV6SvwBhRqe","meters":{"requests":1},"statuses":["1xx","2xx","3xx","4xx"],"overQuota":"reject"}},"limit":{"type":"rate-limit","options":{"by":"consumer","requests":1000,"windowSeconds":60,"window":"fixed","legacyHeaders":true}}},"routes":[{"path":"/hello/{name}","method":"GET","target":{"handler":"modules/hello.ts"},"policies":["keys","quota","limit"],"timeoutSeconds":30}],"document":{"file":"openapi.json","text":"{\n  \"openapi\": \"3.1.0\",\n  \"info\": {\n    \"title\": \"Test\",\n    \"version\": \"1\"\n  },\n  \"paths\": {\n    \"/hello/{name}\": {\n      \"get\": {\n        \"responses\": {},\n        \"parameters\": [\n          {\n            \"name\": \"name\",\n            \"in\": \"path\",\n            \"required\": true,\n            \"schema\": {\n              \"type\": \"string\"\n            }\n          }\n        ],\n        \"x-tollgate\": {\n          \"handler\": \"modules/hello.ts\",\n          \"policies\": [\n            \"keys\",\n            \"quota\",\n            \"limit\"\n          ]\n        }\n      }\n    }\n  }\n}"},"site":"9f1e76c651892508eeb173853ce49ffaf159bdd257c8f414c852d1d4fe406f48","code":"var __defProp = Object.defineProperty;\nvar __export = (target, all) => {\n  for (var name in all)\n    __defProp(target, name, { get: all[name], enumerable: true });\n};\n\n// project:modules/hello.ts\nvar hello_exports = {};\n__export(hello_exports, {\n  default: () => hello_default\n});\nvar hello_default = (_, context) => new Response(\"hello \" + context.params.name);\n\n// all-modules.js\nvar all_modules_default = { \"modules/hello.ts\": hello_exports };\nexport {\n  all_modules_default as default\n};\n//# sourceMappingURL=data:application/json;base64,ewogICJ2ZXJzaW9uIjogMywKICAic291cmNlcyI6IFsicHJvamVjdDptb2R1bGVzL2hlbGxvLnRzIiwgImFsbC1tb2R1bGVzLmpzIl0sCiAgIm1hcHBpbmdzIjogIjs7Ozs7OztBQUFBO0FBQUE7QUFBQTtBQUFBO0FBQUEsSUFBTyxnQkFBUSxDQUFDLEdBQVksWUFBZ0QsSUFBSSxTQUFTLFdBQVcsUUFBUSxPQUFPLElBQUk7OztBQ0N2SCxJQUFPLHNCQUFRLEVBQUUsb0JBQW9CLGNBQVE7IiwKICAibmFtZXMiOiBbXQp9Cg==\n"}');
INSERT INTO deployment_versions ("seq", "id", "deployment_seq", "number", "build_id", "artifact_hash", "artifact_bytes", "routes", "created_on", "is_staged", "source_seq", "author", "note") VALUES (1, 'vrsn_0V8MevgG7aLhJUu3yJ2YGhbO', 1, 1, '082a515b-a6a1-4f3d-ba8f-6044bc35d4a6', '414ce1deeb7ef9028bfdb7ed549ee4efdca7e706d714c5aaf10a19e006a46a1f', 2275, 1, 1768471200000, 0, 1, '{"type":"token","id":"tokn_0V8MevgG7aL4FliYwSfOWRKO","name":"TOLLGATE_ADMIN_TOKEN"}', NULL);
INSERT INTO deployment_logs ("seq", "id", "deployment_seq", "time", "kind", "entry", "bytes") VALUES (1, 'log_0V8MevgG7aLg3qKPqa3WweY0', 1, 1768471200000, 'build', '{"level":"info","message":"Build 082a515b-a6a1-4f3d-ba8f-6044bc35d4a6 began."}', 228);
INSERT INTO deployment_logs ("seq", "id", "deployment_seq", "time", "kind", "entry", "bytes") VALUES (2, 'log_0V8MevgG7aLie5ZMFPOeQadR', 1, 1768471200000, 'build', '{"level":"info","message":"Built version 1: 1 route, 2275 bytes."}', 216);
INSERT INTO deployment_logs ("seq", "id", "deployment_seq", "time", "kind", "entry", "bytes") VALUES (3, 'log_0V8MevgG7aLkHlDhTw6OyXZO', 1, 1768471200000, 'build', '{"level":"info","message":"Version 1 is live."}', 197);
INSERT INTO rate_limits ("scope", "subject", "window_start", "ends_on", "used") VALUES ('shop-main-46a1663 limit 60', 'csmr_0V8MevgG7aL8FY0OUM3taZXI', 1768471200000, 1768471260000, 1);
INSERT INTO deployment_log_sizes ("deployment_seq", "bytes") VALUES (1, 641);
INSERT INTO written_batches ("writer", "number", "written_on") VALUES ('094879ba-55fc-4645-8853-033ca2abeb63', 1, 1768471200000);
INSERT INTO written_batches ("writer", "number", "written_on") VALUES ('8de9c196-e79f-4e64-96f9-1046480d0d02', 1, 1768471200000);
INSERT INTO written_batches ("writer", "number", "written_on") VALUES ('b2e63b53-7999-404f-94f7-14a42e92fe3e', 1, 1768471200000);
INSERT INTO written_batches ("writer", "number", "written_on") VALUES ('d60e9663-a744-4ddf-a5c3-f50d804fcab5', 1, 1768471200000);
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (60000, 1768471200000, 0, 1, 1, 1, '', 200, '', 1, 0, 0, 0, 8, X'5501');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (60000, 1768471200000, 1, 1, 1, 1, '/hello/{name}', 200, '', 1, 0, 0, 0, 8, X'5501');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (60000, 1768471200000, 2, 1, 1, 1, '/hello/{name}', 200, 'acme', 1, 0, 0, 0, 8, X'5501');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (60000, 1768471200000, 3, 1, 1, 1, 'key_0V8MevgG7aLANFtVdTtiD6OR', 200, 'acme', 1, 0, 0, 0, 8, X'5501');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (60000, 1768471200000, 6, 1, 1, 1, 'csmr_0V8MevgG7aL8FY0OUM3taZXI', 200, 'acme', 1, 0, 0, 0, 8, X'5501');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (3600000, 1768471200000, 0, 1, 1, 1, '', 200, '', 1, 0, 0, 0, 8, X'5501');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (3600000, 1768471200000, 1, 1, 1, 1, '/hello/{name}', 200, '', 1, 0, 0, 0, 8, X'5501');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (3600000, 1768471200000, 2, 1, 1, 1, '/hello/{name}', 200, 'acme', 1, 0, 0, 0, 8, X'5501');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (3600000, 1768471200000, 3, 1, 1, 1, 'key_0V8MevgG7aLANFtVdTtiD6OR', 200, 'acme', 1, 0, 0, 0, 8, X'5501');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (3600000, 1768471200000, 6, 1, 1, 1, 'csmr_0V8MevgG7aL8FY0OUM3taZXI', 200, 'acme', 1, 0, 0, 0, 8, X'5501');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (86400000, 1768435200000, 0, 1, 1, 1, '', 200, '', 1, 0, 0, 0, 8, X'5501');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (86400000, 1768435200000, 1, 1, 1, 1, '/hello/{name}', 200, '', 1, 0, 0, 0, 8, X'5501');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (86400000, 1768435200000, 2, 1, 1, 1, '/hello/{name}', 200, 'acme', 1, 0, 0, 0, 8, X'5501');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (86400000, 1768435200000, 3, 1, 1, 1, 'key_0V8MevgG7aLANFtVdTtiD6OR', 200, 'acme', 1, 0, 0, 0, 8, X'5501');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (86400000, 1768435200000, 6, 1, 1, 1, 'csmr_0V8MevgG7aL8FY0OUM3taZXI', 200, 'acme', 1, 0, 0, 0, 8, X'5501');
INSERT INTO traffic_deployments ("deployment_seq", "account_seq") VALUES (1, 1);
INSERT INTO usage_hours ("time", "subscription_seq", "period_start", "meter", "whole", "billionths") VALUES (1768471200000, 1, 1768471200000, 'requests', 13, 0);
INSERT INTO usage_days ("time", "subscription_seq", "period_start", "meter", "whole", "billionths") VALUES (1768435200000, 1, 1768471200000, 'requests', 13, 0);
INSERT INTO requests ("seq", "id", "account_seq", "deployment_seq", "version_seq", "is_failure", "time", "status", "method", "path", "route", "consumer", "request_id", "entry", "bytes") VALUES (1, 'req_0V8MevgG7aLltEE40BK9lLKr', 1, 1, 1, 0, 1768471200000, 200, 'GET', '/hello/jo', '/hello/{name}', 'acme', '63e48ec7-00fe-4bb7-aa51-1e17791442e9', '{"durationMs":16.227,"decisions":[{"policy":"keys","type":"api-key","ms":6.534,"outcome":"passed"},{"policy":"quota","type":"quota","ms":4.194,"outcome":"passed"},{"policy":"limit","type":"rate-limit","ms":0.553,"outcome":"passed"}],"ip":"127.0.0.1","consumerId":"csmr_0V8MevgG7aL8FY0OUM3taZXI","keyId":"key_0V8MevgG7aLANFtVdTtiD6OR","target":{"kind":"handler","module":"modules/hello.ts","ms":4.496,"attempts":1}}', 823);
INSERT INTO request_sizes ("deployment_seq", "is_failure", "bytes") VALUES (1, 0, 823);
INSERT INTO feed_cursors ("reader", "position", "snapshot", "target") VALUES ('audit log', 26, NULL, NULL);
INSERT INTO feed_cursors ("reader", "position", "snapshot", "target") VALUES ('webhooks', 26, NULL, NULL);
INSERT INTO audit_chains ("account_seq", "account", "count", "hash", "sealed_on", "anchor", "anchor_hash", "oldest_on", "signed_count", "head") VALUES (1, 'acct_0V8MevgG7aL2RdIS3uOY7jkd', 25, 'e0f2b97e6fa0c124c1677ac720f233bce8bdbe2f102f8de8a7b618e0f7182dd8', 1768471200000, 0, '0000000000000000000000000000000000000000000000000000000000000000', 1768471200000, 0, NULL);
INSERT INTO audit_keys ("id", "public_key", "private_key", "created_on") VALUES ('cfc9fc0b4d2cd3ba', '330wyA-0KhDpSh-buiLPLn8LqWy2Q33zxKq_aXHu7mk', X'4fe8a503c01bb4fdc60bd97f572142db068a1361042573068bbad507a6573414043f7dac80716331913f16ad126bec435980833a98344bcfb7025e8e0991b66a4d179e0da3186de99d0454cfb46efff64b7cf9e1ded0b65d1efea5589e6ad2526c0c897766f72109d9aa4c8ea8e0d8b08a4979ea4589d95bef17673487362f591bf06269a7dc733f41a8f7bcd990c9b09f676f4ff2eb13', 1768471200000);
INSERT INTO webhook_timers ("name", "reached_time", "reached_seq") VALUES ('key.expired', 1768471200000, 9007199254740991);
INSERT INTO webhook_timers ("name", "reached_time", "reached_seq") VALUES ('key.expiring 1 days', 1768557600000, 9007199254740991);
INSERT INTO webhook_timers ("name", "reached_time", "reached_seq") VALUES ('key.expiring 7 days', 1769076000000, 9007199254740991);
INSERT INTO webhook_timers ("name", "reached_time", "reached_seq") VALUES ('subscription.trial_ending', 1768730400000, 9007199254740991);
INSERT INTO audit_segments ("account_seq", "number", "count", "lowest_id", "highest_id", "earliest", "latest", "hashes", "entries", "sealed_on") VALUES (1, 1, 2, 'audt_0V8MevgG7aL3rQTVfwlVBS4b', 'audt_0V8MevgG7aL5l4XIGkTCfkzG', 1768471200000, 1768471200000, X'000000000000000000000000000000000000000000000000000000000000000093986ba7dd1d68a998fb6e1f0039b599cf765a172a6918b61e107ef93823ed23e8070863d4d8b4d8fc69ddb4b32e273d36676d983bd2762be82e263beeaed28d', X'7b226964223a22617564745f3056384d6576674737614c337251545666776c5642533462222c2274696d65223a22323032362d30312d31355431303a30303a30302e3030305a222c22616374696f6e223a226163636f756e742e63726561746564222c226163746f72223a7b2274797065223a2273797374656d222c226964223a2273797374656d227d2c227265736f75726365223a7b2274797065223a226163636f756e74222c226964223a22616363745f3056384d6576674737614c325264495333754f59376a6b64222c226e616d65223a2264656661756c74227d2c226368616e676573223a5b7b22706f696e746572223a22222c226166746572223a7b226964223a22616363745f3056384d6576674737614c325264495333754f59376a6b64222c226e616d65223a2264656661756c74222c22637265617465644f6e223a22323032362d30312d31355431303a30303a30302e3030305a222c22757064617465644f6e223a22323032362d30312d31355431303a30303a30302e3030305a227d7d5d7d0a7b226964223a22617564745f3056384d6576674737614c356c345849476b5443666b7a47222c2274696d65223a22323032362d30312d31355431303a30303a30302e3030305a222c22616374696f6e223a22746f6b656e2e63726561746564222c226163746f72223a7b2274797065223a2273797374656d222c226964223a2273797374656d227d2c227265736f75726365223a7b2274797065223a22746f6b656e222c226964223a22746f6b6e5f3056384d6576674737614c34466c69597753664f57524b4f222c226e616d65223a22544f4c4c474154455f41444d494e5f544f4b454e227d2c226368616e676573223a5b7b22706f696e746572223a22222c226166746572223a7b226964223a22746f6b6e5f3056384d6576674737614c34466c69597753664f57524b4f222c22726f6c65223a2261646d696e222c22637265617465644f6e223a22323032362d30312d31355431303a30303a30302e3030305a222c226e616d65223a22544f4c4c474154455f41444d494e5f544f4b454e227d7d5d7d', 1768471200000);
INSERT INTO audit_segments ("account_seq", "number", "count", "lowest_id", "highest_id", "earliest", "latest", "hashes", "entries", "sealed_on") VALUES (1, 3, 17, 'audt_0V8MevgG7aL7vy4gVxKwTi3j', 'audt_0V8MevgG7aLY7rx11DF9SkRf', 1768471200000, 1768471200000, X'e8070863d4d8b4d8fc69ddb4b32e273d36676d983bd2762be82e263beeaed28dafd0654d293abe567f9318bcf3c759b7b0945e48f70ab77d27e7ccdb422295297e32185c3507c8c4e82f864efbae38f363c20bd369a934c7d850850d298fea44c9494c1533615736e0831a260809b5063303c2a046781ce8ac6478ceb026280d59faf3726ff857ea6ae9b1997b104105bc15b36f83a73dd30879db55a7f2edb423261a3f39bac778b515b46f8a05daf36b5195087e866aecbbec6bc7879b39d2e716553b80f0f6f540ff45290a8e879b033ff0bc36dcb8c7b465bd7ac7aa27e9ecaabac452be30ddf867e8be45deb23be57f8df904da525ada206330d301134a346e9aac2344d6cc793fb8d6dca52332e6b4737870384e1dbe619b0d45b08de2964878ebcdffe11c28b763df6450268046dbd18baa280e3e2e9918dd2fd23d12db2ed417dc030170f3b64988c167cf78c207509ae60b99ffe4ed4e1115dc1f3c5a36b9afe810db6dc861216f020b3cee00772f88d98a59f0f6b3692e77956f951aa0fdd27f54aebb3291aece5bbe5d87372a6e4dbb5d9babd7504bdf5b6958e9afd895df02273d857f04fbc188f1724c0eb613f89fcc02911d6077753400962c9c2f27b42a4c30960a5779509859cfb582c0f97e8d20b83efb602de513c57e9b5e6ee3240db52d3b4076757a32a3d38f1e1fa6d600e77c48667e4c7da3419da376add37f893279925c015872ce44ccd5e0b69634dfb8b553c51cfe8c8c357036acdc39a6f9ecf79b8e2d68ed887163e054ac8b5ad27b02091d9e482b0feb1a42', X'28b52ffd600f25b537005a67bc133c4087b80dc3300cc32d283f478f21a176ecb88253c3deba546b3f3b385672e5aa2b9602fa83e96601bc621a38c61621916e91ed02d38b90d48e5b77262f012d0129015df6dbed78e4cfc93792b1b89da45054a086a16e1c2e6fcff17099963317149b8843644226180c1640c7818e0eddf164158f0e14a89cdbdec37191c8afed72bcf2ebfe24d33cf24de79583acfd5b44e82f8fdeb375953f86efe7adadfb09cef288635f8fdc2bdfbecb2cade31c052ae77e93dd8bec91c70498001328297ae51dcb23a796d239a7ac59cba72759df67389fbcb2beabe5a6d25aaf5c473aee3d199975397bc3216286b084c1d1b6a9bb32febc7934ee378f3a1c0222a95c104044280b0f0490cba36132a95c6ee69157241315956dd1d05818c3cc2ead8b3cfb4bebbcf2ef843ae7a87cd3f477f7b79cd0fd953dd82bcf34abcbd723b780102640584158c178a1f145f826094a5ef973acce23c790d6454302c26c66e8434d2ed5b0f93ca56220824e7bae57ae2de7088faa173f78b59ca48ddb255d42188dfebaa130686da78c69d47afa77a58c5f8ed37c3652f9acdc53ff950a936a414c28210a56015a780d8b9a252c93e663818174c4cab9d05f5de6d1b2470724b531efcf386ffd6486f76dbde7a353c367259ca2743176fff35b42e82f2811b0a0360cf59948400430cc9371141d7731fd18be1984b3b6cf7ed3b1b6ccbdf608c33c59e55985fbcdea80de232b4d2a254a2fbed3a311d737513a5ffe899fa636a6b084139569c1ea2e1ad331403c427f85fe0afd25d90045183022283a0bcc5050b0804184000f203880d00042806a936958009dddcc801bd0df699e0c37108013d0595e79077afd1df79947ae316de3956717eb3847e5b7bbfa76cff1a8c33dbff9cd392ae736b7a324de744b6ac36d9f95d6befd753e08257ed3bdf029450354c2358c04171df6709875393f69d5fbf3d62feda3b1e267659c6faad83e4951595a49395a4e78acc3b9a01fa061603503c2aaa848900b8a02b1c9389b9b5dce05f1481c8c6986592d954ddb8f256535ce15ca9cef835bba8ffa9fef5a2abd9ff36229d6c75e53960bb53001595c60642e140aeeb9eba526885fa6f3bebcf37c509af69bf2259471762a1e309a50462231096c4c2eedf3db4449f352b9622ad1077fd637c1391f9529f8e4243d7c4c497434dc9a04f1601dae870c015d339a4381347828124a4d72be966acef0fdf4f6c92de7932c9defa3dc724b6b21d1803c503c1630ccc3246269656965e1d5304a56426ab1f4241aefab729a4fd28c5f86997abda1e66191f840303c9b87464543ee3c442e111b7b293c2a0ed95ebb75c57fa5fd2ec6f5c5c733cf617757ce618f85bb171e757440182b075d8e4713d8cdb6ef4090ec629d06af1c7b7cb12bcd38e19edb4af1fd64ed8371cf97b384af5aaced24717c9fadad43517088a0789064a6ac68998b75b28b75f6c465b10c0b3182364ad3619ebb5f43e4ebd1df492559e79e1f9f94ae7d95eef9e244f7b3998299daf233262e14343e9609d370613acedb64d6f6dd73f044c48401f743e371a81539d3f69c33d70d7194a4072fae2fe2693e7cb17c554e29fda51aea6a5c8a65c25018362e3633b1f691a1936a10058d7f7fcaf3f7bfae2f52689f96703e4829f9a69ae3b6d3ed1e8328f5794c1b16a4a0b14c34501e9c65417b0a890a2d92a42b8671c7e9a7a89f942e7e98c2f7c55b37a526ccb12e4c06914414a204a6a1a911d677d627b3de87c2ec4d4383794c4980c5a8b10941c8102222224a9214144c078022119122e33c1288914814c1100a42309200218008238408410409889008202152c23cdf6a0bd18f49960ed760ee07fb46126cbc046f7fc029f0449238ed2064f49d8441260b68893a5711cc9d648a47807ccaf653d8edc7ee438385681c65e07d2602ae9f03e4288e0094b3906d499842656e195ddf618000fdbb57ce653b2a7047557af5f3fab4b0421fe8cfad4cf58442d1cbaf2d0cb5924f1cf8998dd1d2e09e60b29e712a54df3625f48dd9e2e7eccb5f2c893a35362bca0b5a52636d0bbe485e9886267ccf0050c9a8f591b62cd47aa4a665fe4209fc14dd97c797a83fcb964f94c5ffc0244b1cb8df220c69dffa4894fc5a32028681a06719b64c7f824aa0567edfd188b0e74ecc65667a1723474a76040c1dd8a5e94eaf6bbe3d54af2d7464f7bad08c4d9bf682c663ae51085360ead50d36db43f8e810111e2c64e8db2264d6505af5322a6ff13c329d56a81253a7d305df1eca8b81878ce115cf2bd3d21413ae1a69d3dba0280d8cd08b70679ab51d741518e69a5dc22f8e19d3d96b331718baee3f41513ff0485ee9882e29a3c4ebb1289a02ebd058cabfb6429c0876754d89e1c1fc6002f8cdb1a0fd4dbe2e06416049c554ca8b2ba39128143aec3592680a222519a57cab0e2bd1b9d17c3ee786887a87aed7397c4d6ac5c6c5d16920ac0c51535cc7c582372481ddc555', 1768471200000);
INSERT INTO audit_segments ("account_seq", "number", "count", "lowest_id", "highest_id", "earliest", "latest", "hashes", "entries", "sealed_on") VALUES (1, 20, 6, 'audt_0V8MevgG7aLaVGJ3cstV18G6', 'audt_0V8MevgG7aLjoEinQnfyY5Bd', 1768471200000, 1768471200000, X'acdc39a6f9ecf79b8e2d68ed887163e054ac8b5ad27b02091d9e482b0feb1a4261a73607efa9b0e4ccfcfdfebdada7a97ac397dcc845805a9467097bfa5af79e3f604b372293bc7a158cfad4687fe96106f6d08e86ca8395b95c34ff25ca23f3df6efa2f300a7915e58bf921c29fb6f68c0b34b3187a7de644e693c8dd3a14854354c5c74d510d9979eff845c877730953f5b2aa7d10ebc19fff7d35af7e8b2b2c1b87ed30dcb9fc44cb8ae8e8774ea45f536ee9cbb864d1246705e2587bf19de0f2b97e6fa0c124c1677ac720f233bce8bdbe2f102f8de8a7b618e0f7182dd8', X'28b52ffd60490f15200006bcb527e090cc0324ab9693aa55b3230bfb22d07fa0ef44e96fa27401c92d00c04682e1210633cc21c638ae00a400aa009b7e8c0ac69191b1500e900b879bbbfc17f3c3a056b7fbf9bb5cffbad74e4310fbb014f12e0cbb1638ed814162620cffbc9fc57fdbd9b4e49130b95448220b0503158fcb0044416172f1da4e4f122a0f93cc9211b1710652bdb0d9e9fa1736b7ecf734b937645f4b3ffbdf2950ed96bded4e8c7db86557bbe5e9edb4448c51204619a38ccf657ae013210545a8657fb7e5769a82588f43c633428038b88257102df30b9643acc8f4f3964db7de0803f9f1573cdb0fa39d7e2af0379dfe4ef309f73b9bf137db6929e3cf80efd9fbbda6e130b9daae656bb4cf7eb385f38caf7fdbe9b951bbddf79cfe8c6cfc65cfb81d8a7ee0cfed725eef678d07452f380e280d0809105234b110d539af2764631aa9ce791b99b7d32dfb7eae9bf57a6342367ead3a66b6d38f4014880215f4b46c6f6ba72569fa27cb66545116b4aeb760f44b82549232484534bba87fcba6918cffc308b26ede49e9590c9632739f674fb5ba699ae5daf1eb14ee7eed74ddbc6bd9dc63ceb5835d1024451134c56941887a1cfebc24f83f3db42c1aa56b6611453d4e49b06ede41cf6270aedf692ce73dd520320e1e050b82a38264e87dea7fedf57f22765518bd2606a789ba60153d12acaa8c82538c9e2c8326bd6e310c769a9029caa4ba964825bb605244234531cd35103026c08662b3a1def7d409c44d0d8156378edb1c59e3ebb59859031b8acd26d3ce23bbda0ddf7728785c2a0317cbff9c1fa68e2942935586ba3dac8542a4c111a3f5529579e61fc1879a1c46d54b905af3811e4153664d0ae3bf947a40f7196bf076f190815898657d9923a35ca2533431498a14cc2cc7208d32093e4e39c4a66772c88af8aba06e39efa31ab4ab1add45c105ff9249e442d05030a9502eb97e57eddd32f531b3fac55e738cbf6ba721924881e44169d9df9ec5e0f916f67aedb424d7cfcee9326ba8b18d2188183233819490b4b0e01a602291992aed1208b2691661296704c410233044381118428c602692096a4c752edaaa0199e526d002f77aff3eaa34c9ea059ad6b516eb0aa72e319414c3f62e43d4765870fa4be640462091d1a905df49076a2bef35df6d70d1f276316ba30fa485bfea5caf796179751b79afb4580824e9536b695701ccc8506d7d0e744d0be11f419623854b805b176a971eceb9ef3c14b9dcb88ebe8f7fe81457de8e6fc2763459ba84c11306c06c02d7a2b14f600a3d10fe9be5ec852f5d02c8dbd8686b792f4e199099d1db498a4f49d1c9e97a9eebabc0615686007986bc7a38c72d4d70e50f04cfcf8873be3c71430bfebcbcb87e10b36bda5cee4767d27928113d9fbdaa66c1bc8ce56acfa95f421243d45504f19560db9b6313aa', 1768471200000);
INSERT INTO audit_topics ("account_seq", "topic", "number") VALUES (1, 'shop-main-46a1663', 20);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount") VALUES (1, 60000, 0, 1768471200000, '', 'expired', 1);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount") VALUES (1, 60000, 0, 1768471200000, '', 'not_found', 1);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount") VALUES (1, 60000, 0, 1768471200000, '', 'valid', 2);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount") VALUES (1, 60000, 1, 1768471200000, '', 'not_found', 1);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount") VALUES (1, 60000, 1, 1768471200000, 'acme', 'expired', 1);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount") VALUES (1, 60000, 1, 1768471200000, 'acme', 'valid', 2);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount") VALUES (1, 3600000, 0, 1768471200000, '', 'expired', 1);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount") VALUES (1, 3600000, 0, 1768471200000, '', 'not_found', 1);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount") VALUES (1, 3600000, 0, 1768471200000, '', 'valid', 2);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount") VALUES (1, 3600000, 1, 1768471200000, '', 'not_found', 1);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount") VALUES (1, 3600000, 1, 1768471200000, 'acme', 'expired', 1);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount") VALUES (1, 3600000, 1, 1768471200000, 'acme', 'valid', 2);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount") VALUES (1, 86400000, 0, 1768435200000, '', 'expired', 1);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount") VALUES (1, 86400000, 0, 1768435200000, '', 'not_found', 1);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount") VALUES (1, 86400000, 0, 1768435200000, '', 'valid', 2);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount") VALUES (1, 86400000, 1, 1768435200000, '', 'not_found', 1);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount") VALUES (1, 86400000, 1, 1768435200000, 'acme', 'expired', 1);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount") VALUES (1, 86400000, 1, 1768435200000, 'acme', 'valid', 2);
INSERT INTO deployment_sites ("deployment_seq", "artifact_hash", "contents", "pack") VALUES (1, '414ce1deeb7ef9028bfdb7ed549ee4efdca7e706d714c5aaf10a19e006a46a1f', X'1f8b08000000000000038590c14ec33010447f05cd794b62221ac9f78a2397dea21c4cb34d0c8e13d96ea964f9df915d28420871dd3733bbb311569df5a8825e2c6444d0c13024f6ec03086776be10081006f607a7d7ab16208c273db087ec7a82e3233bb60786ec228c7a610389e7955d09f720b00d4e177dc4aac6bc67b9f16ae4b099d8986563d5cca05bc6d36e7f571552c58c120833876919ae1084558509123f55a94f7d2204e5460e3eb7fb9d942b17feedde5dd4bc9a7cc0c9bed9e5dd428a9408476df2ed11da0e7cb97ff5f90b5d4da26e7afa1cce036427ea861eda9efe2ef765164d4ddb7fa425b27d6c496cdb3ea50f10bc40e8b1010000', X'1f8b08000000000000031dca410a80201445d1adc81b4b0b701dcda241e8333fc537546c10ed3d6c780ff7c1211ae0903b4b17deb068d24ec261666db008acbec8d524ebc044531859a89e264733ae09169a032bdcb25a246e4174ffebfd002927eef6620000001f8b0800000000000003535608492d2ee102009614cf58070000001f8b080000000000000395544d4fdc3010fd2bee5c3691dc700fda030504eaa142c0ad46c84a2689b5899db527856d94ff5e8d931476452b71dab13df33efce21d61676c0939b81ebd26e32c4820432d420e37d78fe2acc1b67567a3d51d4e20a1c45078d3c7ce8f3bac2b3140fef3494283ba34b65e566f14f9081d52e398f8e6fa1124f49a1ac8e1146b87875bd4257a1e69960a2e066a9c37bf57bdbdc7cabc420edf507bf4022606f4ba4342cfe4233020e4f38f04c3da23a50413ee713f188f25e4e40794108a063bcd8c74e8792a9037b666547cd55d1fefe67aa9a627091e43ef6c585d93f635d29b9bb5554288c5aca8d5b61e74cd58c5e05b9050b8725d89cd380ebe9da663888d504a5921bede8acdd125e462b13e8e3b3c4cd306267944f15dffd20f31b87744ce0612ab78b115fa451b121552d1240a3e54a0408a9125cc61847c5e09a18e5351900b05c7a21448ee9da4b2537aae2cf3bb16b3d6d5c9aa220ba4690872d1f2779bf09592343d3ff57577a0267e038b27d3f5cef3dc7ec040415965df195cb7b31a295975ffcbe77cbef8dc2e363f6775369b2adb7b63e9d4e4336b96c71ed3538337eecd5caf8b9dae5174da5876b6984d9455a4a0ea48c15c1ab75616e9ac21ea799df24c35d82202242947a7c8e35e0af45ee45bc19dd90f7ce117818112c5af9323ffcfd7604dcbc064aa88f265cb3b33b4a25e5b5324e87d6c9916be6c7ed3d903a7707a994c767a9971da6338167a85951e5aba6c0d5acaae5ce271ff29292556e8f9feb36fae3c6497ad0b98c4638e428a67a6322ebb475d5eb42de7173b634bd55176c7b1b6361e3cc44c2f63a4f31f4612034d959d607a9aa63fc19415566b0500001f8b0800000000000003558dbd0ac2401084fb7d8a8114a790983e9d42d0d2c2d2620f5d4cf0f2e3e60ed4e3de5d2269d2cdcc37cc6438d617948d383794b1b79d24229eb31883ba94568889b20c67abb6132f3a1115e0993036a3f54d8ec96bdb3f72a8bc42ab72df56a8dfb61b9d54e045f1ee3fb33822669e1aba057530ebd7a5627025a038c1ec836f066dbfd6b7435fe120564511e3533e299979897e17e80e82d2000000');
INSERT INTO customers ("seq", "bucket_seq", "customer_key", "email", "legal_name", "address", "tax_ids", "currency", "payment_method", "version", "created_on", "updated_on", "spend_cap", "credit_limit", "top_up", "tax_status") VALUES (1, 1, 'acme', NULL, NULL, NULL, NULL, NULL, NULL, 1, 1768471200000, 1768471200000, NULL, NULL, NULL, NULL);
INSERT INTO consumer_words ("bucket_seq", "word", "consumer_seq") VALUES (1, 'acme', 1);
INSERT INTO consumer_words ("bucket_seq", "word", "consumer_seq") VALUES (1, 'beta', 2);
INSERT INTO consumer_words ("bucket_seq", "word", "consumer_seq") VALUES (1, 'eu', 1);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('accounts', 2);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('tokens', 3);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('key_buckets', 1);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('consumers', 2);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('metering_buckets', 1);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('plans', 1);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('subscriptions', 1);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('customers', 1);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('deployments', 1);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('deployment_builds', 1);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('deployment_sources', 1);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('deployment_versions', 1);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('requests', 1);
COMMIT;
