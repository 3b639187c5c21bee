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
  is_suspended integer NOT NULL DEFAULT 0,
  suspension_reason text,
  CONSTRAINT consumers_bucket_seq_name_key UNIQUE (bucket_seq, name)
);
CREATE INDEX consumers_in_order ON consumers (bucket_seq, seq);
CREATE INDEX consumers_by_id ON consumers (bucket_seq, id);
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
  bucket_seq integer REFERENCES metering_buckets,
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
  former_bucket_seq integer REFERENCES metering_buckets,
  CONSTRAINT subscriptions_bucket_seq_id_key UNIQUE (bucket_seq, id)
);
CREATE INDEX subscriptions_in_order ON subscriptions (bucket_seq, seq);
CREATE INDEX subscriptions_by_customer ON subscriptions (bucket_seq, customer_key, seq);
CREATE INDEX subscriptions_by_external_id ON subscriptions (bucket_seq, external_id, seq);
CREATE INDEX subscriptions_by_trial_end ON subscriptions (trial_end_date, seq) WHERE trial_end_date IS NOT NULL;
CREATE INDEX subscriptions_by_renewal ON subscriptions (renews_on);
CREATE INDEX subscriptions_by_billing ON subscriptions (bills_on) WHERE bills_on IS NOT NULL;
CREATE INDEX subscriptions_deleted ON subscriptions (former_bucket_seq, customer_key, seq) WHERE former_bucket_seq IS NOT NULL;
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
  consumer_id text,
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
  recorded_on integer,
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
CREATE INDEX invoices_by_recording ON invoices (bucket_seq, (COALESCE (recorded_on, finalized_on)), seq);
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
  consumed_whole integer NOT NULL,
  consumed_billionths integer NOT NULL,
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
  backfill_to integer,
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
INSERT INTO accounts ("seq", "id", "name", "version", "created_on", "updated_on") VALUES (1, 'acct_0V8MevgGJK2YGnmMjkkaQcFB', 'default', 1, 1768471200000, 1768471200000);
INSERT INTO tokens ("seq", "id", "account_seq", "role", "name", "hash", "expires_on", "last_used_on", "created_on", "created_by", "trusted_issuer_seq", "scope") VALUES (1, 'tokn_0V8MevgGJK2aPFUHyt4sEJJI', 1, 'admin', 'TOLLGATE_ADMIN_TOKEN', X'69e0f808545ab84a30114604cedae05edfe2a570dbe3b6bbfcc6dc3b56eb1d7d', NULL, 1768471200000, 1768471200000, NULL, NULL, NULL);
INSERT INTO tokens ("seq", "id", "account_seq", "role", "name", "hash", "expires_on", "last_used_on", "created_on", "created_by", "trusted_issuer_seq", "scope") VALUES (2, 'tokn_0V8MevgGJK37ylOwSOX63zyt', 1, 'reader', 'dashboard', X'025b6ef82bce310aca5de7b00654ee3774a9bb1bc2662ed513e0d961f6afc8f5', NULL, NULL, 1768471200000, NULL, NULL, NULL);
INSERT INTO key_buckets ("seq", "id", "account_seq", "name", "description", "tags", "is_retrievable", "key_prefix", "version", "created_on", "updated_on", "has_lookalike_keys", "on_leak", "token_issuers") VALUES (1, 'bckt_0V8MevgGJK2c2CLSf23hKUpj', 1, 'main', NULL, NULL, 1, 'tg', 1, 1768471200000, 1768471200000, 0, 'mark', NULL);
INSERT INTO consumers ("seq", "id", "bucket_seq", "name", "description", "tags", "metadata", "version", "created_on", "updated_on", "is_suspended", "suspension_reason") VALUES (1, 'csmr_0V8MevgGJK2elyhm2kzC93c9', 1, 'acme', NULL, '{"region":"eu"}', '{"plan":"gold","nested":{"text":"it''s \"quoted\"\nand long: äöü 😀"}}', 1, 1768471200000, 1768471200000, 0, NULL);
INSERT INTO consumers ("seq", "id", "bucket_seq", "name", "description", "tags", "metadata", "version", "created_on", "updated_on", "is_suspended", "suspension_reason") VALUES (2, 'csmr_0V8MevgGJK2xtjNMeddNq8kO', 1, 'beta', NULL, NULL, NULL, 1, 1768471200000, 1768471200000, 0, NULL);
INSERT INTO consumer_tags ("bucket_seq", "name", "value", "consumer_seq") VALUES (1, 'region', 'eu', 1);
INSERT INTO managers ("seq", "id", "bucket_seq", "consumer_seq", "sub", "email", "email_key", "created_on", "scopes", "version", "issuer") VALUES (1, 'mngr_0V8MevgGJK2tgJDubcHwoZ0a', 1, 1, 'auth|jo', 'jo@example.com', 'jo@example.com', 1768471200000, NULL, 1, NULL);
INSERT INTO manager_invites ("seq", "id", "bucket_seq", "consumer_seq", "email", "email_key", "created_on", "expires_on", "scopes") VALUES (1, 'mngi_0V8MevgGJK2vl2RMHKTI2F4a', 1, 1, 'kim@example.com', 'kim@example.com', 1768471200000, 1769076000000, NULL);
INSERT INTO api_keys ("seq", "id", "bucket_seq", "consumer_seq", "hash", "suffix", "sealed", "description", "expires_on", "version", "created_on", "updated_on", "is_enabled", "permissions", "allowed_ips", "rate_limit", "metadata", "last_used_on", "leak") VALUES (1, 'key_0V8MevgGJK2gUcmn6Pz4ex7J', 1, 1, X'93a614be3ff07f0970b0b045055f5a7403c9fcb6abc5385b12abbf4c797f327f', '994ed1a7', X'4fe8a50375e05f42d09fcf98942a768ed68683d45e2cf3787547a989bf3b885700fba7e14356208fc1d5225977ded66810c7be8afa3b060c98d6f419a189762b872da1d747cec0f00541040e', 'generated', NULL, 1, 1768471200000, 1768471200000, 1, NULL, NULL, NULL, NULL, 1768471200000, NULL);
INSERT INTO api_keys ("seq", "id", "bucket_seq", "consumer_seq", "hash", "suffix", "sealed", "description", "expires_on", "version", "created_on", "updated_on", "is_enabled", "permissions", "allowed_ips", "rate_limit", "metadata", "last_used_on", "leak") VALUES (2, 'key_0V8MevgGJK2jgLI5ptY236f1', 1, 1, X'fec03ca1d61f2502b9e60496092d12d55dc7665b23ddc3306477e78c1b957699', 'er-1234', X'4fe8a50320e07c9d5f72d2595b68615c7f246621a6d65fd43a2465191ed24e79800f896510d23f815ef0ab387c936da023694e7eb1bace111a8b875893', NULL, NULL, 1, 1768471200000, 1768471200000, 1, NULL, NULL, NULL, NULL, 1768471200000, NULL);
INSERT INTO api_keys ("seq", "id", "bucket_seq", "consumer_seq", "hash", "suffix", "sealed", "description", "expires_on", "version", "created_on", "updated_on", "is_enabled", "permissions", "allowed_ips", "rate_limit", "metadata", "last_used_on", "leak") VALUES (3, 'key_0V8MevgGJK2mnagiWEwa6VyC', 1, 1, X'f24c51ef910375cd1f61a869984c00255ca1ca124ff377f46fe8f26dee6fecb6', 'cb1e1b5e', X'4fe8a5035701be29fd49c0f07e3b3ccfbe1bc3707a6ff7372a382f3478414372ba6666e3820c7e9e48aad9cb0293037901a48f65cbf78b7415b15087b6b7b58b589844d714e1fb05a3da8d77', 'expired', 1768471199000, 1, 1768471200000, 1768471200000, 1, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO api_keys ("seq", "id", "bucket_seq", "consumer_seq", "hash", "suffix", "sealed", "description", "expires_on", "version", "created_on", "updated_on", "is_enabled", "permissions", "allowed_ips", "rate_limit", "metadata", "last_used_on", "leak") VALUES (4, 'key_0V8MevgGJK2zJwZ6LS8esTSg', 1, 1, X'b5d3f624b15508ee07ad0ad7455d009abf8cada1a712adf2b39a3f3f1ca43d48', 'ec51aecb', X'4fe8a503816f9bb516ed6a9f915ddcc1514c9f289ad7d7500bc7f8fe96e607db66eb5881f848f379038de523a46046deb90ad3c1d08b50577902c392821ec2946cf9348fb4d07c7517834d8a', 'once', NULL, 1, 1768471200000, 1768471200000, 1, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('bckt_0V8MevgGJK2c2CLSf23hKUpj', '', 0, 0, 2);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('bckt_0V8MevgGJK2c2CLSf23hKUpj', '["region","eu"]', 0, 0, 1);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('bckt_0V8MevgGJK2c2CLSf23hKUpj', 'keys', 0, 0, 4);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('bckt_0V8MevgGJK2c2CLSf23hKUpj', 'keys ["region","eu"]', 0, 0, 4);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('mtr_0V8MevgGJK31xmJWvHlyrBIR', 'customers', 0, 0, 1);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('mtr_0V8MevgGJK31xmJWvHlyrBIR', 'subscriptions', 0, 0, 1);
INSERT INTO idempotency_keys ("credential", "key", "fingerprint", "answer", "created_on") VALUES ('tokn_0V8MevgGJK2aPFUHyt4sEJJI', 'released', X'fb0da8380c915c6c412f57d77e8d28fed4223ef15ef2816e47717e8f7ea27902', X'4fe8a503cdfcd280ba66d4dd324ff5c192a2a7e333e7f7e636494f23c7a0d418b883ebf701e2a0ebd5f2f57c3c0d66cbf29e2b6a29515d30838a9069480c12908b959c6e2b6889af3199f1b3e9bbe08e7fb952b494cbc0d6c4654a0c82bf4e826193384550fbdb1d57c2c89d97ad6ed288e774610347bc25e324b5d4d72012b768d79a121cfc9126dc1bb13135b05275c53df020c3fb037d88d31e41673c5024c35e484d4daf408a2be0cb5636f90ef582f95a889a5c202f538f1f38d6815c196345b739d440e9fdca42cee3b1ceadaabd8fd3885453589498b1a6f1e3905b2f4d3d20ef1ab0b034af6008d839f8f7d41c2179775f579c06069e70b09875188c95395543759341e54df8b022b6a24cc55d749b5911f870cedffcff79f1b659c7cc655fcfe7e26bf9d9aa44c4338ea06662b379732aa3f22d0325a56dd967d4d9858b952b3a89963c88f06187f8fbc564385e03c880cddced950ba42a1c647fc8b8630ea112c08eeeebeea060a00d9ada43f7fa6bcd63928a6e7b075d8b8aaa9e4f0f832e44cebc1179cdaaf193d73b8a26cfb7c0798dfefb86df5a58e6041544da9e9764', 1768471200000);
INSERT INTO encryption_keys ("name", "created_on") VALUES ('4fe8a503', 1768471200000);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (1, 1768471200000, 'local', 1, 'system', 'account.created', 'acct_0V8MevgGJK2YGnmMjkkaQcFB', NULL, '{"id":"audt_0V8MevgGJK2Z4PQBXrBXGIEG","time":"2026-01-15T10:00:00.000Z","action":"account.created","actor":{"type":"system","id":"system"},"resource":{"type":"account","id":"acct_0V8MevgGJK2YGnmMjkkaQcFB","name":"default"},"changes":[{"pointer":"","after":{"id":"acct_0V8MevgGJK2YGnmMjkkaQcFB","name":"default","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (2, 1768471200000, 'local', 1, 'system', 'token.created', 'tokn_0V8MevgGJK2aPFUHyt4sEJJI', NULL, '{"id":"audt_0V8MevgGJK2bmXBphaQTDGsM","time":"2026-01-15T10:00:00.000Z","action":"token.created","actor":{"type":"system","id":"system"},"resource":{"type":"token","id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","name":"TOLLGATE_ADMIN_TOKEN"},"changes":[{"pointer":"","after":{"id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","role":"admin","createdOn":"2026-01-15T10:00:00.000Z","name":"TOLLGATE_ADMIN_TOKEN"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (3, 1768471200000, 'local', 1, 'tokn_0V8MevgGJK2aPFUHyt4sEJJI', 'bucket.created', 'bckt_0V8MevgGJK2c2CLSf23hKUpj', '{"name":"main"}', '{"id":"audt_0V8MevgGJK2dl7Wdk67cW2eW","time":"2026-01-15T10:00:00.000Z","action":"bucket.created","actor":{"type":"token","id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"bucket","id":"bckt_0V8MevgGJK2c2CLSf23hKUpj","name":"main"},"requestId":"5b9b8f04-bb52-4100-9b27-084fe28ce0b9","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"bckt_0V8MevgGJK2c2CLSf23hKUpj","name":"main","isRetrievable":true,"keyPrefix":"tg","onLeak":"mark","tokenIssuers":[],"createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (4, 1768471200000, 'local', 1, 'tokn_0V8MevgGJK2aPFUHyt4sEJJI', 'consumer.created', 'csmr_0V8MevgGJK2elyhm2kzC93c9', NULL, '{"id":"audt_0V8MevgGJK2fd57V7XPL5eJR","time":"2026-01-15T10:00:00.000Z","action":"consumer.created","actor":{"type":"token","id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"consumer","id":"csmr_0V8MevgGJK2elyhm2kzC93c9","name":"acme","parent":{"type":"bucket","id":"bckt_0V8MevgGJK2c2CLSf23hKUpj","name":"main"}},"requestId":"95251d22-6b89-4131-84fd-dc8f7324bb93","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"csmr_0V8MevgGJK2elyhm2kzC93c9","name":"acme","tags":{"region":"eu"},"metadata":{"plan":"gold","nested":{"text":"it''s \"quoted\"\nand long: äöü 😀"}},"createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, 'bckt_0V8MevgGJK2c2CLSf23hKUpj', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (5, 1768471200000, 'local', 1, 'tokn_0V8MevgGJK2aPFUHyt4sEJJI', 'key.created', 'csmr_0V8MevgGJK2elyhm2kzC93c9', '{"keyIds":["key_0V8MevgGJK2gUcmn6Pz4ex7J"]}', '{"id":"audt_0V8MevgGJK2hWfw73rtupII3","time":"2026-01-15T10:00:00.000Z","action":"key.created","actor":{"type":"token","id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgGJK2gUcmn6Pz4ex7J","parent":{"type":"consumer","id":"csmr_0V8MevgGJK2elyhm2kzC93c9","name":"acme"}},"requestId":"b15330ce-4db8-4391-a30b-ca1dec3c4853","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"key_0V8MevgGJK2gUcmn6Pz4ex7J","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"generated","isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgGJK2gUcmn6Pz4ex7J","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"generated","isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgGJK2c2CLSf23hKUpj","name":"main"}}', 'key_0V8MevgGJK2gUcmn6Pz4ex7J', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (6, 1768471200000, 'local', 1, 'tokn_0V8MevgGJK2aPFUHyt4sEJJI', 'key.revealed', 'key_0V8MevgGJK2gUcmn6Pz4ex7J', NULL, '{"id":"audt_0V8MevgGJK2ia5CS6nk5Pbv4","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgGJK2gUcmn6Pz4ex7J","parent":{"type":"consumer","id":"csmr_0V8MevgGJK2elyhm2kzC93c9","name":"acme"}},"requestId":"e41c92ec-52ed-4af8-99df-0032ea6c701b","ip":"127.0.0.1","changes":[],"counts":{"keys":1}}', NULL, 'csmr_0V8MevgGJK2elyhm2kzC93c9', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (7, 1768471200000, 'local', 1, 'tokn_0V8MevgGJK2aPFUHyt4sEJJI', 'key.created', 'csmr_0V8MevgGJK2elyhm2kzC93c9', '{"keyIds":["key_0V8MevgGJK2jgLI5ptY236f1"]}', '{"id":"audt_0V8MevgGJK2kFdXe73dBCEOS","time":"2026-01-15T10:00:00.000Z","action":"key.created","actor":{"type":"token","id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgGJK2jgLI5ptY236f1","parent":{"type":"consumer","id":"csmr_0V8MevgGJK2elyhm2kzC93c9","name":"acme"}},"requestId":"7471d8b5-dcb4-41ad-bbe1-b035660ca4d4","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"key_0V8MevgGJK2jgLI5ptY236f1","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgGJK2jgLI5ptY236f1","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgGJK2c2CLSf23hKUpj","name":"main"}}', 'key_0V8MevgGJK2jgLI5ptY236f1', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (8, 1768471200000, 'local', 1, 'tokn_0V8MevgGJK2aPFUHyt4sEJJI', 'key.revealed', 'key_0V8MevgGJK2jgLI5ptY236f1', NULL, '{"id":"audt_0V8MevgGJK2luOmmdLiWsSGu","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgGJK2jgLI5ptY236f1","parent":{"type":"consumer","id":"csmr_0V8MevgGJK2elyhm2kzC93c9","name":"acme"}},"requestId":"053737db-769e-4522-86c6-95a773841140","ip":"127.0.0.1","changes":[],"counts":{"keys":1}}', NULL, 'csmr_0V8MevgGJK2elyhm2kzC93c9', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (9, 1768471200000, 'local', 1, 'tokn_0V8MevgGJK2aPFUHyt4sEJJI', 'key.created', 'csmr_0V8MevgGJK2elyhm2kzC93c9', '{"keyIds":["key_0V8MevgGJK2mnagiWEwa6VyC"]}', '{"id":"audt_0V8MevgGJK2nLgVK4TjP9jH4","time":"2026-01-15T10:00:00.000Z","action":"key.created","actor":{"type":"token","id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgGJK2mnagiWEwa6VyC","parent":{"type":"consumer","id":"csmr_0V8MevgGJK2elyhm2kzC93c9","name":"acme"}},"requestId":"1813c012-ded1-4d36-ac1c-fa811bb50b27","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"key_0V8MevgGJK2mnagiWEwa6VyC","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":"2026-01-15T09:59:59.000Z","description":"expired","isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgGJK2mnagiWEwa6VyC","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":"2026-01-15T09:59:59.000Z","description":"expired","isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgGJK2c2CLSf23hKUpj","name":"main"}}', 'key_0V8MevgGJK2mnagiWEwa6VyC', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (10, 1768471200000, 'local', 1, 'tokn_0V8MevgGJK2aPFUHyt4sEJJI', 'key.revealed', 'key_0V8MevgGJK2mnagiWEwa6VyC', NULL, '{"id":"audt_0V8MevgGJK2o6JH23JNZI0JF","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgGJK2mnagiWEwa6VyC","parent":{"type":"consumer","id":"csmr_0V8MevgGJK2elyhm2kzC93c9","name":"acme"}},"requestId":"c024e5ed-0609-4332-ab14-f6fe0dc0dcd2","ip":"127.0.0.1","changes":[],"counts":{"keys":1}}', NULL, 'csmr_0V8MevgGJK2elyhm2kzC93c9', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (11, 1768471200000, 'local', 1, 'tokn_0V8MevgGJK2aPFUHyt4sEJJI', 'key.created', 'csmr_0V8MevgGJK2elyhm2kzC93c9', '{"keyIds":["key_0V8MevgGJK2pibTvDCSAxwzb"]}', '{"id":"audt_0V8MevgGJK2qtLsS218cEndC","time":"2026-01-15T10:00:00.000Z","action":"key.created","actor":{"type":"token","id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgGJK2pibTvDCSAxwzb","parent":{"type":"consumer","id":"csmr_0V8MevgGJK2elyhm2kzC93c9","name":"acme"}},"requestId":"c2566f1a-5027-48c5-aa0b-ead72abf9028","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"key_0V8MevgGJK2pibTvDCSAxwzb","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"revoked","isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgGJK2pibTvDCSAxwzb","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"revoked","isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgGJK2c2CLSf23hKUpj","name":"main"}}', 'key_0V8MevgGJK2pibTvDCSAxwzb', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (12, 1768471200000, 'local', 1, 'tokn_0V8MevgGJK2aPFUHyt4sEJJI', 'key.revealed', 'key_0V8MevgGJK2pibTvDCSAxwzb', NULL, '{"id":"audt_0V8MevgGJK2rbstrCl4PlV15","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgGJK2pibTvDCSAxwzb","parent":{"type":"consumer","id":"csmr_0V8MevgGJK2elyhm2kzC93c9","name":"acme"}},"requestId":"9e838bd9-0201-4048-bb66-0a09d4186a15","ip":"127.0.0.1","changes":[],"counts":{"keys":1}}', NULL, 'csmr_0V8MevgGJK2elyhm2kzC93c9', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (13, 1768471200000, 'local', 1, 'tokn_0V8MevgGJK2aPFUHyt4sEJJI', 'key.deleted', 'key_0V8MevgGJK2pibTvDCSAxwzb', '{"bucketSeq":1,"hash":"pnYXfAJV2SmAgc87LlE4ihFhIsk0UgG2wWG54Vy0bxE="}', '{"id":"audt_0V8MevgGJK2sLheGtUwP9Yjx","time":"2026-01-15T10:00:00.000Z","action":"key.deleted","actor":{"type":"token","id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgGJK2pibTvDCSAxwzb","parent":{"type":"consumer","id":"csmr_0V8MevgGJK2elyhm2kzC93c9","name":"acme"}},"requestId":"f225735d-70b4-483c-8e88-0c3292704613","ip":"127.0.0.1","changes":[{"pointer":"","before":{"id":"key_0V8MevgGJK2pibTvDCSAxwzb","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"revoked","isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgGJK2pibTvDCSAxwzb","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"revoked","isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgGJK2c2CLSf23hKUpj","name":"main"}}', 'csmr_0V8MevgGJK2elyhm2kzC93c9', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (14, 1768471200000, 'local', 1, 'tokn_0V8MevgGJK2aPFUHyt4sEJJI', 'manager.created', 'mngr_0V8MevgGJK2tgJDubcHwoZ0a', '{"consumerId":"csmr_0V8MevgGJK2elyhm2kzC93c9"}', '{"id":"audt_0V8MevgGJK2uVtKRXDstsJUk","time":"2026-01-15T10:00:00.000Z","action":"manager.created","actor":{"type":"token","id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"manager","id":"mngr_0V8MevgGJK2tgJDubcHwoZ0a","name":"jo@example.com","parent":{"type":"consumer","id":"csmr_0V8MevgGJK2elyhm2kzC93c9","name":"acme"}},"requestId":"ccdc2bf2-5bc5-4a69-9d94-3bdeedd25097","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"mngr_0V8MevgGJK2tgJDubcHwoZ0a","createdOn":"2026-01-15T10:00:00.000Z","email":"jo@example.com","sub":"auth|jo"}}]}', NULL, 'csmr_0V8MevgGJK2elyhm2kzC93c9', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (15, 1768471200000, 'local', 1, 'tokn_0V8MevgGJK2aPFUHyt4sEJJI', 'manager-invite.created', 'mngi_0V8MevgGJK2vl2RMHKTI2F4a', '{"consumerId":"csmr_0V8MevgGJK2elyhm2kzC93c9"}', '{"id":"audt_0V8MevgGJK2wSuqo1g7UDaX1","time":"2026-01-15T10:00:00.000Z","action":"manager-invite.created","actor":{"type":"token","id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"manager-invite","id":"mngi_0V8MevgGJK2vl2RMHKTI2F4a","name":"kim@example.com","parent":{"type":"consumer","id":"csmr_0V8MevgGJK2elyhm2kzC93c9","name":"acme"}},"requestId":"c76122a2-a158-4953-9dea-3d64aef4373d","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"mngi_0V8MevgGJK2vl2RMHKTI2F4a","email":"kim@example.com","createdOn":"2026-01-15T10:00:00.000Z","expiresOn":"2026-01-22T10:00:00.000Z"}}]}', NULL, 'csmr_0V8MevgGJK2elyhm2kzC93c9', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (16, 1768471200000, 'local', 1, 'tokn_0V8MevgGJK2aPFUHyt4sEJJI', 'consumer.created', 'csmr_0V8MevgGJK2xtjNMeddNq8kO', NULL, '{"id":"audt_0V8MevgGJK2yTxWdZwNvAGy6","time":"2026-01-15T10:00:00.000Z","action":"consumer.created","actor":{"type":"token","id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"consumer","id":"csmr_0V8MevgGJK2xtjNMeddNq8kO","name":"beta","parent":{"type":"bucket","id":"bckt_0V8MevgGJK2c2CLSf23hKUpj","name":"main"}},"requestId":"35d36a42-dd67-435a-80be-833cb904331d","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"csmr_0V8MevgGJK2xtjNMeddNq8kO","name":"beta","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, 'bckt_0V8MevgGJK2c2CLSf23hKUpj', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (17, 1768471200000, 'local', 1, 'tokn_0V8MevgGJK2aPFUHyt4sEJJI', 'key.created', 'csmr_0V8MevgGJK2elyhm2kzC93c9', '{"keyIds":["key_0V8MevgGJK2zJwZ6LS8esTSg"]}', '{"id":"audt_0V8MevgGJK30yfudO3bWbsI9","time":"2026-01-15T10:00:00.000Z","action":"key.created","actor":{"type":"token","id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgGJK2zJwZ6LS8esTSg","parent":{"type":"consumer","id":"csmr_0V8MevgGJK2elyhm2kzC93c9","name":"acme"}},"requestId":"28b698e3-ba49-43e4-9727-e86eb1a40e56","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"key_0V8MevgGJK2zJwZ6LS8esTSg","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"once","isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgGJK2zJwZ6LS8esTSg","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"once","isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgGJK2c2CLSf23hKUpj","name":"main"}}', 'key_0V8MevgGJK2zJwZ6LS8esTSg', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (18, 1768471200000, 'local', 1, 'tokn_0V8MevgGJK2aPFUHyt4sEJJI', 'metering-bucket.created', 'mtr_0V8MevgGJK31xmJWvHlyrBIR', '{}', '{"id":"audt_0V8MevgGJK32ya3F8YtZ1bah","time":"2026-01-15T10:00:00.000Z","action":"metering-bucket.created","actor":{"type":"token","id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"metering-bucket","id":"mtr_0V8MevgGJK31xmJWvHlyrBIR"},"requestId":"e372d5fe-8888-47b3-a8ca-8e3071fad145","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"mtr_0V8MevgGJK31xmJWvHlyrBIR","accountName":"default","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (19, 1768471200000, 'local', 1, 'tokn_0V8MevgGJK2aPFUHyt4sEJJI', 'plan.created', 'plan_0V8MevgGJK33No82qhdejUGg', '{"bucketId":"mtr_0V8MevgGJK31xmJWvHlyrBIR"}', '{"id":"audt_0V8MevgGJK34RUtWvJE8YMx6","time":"2026-01-15T10:00:00.000Z","action":"plan.created","actor":{"type":"token","id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"plan","id":"plan_0V8MevgGJK33No82qhdejUGg","name":"price-1","parent":{"type":"metering-bucket","id":"mtr_0V8MevgGJK31xmJWvHlyrBIR"}},"requestId":"44b76305-c754-4d8a-9387-df5b966ea0bd","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"plan_0V8MevgGJK33No82qhdejUGg","label":"Gold","planExternalId":"price-1","meters":{"requests":{"label":"Requests","max":100}},"hasSubscriptions":false,"createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, 'mtr_0V8MevgGJK31xmJWvHlyrBIR', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (20, 1768471200000, 'local', 1, 'tokn_0V8MevgGJK2aPFUHyt4sEJJI', 'subscription.created', 'sbsc_0V8MevgGJK357aAj6SuzgsQz', '{"bucketId":"mtr_0V8MevgGJK31xmJWvHlyrBIR","customerKey":"acme"}', '{"id":"audt_0V8MevgGJK3652UPuxZt2s51","time":"2026-01-15T10:00:00.000Z","action":"subscription.created","actor":{"type":"token","id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"subscription","id":"sbsc_0V8MevgGJK357aAj6SuzgsQz","name":"sub-2","parent":{"type":"metering-bucket","id":"mtr_0V8MevgGJK31xmJWvHlyrBIR"}},"requestId":"0dd3fa34-40c1-40f0-bccb-e0ce125a305e","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"sbsc_0V8MevgGJK357aAj6SuzgsQz","planIds":["plan_0V8MevgGJK33No82qhdejUGg"],"planExternalIds":["price-1"],"status":"active","type":"periodic","renewalStrategy":"monthly","region":"europe-west4","customerKey":"acme","subscriptionExternalId":"sub-2","customerExternalId":"cus_1","quotaResetAnchor":"2026-01-15T10:00:00.000Z","nextBillingCycle":"2026-02-15T10:00:00.000Z","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, 'mtr_0V8MevgGJK31xmJWvHlyrBIR', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (21, 1768471200000, 'local', 1, 'tokn_0V8MevgGJK2aPFUHyt4sEJJI', 'usage.recorded', 'mtr_0V8MevgGJK31xmJWvHlyrBIR', '{"events":1}', NULL, NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (22, 1768471200000, 'local', 1, 'tokn_0V8MevgGJK2aPFUHyt4sEJJI', 'token.created', 'tokn_0V8MevgGJK37ylOwSOX63zyt', NULL, '{"id":"audt_0V8MevgGJK38g6OmaBWD5yxe","time":"2026-01-15T10:00:00.000Z","action":"token.created","actor":{"type":"token","id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"token","id":"tokn_0V8MevgGJK37ylOwSOX63zyt","name":"dashboard"},"requestId":"6f94985b-2036-41ad-9741-342cb41c6aa7","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"tokn_0V8MevgGJK37ylOwSOX63zyt","role":"reader","createdOn":"2026-01-15T10:00:00.000Z","name":"dashboard"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (23, 1768471200000, 'local', 1, 'tokn_0V8MevgGJK2aPFUHyt4sEJJI', 'deployment.created', 'shop-main-44fd93b', NULL, '{"id":"audt_0V8MevgGJK39b7eP4CcwDbyV","time":"2026-01-15T10:00:00.000Z","action":"deployment.created","actor":{"type":"token","id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"deployment","id":"shop-main-44fd93b","name":"shop-main-44fd93b"},"requestId":"a36e1a72-e67e-4703-a5a0-4f9c437bfb49","ip":"127.0.0.1","changes":[{"pointer":"","after":{"name":"shop-main-44fd93b","label":"main","urlParameter":"main","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","loggingId":"default::shop::main::44fd93b","accountName":"default","projectName":"shop","state":"PENDING","message":"","branchName":"main","environmentType":"PRODUCTION"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (24, 1768471200000, 'local', 1, 'tokn_0V8MevgGJK2aPFUHyt4sEJJI', 'deployment.upload-requested', 'shop-main-44fd93b', '{"statusId":"8f7030da-87de-43ec-b684-1e080b167c62"}', '{"id":"audt_0V8MevgGJK3As9Vmu90RxT0x","time":"2026-01-15T10:00:00.000Z","action":"deployment.upload_requested","actor":{"type":"token","id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"deployment","id":"shop-main-44fd93b","name":"shop-main-44fd93b"},"requestId":"a36e1a72-e67e-4703-a5a0-4f9c437bfb49","ip":"127.0.0.1","changes":[{"pointer":"","after":{"name":"shop-main-44fd93b","label":"main","urlParameter":"main","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","loggingId":"default::shop::main::44fd93b","accountName":"default","projectName":"shop","state":"PENDING","message":"","branchName":"main","environmentType":"PRODUCTION","statusId":"8f7030da-87de-43ec-b684-1e080b167c62"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (25, 1768471200000, 'local', 1, 'upload address', 'deployment.build-queued', 'shop-main-44fd93b', '{"statusId":"8f7030da-87de-43ec-b684-1e080b167c62"}', '{"id":"audt_0V8MevgGJK3B6YePmQyqc07v","time":"2026-01-15T10:00:00.000Z","action":"deployment.uploaded","actor":{"type":"system","id":"upload address"},"resource":{"type":"deployment","id":"shop-main-44fd93b","name":"shop-main-44fd93b"},"requestId":"4ec1fe6f-e51f-47ac-89f8-334f247f239d","ip":"127.0.0.1","changes":[{"pointer":"","after":{"name":"shop-main-44fd93b","label":"main","urlParameter":"main","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","loggingId":"default::shop::main::44fd93b","accountName":"default","projectName":"shop","state":"BUILDING","message":"","branchName":"main","environmentType":"PRODUCTION","statusId":"8f7030da-87de-43ec-b684-1e080b167c62"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (26, 1768471200000, 'local', 1, 'system', 'deployment.activated', 'shop-main-44fd93b', '{"deploymentSeq":1,"accountName":"default","versionSeq":1,"versionNumber":1,"artifactHash":"6757edf2789a1af731c17025d5d2a40062ac5dad7cddb6190a49cd57a48398e5"}', '{"id":"audt_0V8MevgGJK3FiWqeo8GnKFUh","time":"2026-01-15T10:00:00.000Z","action":"deployment.succeeded","actor":{"type":"system","id":"system"},"resource":{"type":"deployment","id":"shop-main-44fd93b","name":"shop-main-44fd93b"},"changes":[{"pointer":"","after":{"name":"shop-main-44fd93b","label":"main","urlParameter":"main","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","loggingId":"default::shop::main::44fd93b","accountName":"default","projectName":"shop","state":"STARTED","message":"","branchName":"main","activeVersion":1,"environmentType":"PRODUCTION","version":1}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (27, 1768471200000, 'local', 1, 'tokn_0V8MevgGJK2aPFUHyt4sEJJI', 'key.revealed', 'bckt_0V8MevgGJK2c2CLSf23hKUpj', NULL, '{"id":"audt_0V8MevgGJK3Kr1CsrnYV5dSd","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"bucket","id":"bckt_0V8MevgGJK2c2CLSf23hKUpj","name":"main"},"requestId":"ea14569f-691b-4779-8482-846d2d4087e6","ip":"127.0.0.1","changes":[],"counts":{"keys":4}}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (28, 1768471200000, 'local', 1, 'tokn_0V8MevgGJK2aPFUHyt4sEJJI', 'key.revealed', 'csmr_0V8MevgGJK2elyhm2kzC93c9', NULL, '{"id":"audt_0V8MevgGJK3Lmld98zFFtmSJ","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"consumer","id":"csmr_0V8MevgGJK2elyhm2kzC93c9","name":"acme"},"requestId":"3d14c230-583e-41b2-a41d-9983936136fc","ip":"127.0.0.1","changes":[],"counts":{"keys":4}}', NULL, NULL, 1, NULL);
INSERT INTO metering_buckets ("seq", "id", "account_seq", "version", "created_on", "updated_on", "name", "test_clock", "key_bucket") VALUES (1, 'mtr_0V8MevgGJK31xmJWvHlyrBIR', 1, 1, 1768471200000, 1768471200000, NULL, NULL, NULL);
INSERT INTO plans ("seq", "id", "bucket_seq", "external_id", "label", "meters", "trial_days", "trial_end_status", "is_trial_collect_payment", "version", "created_on", "updated_on", "price", "rates", "features", "description", "is_public", "list_position", "rollover") VALUES (1, 'plan_0V8MevgGJK33No82qhdejUGg', 1, 'price-1', 'Gold', '{"requests":{"label":"Requests","max":100}}', NULL, NULL, NULL, 1, 1768471200000, 1768471200000, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO subscriptions ("seq", "id", "bucket_seq", "status", "renewal_strategy", "region", "customer_key", "external_id", "customer_external_id", "quota_reset_anchor", "metadata", "trial_end_status", "trial_start_date", "trial_end_date", "next_billing_cycle", "product_key", "allowance_period", "allowance", "version", "created_on", "updated_on", "renews_on", "bills_on", "blocks_on", "payment", "billing", "has_credits", "expires_on", "former_bucket_seq") VALUES (1, 'sbsc_0V8MevgGJK357aAj6SuzgsQz', 1, 'active', 'monthly', 'europe-west4', 'acme', 'sub-2', 'cus_1', 1768471200000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 1768471200000, 1768471200000, 1771149600000, NULL, NULL, NULL, NULL, 0, NULL, NULL);
INSERT INTO subscription_plans ("subscription_seq", "position", "plan_seq") VALUES (1, 0, 1);
INSERT INTO usage_counters ("subscription_seq", "period_start", "meter", "events", "whole", "billionths", "removed_events", "removed_whole", "removed_billionths", "consumed_whole", "consumed_billionths", "is_unchecked", "announced_percent", "announced_max", "version") VALUES (1, 1768471200000, 'requests', 1, 7, 0, 0, 0, 0, 6, 0, 1, 0, NULL, 2);
INSERT INTO usage_events ("seq", "bucket_seq", "source", "event_id", "part", "subscription_seq", "time", "period_start", "received_on", "meter", "whole", "billionths", "voided_on") VALUES (1, 1, 'gateway', 'event-3', 0, 1, 1768471200000, 1768471200000, 1768471200000, 'requests', 7, 0, NULL);
INSERT INTO deployments ("seq", "account_seq", "name", "project", "branch", "code", "message", "active_version_seq", "source_seq", "version", "created_on", "updated_on") VALUES (1, 1, 'shop-main-44fd93b', 'shop', 'main', '44fd93b', '', 1, 1, 3, 1768471200000, 1768471200000);
INSERT INTO deployment_builds ("seq", "id", "deployment_seq", "state", "upload_hash", "upload_until", "source_seq", "steps", "result", "worker", "worker_until", "attempts", "version", "created_on", "updated_on", "is_staged", "is_preview_only", "author", "note", "is_limited") VALUES (1, '8f7030da-87de-43ec-b684-1e080b167c62', 1, 'succeeded', X'17ae1f48657cfc311000bc9869397386c3c23752b0263e59a0e71b7d45059c1d', 1768474800000, 1, '{"upload":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.000Z","finishedOn":"2026-01-15T10:00:00.000Z"},"unpack":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.000Z","finishedOn":"2026-01-15T10:00:00.002Z"},"validate":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.002Z","finishedOn":"2026-01-15T10:00:00.241Z"},"build":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.241Z","finishedOn":"2026-01-15T10:00:01.554Z"},"start":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.000Z","finishedOn":"2026-01-15T10:00:00.000Z"}}', '{"success":true,"durationMs":1846,"artifact":{"sha256":"6757edf2789a1af731c17025d5d2a40062ac5dad7cddb6190a49cd57a48398e5","bytes":2275},"routes":1,"warnings":[],"errors":[]}', NULL, 1768471210000, 1, 7, 1768471200000, 1768471200000, 0, 0, '{"type":"token","id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","name":"TOLLGATE_ADMIN_TOKEN"}', NULL, 0);
INSERT INTO deployment_sources ("seq", "deployment_seq", "created_on", "is_limited") VALUES (1, 1, 1768471200000, 0);
INSERT INTO deployment_source_chunks ("source_seq", "position", "data") VALUES (1, 0, X'1f8b0800000000000003ed56cf6fd33014eeb97fc5934f9b683387ae2d2ab00317d8d02e05c1014d9349de5a53c7ce6ca73f54e57f4776d22e89ba71807542ca778893f73dfb7d8eeccf56294a96f2e09751b2f34ca0948ececfc1b594d2664b433aa250be7b8286e130747ce708c88c65ba43ffba567372ff09b65d00a28a4540264006411850d273512eef149980cb0020965b812ee32b1aeb1300c812b5e14aba7048ba00b9ef98323b370f3dcfe628843adb4a9660be0f039019daca2700d16852250dface7eac92489966095ad48ef9b18f43a5b3cf73259c18dff6ea1cf7329db626a3f13ee31a633201ab336cb0269a63c26a424bc66e525fcd58cde5cccdff0179f7d0fb4d654eebbe5542cc98c5c6d864ce642c50bba1131567024df10b036b6ad249aa048f38367f0a0059e0a69e0b40ee336559332878c26d55fa4db729bb68dd33efe62fbd5e5bfc5becd6e0731e007ff07f3a1a0e9bfe3fa661ebff47f3ff8a8f949eedfda362d53bab6329ef2f70b37711a252cb95ace602909f59b4f0de4e12c625a9fb487974146e74a044dda69e2a70e91c9b2456dfd26f6fae7139fb78f57910ae93abefcb4f62a33f5c4e2b6e47f6e747cd6b9df7a3b12e1e3ee67ca5e2c22a0f28d6cc62bf609f965d2d4629ad885b7119abd5178c948c1d3da24732dfe601f312fb3f1c878dfdff7a40c7edfe3f06709d2a6d21c63b96090b27b7139816abb407919216d776025bf01730e3b848e9f85d71e3e941d15e407e0aef2f40e20aa6e515ee84f81505045eedc6098a410277393b7d7b94d9b568d1a2458bce23f80d340a90eb00120000');
INSERT INTO deployment_artifacts ("deployment_seq", "hash", "data") VALUES (1, '6757edf2789a1af731c17025d5d2a40062ac5dad7cddb6190a49cd57a48398e5', '{"format":1,"environment":{},"policies":{"keys":{"type":"api-key","options":{"bucket":"main","header":"authorization","scheme":"Bearer","allowAnonymous":false,"oauth":false}},"quota":{"type":"quota","options":{"bucketId":"mtr_0V8MevgGJK31xmJWvHlyrBIR","meters":{"requests":1},"statuses":["1xx","2xx","3xx","4xx"],"overQuota":"reject"}},"limit":{"type":"rate-limit","options":{"by":"consumer","requests":1000,"windowSeconds":60,"window":"fixed","legacyHeaders":true}}},"routes":[{"path":"/hello/{name}","method":"GET","target":{"handler":"modules/hello.ts"},"policies":["keys","quota","limit"],"timeoutSeconds":30}],"document":{"file":"openapi.json","text":"{\n  \"openapi\": \"3.1.0\",\n  \"info\": {\n    \"title\": \"Test\",\n    \"version\": \"1\"\n  },\n  \"paths\": {\n    \"/hello/{name}\": {\n      \"get\": {\n        \"responses\": {},\n        \"parameters\": [\n          {\n            \"name\": \"name\",\n            \"in\": \"path\",\n            \"required\": true,\n            \"schema\": {\n              \"type\": \"string\"\n            }\n          }\n        ],\n        \"x-tollgate\": {\n          \"handler\": \"modules/hello.ts\",\n          \"policies\": [\n            \"keys\",\n            \"quota\",\n            \"limit\"\n          ]\n        }\n      }\n    }\n  }\n}"},"site":"9f1e76c651892508eeb173853ce49ffaf159bdd257c8f414c852d1d4fe406f48","code":"var __defProp = Object.defineProperty;\nvar __export = (target, all) => {\n  for (var name in all)\n    __defProp(target, name, { get: all[name], enumerable: true });\n};\n\n// project:modules/hello.ts\nvar hello_exports = {};\n__export(hello_exports, {\n  default: () => hello_default\n});\nvar hello_default = (_, context) => new Response(\"hello \" + context.params.name);\n\n// all-modules.js\nvar all_modules_default = { \"modules/hello.ts\": hello_exports };\nexport {\n  all_modules_default as default\n};\n//# sourceMappingURL=data:application/json;base64,ewogICJ2ZXJzaW9uIjogMywKICAic291cmNlcyI6IFsicHJvamVjdDptb2R1bGVzL2hlbGxvLnRzIiwgImFsbC1tb2R1bGVzLmpzIl0sCiAgIm1hcHBpbmdzIjogIjs7Ozs7OztBQUFBO0FBQUE7QUFBQTtBQUFBO0FBQUEsSUFBTyxnQkFBUSxDQUFDLEdBQVksWUFBZ0QsSUFBSSxTQUFTLFdBQVcsUUFBUSxPQUFPLElBQUk7OztBQ0N2SCxJQUFPLHNCQUFRLEVBQUUsb0JBQW9CLGNBQVE7IiwKICAibmFtZXMiOiBbXQp9Cg==\n"}');
INSERT INTO deployment_versions ("seq", "id", "deployment_seq", "number", "build_id", "artifact_hash", "artifact_bytes", "routes", "created_on", "is_staged", "source_seq", "author", "note") VALUES (1, 'vrsn_0V8MevgGJK3DK3r5wEZtpUHA', 1, 1, '8f7030da-87de-43ec-b684-1e080b167c62', '6757edf2789a1af731c17025d5d2a40062ac5dad7cddb6190a49cd57a48398e5', 2275, 1, 1768471200000, 0, 1, '{"type":"token","id":"tokn_0V8MevgGJK2aPFUHyt4sEJJI","name":"TOLLGATE_ADMIN_TOKEN"}', NULL);
INSERT INTO deployment_logs ("seq", "id", "deployment_seq", "time", "kind", "entry", "bytes") VALUES (1, 'log_0V8MevgGJK3CtJn5KkkW9Z36', 1, 1768471200000, 'build', '{"level":"info","message":"Build 8f7030da-87de-43ec-b684-1e080b167c62 began."}', 228);
INSERT INTO deployment_logs ("seq", "id", "deployment_seq", "time", "kind", "entry", "bytes") VALUES (2, 'log_0V8MevgGJK3EzgDqEUYRacmq', 1, 1768471200000, 'build', '{"level":"info","message":"Built version 1: 1 route, 2275 bytes."}', 216);
INSERT INTO deployment_logs ("seq", "id", "deployment_seq", "time", "kind", "entry", "bytes") VALUES (3, 'log_0V8MevgGJK3GNNNYujWbYYLG', 1, 1768471200000, 'build', '{"level":"info","message":"Version 1 is live."}', 197);
INSERT INTO rate_limits ("scope", "subject", "window_start", "ends_on", "used") VALUES ('shop-main-44fd93b limit 60', 'csmr_0V8MevgGJK2elyhm2kzC93c9', 1768471200000, 1768471260000, 1);
INSERT INTO deployment_log_sizes ("deployment_seq", "bytes") VALUES (1, 641);
INSERT INTO written_batches ("writer", "number", "written_on") VALUES ('428e6fe1-88f1-429a-aebf-eb8df35e9f26', 1, 1768471200000);
INSERT INTO written_batches ("writer", "number", "written_on") VALUES ('a249e419-1174-4abb-82bc-d8c9420c38d3', 1, 1768471200000);
INSERT INTO written_batches ("writer", "number", "written_on") VALUES ('a91f815a-4e3e-42f9-a6ba-f2ca028a6192', 1, 1768471200000);
INSERT INTO written_batches ("writer", "number", "written_on") VALUES ('check-c3ca38f8-3c46-429a-9217-8df72b600e29', 1, 1768471200000);
INSERT INTO written_batches ("writer", "number", "written_on") VALUES ('d0ddac01-6da1-4504-933c-e9b50e07939f', 1, 1768471200000);
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (60000, 1768471200000, 0, 1, 1, 1, '', 200, '', 1, 0, 0, 0, 8, X'6301');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (60000, 1768471200000, 1, 1, 1, 1, '/hello/{name}', 200, '', 1, 0, 0, 0, 8, X'6301');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (60000, 1768471200000, 2, 1, 1, 1, '/hello/{name}', 200, 'acme', 1, 0, 0, 0, 8, X'6301');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (60000, 1768471200000, 3, 1, 1, 1, 'key_0V8MevgGJK2gUcmn6Pz4ex7J', 200, 'acme', 1, 0, 0, 0, 8, X'6301');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (60000, 1768471200000, 6, 1, 1, 1, 'csmr_0V8MevgGJK2elyhm2kzC93c9', 200, 'acme', 1, 0, 0, 0, 8, X'6301');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (3600000, 1768471200000, 0, 1, 1, 1, '', 200, '', 1, 0, 0, 0, 8, X'6301');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (3600000, 1768471200000, 1, 1, 1, 1, '/hello/{name}', 200, '', 1, 0, 0, 0, 8, X'6301');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (3600000, 1768471200000, 2, 1, 1, 1, '/hello/{name}', 200, 'acme', 1, 0, 0, 0, 8, X'6301');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (3600000, 1768471200000, 3, 1, 1, 1, 'key_0V8MevgGJK2gUcmn6Pz4ex7J', 200, 'acme', 1, 0, 0, 0, 8, X'6301');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (3600000, 1768471200000, 6, 1, 1, 1, 'csmr_0V8MevgGJK2elyhm2kzC93c9', 200, 'acme', 1, 0, 0, 0, 8, X'6301');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (86400000, 1768435200000, 0, 1, 1, 1, '', 200, '', 1, 0, 0, 0, 8, X'6301');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (86400000, 1768435200000, 1, 1, 1, 1, '/hello/{name}', 200, '', 1, 0, 0, 0, 8, X'6301');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (86400000, 1768435200000, 2, 1, 1, 1, '/hello/{name}', 200, 'acme', 1, 0, 0, 0, 8, X'6301');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (86400000, 1768435200000, 3, 1, 1, 1, 'key_0V8MevgGJK2gUcmn6Pz4ex7J', 200, 'acme', 1, 0, 0, 0, 8, X'6301');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (86400000, 1768435200000, 6, 1, 1, 1, 'csmr_0V8MevgGJK2elyhm2kzC93c9', 200, 'acme', 1, 0, 0, 0, 8, X'6301');
INSERT INTO traffic_deployments ("deployment_seq", "account_seq") VALUES (1, 1);
INSERT INTO usage_hours ("time", "subscription_seq", "period_start", "meter", "whole", "billionths") VALUES (1768471200000, 1, 1768471200000, 'requests', 13, 0);
INSERT INTO usage_days ("time", "subscription_seq", "period_start", "meter", "whole", "billionths") VALUES (1768435200000, 1, 1768471200000, 'requests', 13, 0);
INSERT INTO requests ("seq", "id", "account_seq", "deployment_seq", "version_seq", "is_failure", "time", "status", "method", "path", "route", "consumer", "request_id", "entry", "bytes") VALUES (1, 'req_0V8MevgGJK3HnFF630uocPdK', 1, 1, 1, 0, 1768471200000, 200, 'GET', '/hello/jo', '/hello/{name}', 'acme', 'c3370176-87a2-4fc6-9d0f-9415f9301653', '{"durationMs":54.731,"decisions":[{"policy":"keys","type":"api-key","ms":13.472,"outcome":"passed"},{"policy":"quota","type":"quota","ms":13.264,"outcome":"passed"},{"policy":"limit","type":"rate-limit","ms":0.632,"outcome":"passed"}],"ip":"127.0.0.1","consumerId":"csmr_0V8MevgGJK2elyhm2kzC93c9","keyId":"key_0V8MevgGJK2gUcmn6Pz4ex7J","target":{"kind":"handler","module":"modules/hello.ts","ms":24.298,"attempts":1}}', 826);
INSERT INTO request_sizes ("deployment_seq", "is_failure", "bytes") VALUES (1, 0, 826);
INSERT INTO feed_cursors ("reader", "position", "snapshot", "target") VALUES ('audit log', 26, NULL, NULL);
INSERT INTO feed_cursors ("reader", "position", "snapshot", "target") VALUES ('webhooks', 26, NULL, NULL);
INSERT INTO audit_chains ("account_seq", "account", "count", "hash", "sealed_on", "anchor", "anchor_hash", "oldest_on", "signed_count", "head") VALUES (1, 'acct_0V8MevgGJK2YGnmMjkkaQcFB', 25, 'ef917ed6e4e494fcc7b9ced712ed682a7b259f2a1e92f81a6f6b7b22bb989335', 1768471200000, 0, '0000000000000000000000000000000000000000000000000000000000000000', 1768471200000, 0, NULL);
INSERT INTO audit_keys ("id", "public_key", "private_key", "created_on") VALUES ('9ecdc41dbfd25b8c', 'm1ELQkzmpq66yhvquR2wySZ939AAg0ZwJn2jt4FymKk', X'4fe8a503170974e35983ce3c8c32e0f27d2553ae3391519b571d8c3ef6e673705dabdb71332a11d367ced877770ba3ced9c25445ee39f120efe6765c8bd06044fb561546c030c58a191e40632e71cdbbf52e66baf95cf4f5cedd51107be5dc9286038275d1e20cc3bd1d5fc1d744c68cb57ffe4b1dfea0ccc88b889df5837255b62190a752da62e5c6a94959d293db46c2db5d8aaff130', 1768471200000);
INSERT INTO webhook_timers ("name", "reached_time", "reached_seq") VALUES ('key.expired', 1768471200000, 9007199254740991);
INSERT INTO webhook_timers ("name", "reached_time", "reached_seq") VALUES ('key.expiring 1 days', 1768557600000, 9007199254740991);
INSERT INTO webhook_timers ("name", "reached_time", "reached_seq") VALUES ('key.expiring 7 days', 1769076000000, 9007199254740991);
INSERT INTO webhook_timers ("name", "reached_time", "reached_seq") VALUES ('subscription.trial_ending', 1768730400000, 9007199254740991);
INSERT INTO audit_segments ("account_seq", "number", "count", "lowest_id", "highest_id", "earliest", "latest", "hashes", "entries", "sealed_on") VALUES (1, 1, 2, 'audt_0V8MevgGJK2Z4PQBXrBXGIEG', 'audt_0V8MevgGJK2bmXBphaQTDGsM', 1768471200000, 1768471200000, X'0000000000000000000000000000000000000000000000000000000000000000f32146ef248eccf8d7c82bf827e6456de5452ae4c493bcd90a72df184838079a060c9aaf9a86ccba62aca4d9df46a4b5f380ac40c6cd76898d50489bde776da7', X'7b226964223a22617564745f3056384d657667474a4b325a345051425872425847494547222c2274696d65223a22323032362d30312d31355431303a30303a30302e3030305a222c22616374696f6e223a226163636f756e742e63726561746564222c226163746f72223a7b2274797065223a2273797374656d222c226964223a2273797374656d227d2c227265736f75726365223a7b2274797065223a226163636f756e74222c226964223a22616363745f3056384d657667474a4b3259476e6d4d6a6b6b6151634642222c226e616d65223a2264656661756c74227d2c226368616e676573223a5b7b22706f696e746572223a22222c226166746572223a7b226964223a22616363745f3056384d657667474a4b3259476e6d4d6a6b6b6151634642222c226e616d65223a2264656661756c74222c22637265617465644f6e223a22323032362d30312d31355431303a30303a30302e3030305a222c22757064617465644f6e223a22323032362d30312d31355431303a30303a30302e3030305a227d7d5d7d0a7b226964223a22617564745f3056384d657667474a4b32626d584270686151544447734d222c2274696d65223a22323032362d30312d31355431303a30303a30302e3030305a222c22616374696f6e223a22746f6b656e2e63726561746564222c226163746f72223a7b2274797065223a2273797374656d222c226964223a2273797374656d227d2c227265736f75726365223a7b2274797065223a22746f6b656e222c226964223a22746f6b6e5f3056384d657667474a4b32615046554879743473454a4a49222c226e616d65223a22544f4c4c474154455f41444d494e5f544f4b454e227d2c226368616e676573223a5b7b22706f696e746572223a22222c226166746572223a7b226964223a22746f6b6e5f3056384d657667474a4b32615046554879743473454a4a49222c22726f6c65223a2261646d696e222c22637265617465644f6e223a22323032362d30312d31355431303a30303a30302e3030305a222c226e616d65223a22544f4c4c474154455f41444d494e5f544f4b454e227d7d5d7d', 1768471200000);
INSERT INTO audit_segments ("account_seq", "number", "count", "lowest_id", "highest_id", "earliest", "latest", "hashes", "entries", "sealed_on") VALUES (1, 3, 2, 'audt_0V8MevgGJK2dl7Wdk67cW2eW', 'audt_0V8MevgGJK2fd57V7XPL5eJR', 1768471200000, 1768471200000, X'060c9aaf9a86ccba62aca4d9df46a4b5f380ac40c6cd76898d50489bde776da7db4c516afaeb116647eb569116dd7803e5e3f0ba0289baa0d39ba794c87cf324cf4a26a80ded3cae7143465482e84ae324dd08cf335a32774eb148ea413021b9', X'28b52ffd60f803151100f6e16f3b4087b639c3300cc345a0ef32e7b41473f41c1d4bc53491a28dac8da6d664d79a238a6b13a89bc63efe6b15f77f646d68fd841cf715594671e76b025d0064005d007f9f50280bf8c91702130322a6c5b6fc6e1bdbf2e59bbbe463e4ef563bcfbe14921ba31d7579bb5d99cebf1f8010422094104ae85820a771602389305ebeb52bffbda263058d2458ad88b21a1b280c16473b48143023d76e5ebe5ec704d7c61d63218fdbb25383fedd8140088444d1b93c77fd7da260532976f548b089223535103a4f13218a6a1e5849d4444197af938cbbdbb0d7d41070130d1a915815a828449a314a35bddd86fbfe65feb0d00061c97898380848c858b02430542a109669037f6f8dce894626050558d4342e595f0dd3db5a87ed4625280d55220c441411542b00198c4ca6729d85f8c3b090c7b73b8c27efd89ddae5b1d915bbfdddca974f70557d232e8dfd7577b37c67d4e4e8ebe696c0d71fa69a7fbffced6c030b183488f080d0f1a0c341c7435a76cb1ed54e7bf18bda79eb367ef1c001f275f99ca06b67dcf6ef35dbaccbdb9971c7c8cf3cebccadfd65deb5d5f718796ccd1c9928ea8991a892686d6af5488d13719e66922849136375a0084dd9f69d5c2200ec12265012021e88034c5829e65897f497615e1b731140224ba2b3a692401f803fe0844408140c01ae11917203f389080a519369a5ce885e8169aefbe7b618dc31c13a578b53c004d83e701a83c0c0068018ec0157009ef16130d8c33403', 1768471200000);
INSERT INTO audit_segments ("account_seq", "number", "count", "lowest_id", "highest_id", "earliest", "latest", "hashes", "entries", "sealed_on") VALUES (1, 5, 16, 'audt_0V8MevgGJK2hWfw73rtupII3', 'audt_0V8MevgGJK3652UPuxZt2s51', 1768471200000, 1768471200000, X'cf4a26a80ded3cae7143465482e84ae324dd08cf335a32774eb148ea413021b915ae1eb8057ec6428bf086265fbcbd569fbacc560a6fde73be73a305e389376a1b8b25dd5bcad960323d65abc7734e6de9e8a75220c456a84e5931a7f643ac43e693cc7fbccf43a59f22ee662ddd97e54445229f9b0a8b4d756c6fbe79edcdcb99d5f3e661a43f17bec30100c8de8e5ed46138941e89d0ec1cf1564414e7b6170b09ea8bc28c5f60effee33e234de0ef92c93d7b5d39155bf4983cfa28e2ef1c6923aad448ef0b3162e6ec64f48e216593eebcbfa6363dc90d945861f0b4fe9147bf4b8f4709786d67db4cec6d2202876dd57ef5e10475cc0aea26b680ae44cbadc782a140edc0191362e7f1abf7390f110685e71fe54ba918531dbdb3554464b07fe689a0e26d7ef3f1e8517659ce849ff6089e331850e69ba6062a9f538b2da4d0a375855909f176beaadc870769612ff6daf54f4f77a3c17f10ddce26410c47f1f6d1793eb4dec1560be5ae36f7ab637da7f853ece3b24693662b0566f529b9987107988e1a6d3080930971822c9575e762599eeb91bb27822a2b59ab5209c7df627ca634ee59f88e6ee2c897fb301a2a75313c0795c3bf8b8a854cc23263d7d0e8fa5600244b434b310cca76f7c61ad7c7b5be423b3f91d74907b6d787cbd81d3bc246c3371ab1891a6c15bb60c4f7859f04f660f249e1484380f6e21bc49c52fd116a7c3f185986db811b3bd365d9404239899236569244c4789cbdf402', X'28b52ffd60a723153600aa65b8122ae0c8881ebe628b45e03ff03a8446dae624e7113ac6ba20af80fc9ed8f60baaaa3add4022cc304346d8e027011a012001f3277fcb63d3722568a5aa9003ea12808d031b1bd394553ab2b54fadf90cdb50cb3f5daf12b4847df5924bc2b0fedc9a69ca2aa85511fa31e9c27cbeb22a4223f2d6b40635ec77255957d3300035fd92ca27b8350d16bc8257e044d8a07649ad6992da8925fe0c1dbbfba43bf8c8e9eccdd33d7e5252781bd4b263ebcf3036da53d81f2c9f838c4aa42699e9314a63eca94c5716ded5637eb5a63d1ccccf0c895a513822c97c25f395c75866e9c75ab3d120121a22281040381e100c102450182c3838445078d59ae6783c12f4dc198688828457156b37adfa8ab51bd4fecaeca60135cccabffd315c90f94a835a65491b7b6bdac57bafe03de83de8410a0a1d7caec6171bd49e92766b9a7438ae6c63d2b9441693d8f0589058fec1563c043b67dea096a5a6117be1270e9a42af16cefc3c7faed67b9d9d6f3af8e2734fbe56da7f28ac9824e674806d7db18a6579ccc6f744d7a393fddd7dee8e623b9d131f750ea35a69c437e38231801c205828ae741de42a015b1821da6163c48cf3c3f97d542337e17517a59cee79f5b9fcf4677c58e1f11c17100f19191ed57a28f450e8794ebc8fde0ba1f5c86188dd5599a783f9b38bf061092d3cc85454bf24584812afa8c94079242814b3a142e250bd09e1b4d2719c3eaee26a5d8c74ba7faae36e76a423e9cb1620da4272c81415914d334fc7af562adf75f0ef75d9e174f3e2ece8b5193ad3815195b1c0bea8c341428144241c08c8d2790259a1b201a1a6335f691a50d3bbca2cdc9a03173e0757ff28df73517e1e67239f2e7fa40e7f7c300c12f6fba9895f78b10b5805e999281f5756a5ffa6c3fbd5be73a2f3b8f972ba67fa75f2ed53af8d1208857e0b71a8179747c6e3d0d7e2ca889c45992729cc50caf99e8ba5b4eeefb3cea99ccea939bb38bdca4c65253945b9220d13192388c341c4bb82effe0aceaeefbf11158b0191f33f405036a666160c2c10978b6c81a1c8c42865e9c819bdcf9aa5f3cf8f93f499ce52e82e7a8cb03a9454990ad141d1c0f03011278bf45bb2549283041c21e248a08591412ecda22498ec9be94972ca791e8d39ffe72bdd7cf2e39eead3517ca98bd18d38634c59b8e0a78b72cc07b028fe2eac0b03be19c243b2251585bdc42ba72a9187de1a81c044c3aec8302bfa2b619dcf894f94f8396bdf3a2ced74f33ec7652a1d1a63f4d3670ca5c02371890471c2990349254d93246063bec2ac09ae0cf6eb9ff06d6518ad691081cef053996fc09eb2b6ce706bdadcfa2fee2f0bcb5e929926bbb2a806b58ce4b7631b32f9e5abc75ad3b0942d09fbab696f819aceb66fdd9a03070c404d6747e5d3f5f449a7113e7eef2ec6d7bde84d07f19b6e4a8f64ce2fba9be98c015a9291412ac5c01d8af5d51a521df705269388445a5f4f1e414ddf0ca27dd29a8d8df720d4304eb56662f20afb8d49a87cba5ad3f2642d34a84d7f7dcaf7f9d7fa5c1a65e758f938b779ba491dece893d5b973bac7127649162294cf138c682d08297dba7cba2a9fae8a792860131e168b1d99987bca3cfa0c81bd3574c2ec11749e7ceb1c5b77f23ad3596badfb88e6e8c89f7008c0321383c5e24161a0dc9493540180cba88191418a18222222380a92145c038022119922d33c128881240a8114c830108810812182222086206288800888c019e218bc03162b13726c37778e20b99c70c95ac143f39b57434b88ae04174a3f24821d662b240d1fb3f28b34f5c408d03696fb806d50be772f9f8f0067b7f86dfe43f8fddaf525ac92bd762414b756b7e47198943cad521b1e22b31faaa1f31b17d6b2b11e4eab80bb78e3b946cb4ec4c6449a5a92390e533ddb838f3efb7ebdfdf3561476e00a1c6521e29a87fa494087cd44cd0c33be60a6e184b1b10fb8184bdf612030fd3bbec1c40d5ea5c73b2b4f64ef46e94f4f7c57272405fb4264c713dca2e6bece9540d9930f31e57d166402a6059c317c573a33573074dbb4ea9b96ef3a878a30bbd675ea6c56720bfaf53a21835f2f6fd3e8898723131bffd5969e429511b4142e28b29f4274d935e384cf42659722f61f58412f223f5fbf0b8f7bdb4b3ebe8bc0b2de0f0f163502f7bafda2d037a412c0ca8fa3311181eef08d0c2e5c41bfcc53ab6967b6ab94a6010cb9e7e58f04221b7a6fc033d4df157e6712571c581a0ccf7b08ff90e16f457864d0fb606ed4de00e4b1ecb442b5325d75b4e00043758a011efb78572b1338a5d07b66427605952c8e267496a879737e87341403dc809d818094c79f6e141e2c44fe58a77aa5b50e069ecfab741eb1b973aa4684040911615c0f4637fc1ffaec15b4f61005c5111fa0dc4cdfa9025701', 1768471200000);
INSERT INTO audit_segments ("account_seq", "number", "count", "lowest_id", "highest_id", "earliest", "latest", "hashes", "entries", "sealed_on") VALUES (1, 21, 4, 'audt_0V8MevgGJK38g6OmaBWD5yxe', 'audt_0V8MevgGJK3B6YePmQyqc07v', 1768471200000, 1768471200000, X'9c52fd116a7c3f185986db811b3bd365d9404239899236569244c4789cbdf4029ebcc8a35d9479b0a85a593952be1c05bb590cbb9000d7d01af7dc9e95384530ee13b56cc30a04d0c57a951589f113598277bcbb7b6b9b87debc5defafc3b29e27af0cabcd1eaaebc53a6856f36a3d1cfbe5ad05948566e0d6a7d3c2fb9598067420c25d9b90b3b0f57b020845e7a61bb08c0e7f81c549f0220f8cd91e941f3c', X'28b52ffd605709ad1400c6e77b27e092ea01489caa9d46c256e90fb7b4eaee15e44e4400bc0080e0b511b837a4b931c418a310c22f74006f006b00dcc5bfb5f3d19549820593a950162402990946c04041c18271db4e5310102638e6eee0a1e0e290c5b8d9e9d7badc1eb3b75b3ffb6f14621fe3e69e6def95a9b7d3141042088413c2091f4ce4790f7c1204a19efdd995dbe9e7e822928801cf2c92668a12100c341abf3041c04cae9cf7ec7ab54798f615a2ab241b94205e5e5614c087c587b5b4d3db57ffad673f76370fcbdbe99ebd7db6d7d5daa362367e8df50d6da71f08844088849e9ead5dedb47497e8132b0ac5e83d5152affa139f1441e85591898a9425f5ec4ac9f8b98cbaf9ad36d86bee3a2249c2e2b061c13a193ddd02593b6d50a1482a934bcffeec19b7d3dadd60fa1777d3dae94ab6dca5d4e7b49767736a7783e7cc18e7d6578dbd349a8b558dfbcc37bf601bd74edbcbb39e8d7de5583b54acac4a469152567cd023fe2228e37b29fd83a43f2f455e4554b5627cf6f2ec697783b3fdacbb010a9487814a4590252364c5287a93454d8fba8ccf7a22ff2ce9ad877ec4f8b75a3d20fb8c3bac2121cde818b2cb4f48039044a5f4547082ffbc3849d5a31fc5f7554ecf2b8ca0b426cc65aa5f4ce3382086a301525c064161818a8582217890581a2e986c3fb377bb34ec6fa8f5ad7a8d63fc013b2050223166e8f823b6138861420943547f870105ba770290c30c9223382551eff8014cfabcf73eb70bbce810dbc5aa42a4e504f0c735ecf979e1221216277733b07341401d6f871cc40c860fdea765e7a23515c8f11f035939c81fb0058529d4dbe5b3c071fe3c74e0f3e0babd569ec0e10d5cf9a4c837bf5d50b89d294b033866c01102c392bb22ce1020fe3a733bd7b15c9b02d1e5850860f26e038f20f8f1a0cc', 1768471200000);
INSERT INTO audit_segments ("account_seq", "number", "count", "lowest_id", "highest_id", "earliest", "latest", "hashes", "entries", "sealed_on") VALUES (1, 25, 1, 'audt_0V8MevgGJK3FiWqeo8GnKFUh', 'audt_0V8MevgGJK3FiWqeo8GnKFUh', 1768471200000, 1768471200000, X'7420c25d9b90b3b0f57b020845e7a61bb08c0e7f81c549f0220f8cd91e941f3cef917ed6e4e494fcc7b9ced712ed682a7b259f2a1e92f81a6f6b7b22bb989335', X'7b226964223a22617564745f3056384d657667474a4b3346695771656f38476e4b465568222c2274696d65223a22323032362d30312d31355431303a30303a30302e3030305a222c22616374696f6e223a226465706c6f796d656e742e737563636565646564222c226163746f72223a7b2274797065223a2273797374656d222c226964223a2273797374656d227d2c227265736f75726365223a7b2274797065223a226465706c6f796d656e74222c226964223a2273686f702d6d61696e2d34346664393362222c226e616d65223a2273686f702d6d61696e2d34346664393362227d2c226368616e676573223a5b7b22706f696e746572223a22222c226166746572223a7b226e616d65223a2273686f702d6d61696e2d34346664393362222c226c6162656c223a226d61696e222c2275726c506172616d65746572223a226d61696e222c22637265617465644f6e223a22323032362d30312d31355431303a30303a30302e3030305a222c22757064617465644f6e223a22323032362d30312d31355431303a30303a30302e3030305a222c226c6f6767696e674964223a2264656661756c743a3a73686f703a3a6d61696e3a3a34346664393362222c226163636f756e744e616d65223a2264656661756c74222c2270726f6a6563744e616d65223a2273686f70222c227374617465223a2253544152544544222c226d657373616765223a22222c226272616e63684e616d65223a226d61696e222c2261637469766556657273696f6e223a312c22656e7669726f6e6d656e7454797065223a2250524f44554354494f4e222c2276657273696f6e223a317d7d5d7d', 1768471200000);
INSERT INTO audit_topics ("account_seq", "topic", "number") VALUES (1, 'shop-main-44fd93b', 21);
INSERT INTO audit_topics ("account_seq", "topic", "number") VALUES (1, 'shop-main-44fd93b', 25);
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
INSERT INTO deployment_sites ("deployment_seq", "artifact_hash", "contents", "pack") VALUES (1, '6757edf2789a1af731c17025d5d2a40062ac5dad7cddb6190a49cd57a48398e5', X'1f8b08000000000000038590c14ec33010447f05cd794b62221ac9f78a2397dea21c4cb34d0c8e13d96ea964f9df915d28420871dd3733bbb311569df5a8825e2c6444d0c13024f6ec03086776be10081006f607a7d7ab16208c273db087ec7a82e3233bb60786ec228c7a610389e7955d09f720b00d4e177dc4aac6bc67b9f16ae4b099d8986563d5cca05bc6d36e7f571552c58c120833876919ae1084558509123f55a94f7d2204e5460e3eb7fb9d942b17feedde5dd4bc9a7cc0c9bed9e5dd428a9408476df2ed11da0e7cb97ff5f90b5d4da26e7afa1cce036427ea861eda9efe2ef765164d4ddb7fa425b27d6c496cdb3ea50f10bc40e8b1010000', X'1f8b08000000000000031dca410a80201445d1adc81b4b0b701dcda241e8333fc537546c10ed3d6c780ff7c1211ae0903b4b17deb068d24ec261666db008acbec8d524ebc044531859a89e264733ae09169a032bdcb25a246e4174ffebfd002927eef6620000001f8b0800000000000003535608492d2ee102009614cf58070000001f8b080000000000000395544d4fdc3010fd2bee5c3691dc700fda030504eaa142c0ad46c84a2689b5899db527856d94ff5e8d931476452b71dab13df33efce21d61676c0939b81ebd26e32c4820432d420e37d78fe2acc1b67567a3d51d4e20a1c45078d3c7ce8f3bac2b3140fef3494283ba34b65e566f14f9081d52e398f8e6fa1124f49a1ac8e1146b87875bd4257a1e69960a2e066a9c37bf57bdbdc7cabc420edf507bf4022606f4ba4342cfe4233020e4f38f04c3da23a50413ee713f188f25e4e40794108a063bcd8c74e8792a9037b666547cd55d1fefe67aa9a627091e43ef6c585d93f635d29b9bb5554288c5aca8d5b61e74cd58c5e05b9050b8725d89cd380ebe9da663888d504a5921bede8acdd125e462b13e8e3b3c4cd306267944f15dffd20f31b87744ce0612ab78b115fa451b121552d1240a3e54a0408a9125cc61847c5e09a18e5351900b05c7a21448ee9da4b2537aae2cf3bb16b3d6d5c9aa220ba4690872d1f2779bf09592343d3ff57577a0267e038b27d3f5cef3dc7ec040415965df195cb7b31a295975ffcbe77cbef8dc2e363f6775369b2adb7b63e9d4e4336b96c71ed3538337eecd5caf8b9dae5174da5876b6984d9455a4a0ea48c15c1ab75616e9ac21ea799df24c35d82202242947a7c8e35e0af45ee45bc19dd90f7ce117818112c5af9323ffcfd7604dcbc064aa88f265cb3b33b4a25e5b5324e87d6c9916be6c7ed3d903a7707a994c767a9971da6338167a85951e5aba6c0d5acaae5ce271ff29292556e8f9feb36fae3c6497ad0b98c4638e428a67a6322ebb475d5eb42de7173b634bd55176c7b1b6361e3cc44c2f63a4f31f4612034d959d607a9aa63fc19415566b0500001f8b0800000000000003558dbd0ac2401084fb7d8a8114a790983e9d42d0d2c2d2620f5d4cf0f2e3e60ed4e3de5d2269d2cdcc37cc6438d617948d383794b1b79d24229eb31883ba94568889b20c67abb6132f3a1115e0993036a3f54d8ec96bdb3f72a8bc42ab72df56a8dfb61b9d54e045f1ee3fb33822669e1aba057530ebd7a5627025a038c1ec836f066dbfd6b7435fe120564511e3533e299979897e17e80e82d2000000');
INSERT INTO customers ("seq", "bucket_seq", "customer_key", "email", "legal_name", "address", "tax_ids", "currency", "payment_method", "version", "created_on", "updated_on", "spend_cap", "credit_limit", "top_up", "tax_status", "consumer_id") VALUES (1, 1, 'acme', NULL, NULL, NULL, NULL, NULL, NULL, 1, 1768471200000, 1768471200000, NULL, NULL, NULL, NULL, NULL);
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
