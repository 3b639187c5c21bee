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
INSERT INTO accounts ("seq", "id", "name", "version", "created_on", "updated_on") VALUES (1, 'acct_0V8MevgG6ikigzmNDdEcZaDg', 'default', 1, 1768471200000, 1768471200000);
INSERT INTO tokens ("seq", "id", "account_seq", "role", "name", "hash", "expires_on", "last_used_on", "created_on", "created_by", "trusted_issuer_seq", "scope") VALUES (1, 'tokn_0V8MevgG6ikkbFTxx9MioXSd', 1, 'admin', 'TOLLGATE_ADMIN_TOKEN', X'69e0f808545ab84a30114604cedae05edfe2a570dbe3b6bbfcc6dc3b56eb1d7d', NULL, 1768471200000, 1768471200000, NULL, NULL, NULL);
INSERT INTO tokens ("seq", "id", "account_seq", "role", "name", "hash", "expires_on", "last_used_on", "created_on", "created_by", "trusted_issuer_seq", "scope") VALUES (2, 'tokn_0V8MevgG6ilHgC2mNoYWYxg7', 1, 'reader', 'dashboard', X'c964b81eb0ac3cad859a16d6ed11878d12b28e7a48eba72f59bf6c23562f9570', NULL, NULL, 1768471200000, NULL, NULL, NULL);
INSERT INTO key_buckets ("seq", "id", "account_seq", "name", "description", "tags", "is_retrievable", "key_prefix", "version", "created_on", "updated_on", "has_lookalike_keys", "on_leak", "token_issuers") VALUES (1, 'bckt_0V8MevgG6ikmLVvItPZLXnMt', 1, 'main', NULL, NULL, 1, 'tg', 1, 1768471200000, 1768471200000, 0, 'mark', NULL);
INSERT INTO consumers ("seq", "id", "bucket_seq", "name", "description", "tags", "metadata", "version", "created_on", "updated_on", "is_suspended", "suspension_reason") VALUES (1, 'csmr_0V8MevgG6iko6wWX8zDldl3b', 1, 'acme', NULL, '{"region":"eu"}', '{"plan":"gold","nested":{"text":"it''s \"quoted\"\nand long: äöü 😀"}}', 1, 1768471200000, 1768471200000, 0, NULL);
INSERT INTO consumers ("seq", "id", "bucket_seq", "name", "description", "tags", "metadata", "version", "created_on", "updated_on", "is_suspended", "suspension_reason") VALUES (2, 'csmr_0V8MevgG6il7MJa9BvBFaTpZ', 1, 'beta', NULL, NULL, NULL, 1, 1768471200000, 1768471200000, 0, NULL);
INSERT INTO consumer_tags ("bucket_seq", "name", "value", "consumer_seq") VALUES (1, 'region', 'eu', 1);
INSERT INTO managers ("seq", "id", "bucket_seq", "consumer_seq", "sub", "email", "email_key", "created_on", "scopes", "version", "issuer") VALUES (1, 'mngr_0V8MevgG6il3B6rf7RsmjHCP', 1, 1, 'auth|jo', 'jo@example.com', 'jo@example.com', 1768471200000, NULL, 1, NULL);
INSERT INTO manager_invites ("seq", "id", "bucket_seq", "consumer_seq", "email", "email_key", "created_on", "expires_on", "scopes") VALUES (1, 'mngi_0V8MevgG6il5T4ulsdksHsWr', 1, 1, 'kim@example.com', 'kim@example.com', 1768471200000, 1769076000000, NULL);
INSERT INTO api_keys ("seq", "id", "bucket_seq", "consumer_seq", "hash", "suffix", "sealed", "description", "expires_on", "version", "created_on", "updated_on", "is_enabled", "permissions", "allowed_ips", "rate_limit", "metadata", "last_used_on", "leak") VALUES (1, 'key_0V8MevgG6ikqFpwZTTAfLf0Q', 1, 1, X'12763527d85a16a76c749688206a2265a0ff3332a3f052cf6652f090ea6014ca', '0ea62eb7', X'4fe8a5036eaae7ad537bfc65390c8ce29211d6b24acfc3a05c66f4ed8998657f4f6c1112eb0c9319e5a414093d641aa38530854afd9685e61d23ebff07670911f611cb1a43fdf54b05285d56', 'generated', NULL, 1, 1768471200000, 1768471200000, 1, NULL, NULL, NULL, NULL, 1768471200000, NULL);
INSERT INTO api_keys ("seq", "id", "bucket_seq", "consumer_seq", "hash", "suffix", "sealed", "description", "expires_on", "version", "created_on", "updated_on", "is_enabled", "permissions", "allowed_ips", "rate_limit", "metadata", "last_used_on", "leak") VALUES (2, 'key_0V8MevgG6iktIUh67Wn2hcLM', 1, 1, X'fec03ca1d61f2502b9e60496092d12d55dc7665b23ddc3306477e78c1b957699', 'er-1234', X'4fe8a503f312fd1826ec92edd2e9d635eff8ac4140c8c127d8aff68fc61330e6fcafe3dbca25a8858a7d504940e2c84e32b52aa267d3b85aa3f3984c57', NULL, NULL, 1, 1768471200000, 1768471200000, 1, NULL, NULL, NULL, NULL, 1768471200000, NULL);
INSERT INTO api_keys ("seq", "id", "bucket_seq", "consumer_seq", "hash", "suffix", "sealed", "description", "expires_on", "version", "created_on", "updated_on", "is_enabled", "permissions", "allowed_ips", "rate_limit", "metadata", "last_used_on", "leak") VALUES (3, 'key_0V8MevgG6ikwjvJ2C9dvnXEn', 1, 1, X'22dcde09ab36441e9678b0641f5a6bfde06e2ff98d948da92f7804c07b719d62', '543fd838', X'4fe8a50304b158319485a2d09c663268351a9df519e7b3fd3077e15bd6fa0e62c7c3db6875cb318f59e623c47dd24ea92ebbe6945940ec9321601a7775b06992a7241df93287cd19b78e56ad', 'expired', 1768471199000, 1, 1768471200000, 1768471200000, 1, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO api_keys ("seq", "id", "bucket_seq", "consumer_seq", "hash", "suffix", "sealed", "description", "expires_on", "version", "created_on", "updated_on", "is_enabled", "permissions", "allowed_ips", "rate_limit", "metadata", "last_used_on", "leak") VALUES (4, 'key_0V8MevgG6il9hLlI6XUwgraS', 1, 1, X'da68698762fcd6fc364b65962fec70b8f12b8a9093ba0a3eeb59a8e057b730bd', '62b82263', X'4fe8a50393d7b01f7df2103d570398ceda319d32795f3b228b3c030fb49aada0ec21987643932779165277df88248bcf1561eacae503fd4bc443fbfc4b02ccc63fd2724f0f8ba9476b25f350', 'once', NULL, 1, 1768471200000, 1768471200000, 1, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('bckt_0V8MevgG6ikmLVvItPZLXnMt', '', 0, 0, 2);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('bckt_0V8MevgG6ikmLVvItPZLXnMt', '["region","eu"]', 0, 0, 1);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('bckt_0V8MevgG6ikmLVvItPZLXnMt', 'keys', 0, 0, 4);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('bckt_0V8MevgG6ikmLVvItPZLXnMt', 'keys ["region","eu"]', 0, 0, 4);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('mtr_0V8MevgG6ilBJW7NBTAFbBqp', 'customers', 0, 0, 1);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('mtr_0V8MevgG6ilBJW7NBTAFbBqp', 'subscriptions', 0, 0, 1);
INSERT INTO idempotency_keys ("credential", "key", "fingerprint", "answer", "created_on") VALUES ('tokn_0V8MevgG6ikkbFTxx9MioXSd', 'released', X'fb0da8380c915c6c412f57d77e8d28fed4223ef15ef2816e47717e8f7ea27902', X'4fe8a503c0b572fcfc35b06bee23992104e3ee3128dda86540a438766db9ecf67835c9fde0b7a5746012546662d0107cc656af7d4d4db750195bbef00df5bbfaa5db76d3914f367dd5aab232f26e8ffef93dcc9f0e2888144ba79b8647b240a98757336df15956de174b926c3ad07d8a5531fa6e8569294922e40afcbde4bb2cc18786e8bbb63c68a1c7de2ba3d35981eb898ba14b9cf378b0b2ca2e9dc28fc581ff35d32cded209d5b3a48db652f688409c73c1a6a76414818b5764995b83268cb9c730025a21b14b2e6866c3936d021e502a8d48ea740e78e9a287174c58ab019c08399ab022760b55f787dfacdc57377531433a2dd862fd66fca0a65ff5ca1e3ef9a06fd439fea792df86ee9712bbbe25885a9bfa01b294be35ceb1c179c9db2de49573db6e14e39f1fd29c5aa9ce84a9317b4d5fe352d7be7bc74a3f53182d49d4cbe91e50f5323f863ee85beacbabbc01d8dea61e53072f3dbc4122aa74d6aa44d2b8899889c1da3dfdc5088f7c5756afd8756a7b26dcca088bcfb0a1fa834438edec1cfb3fac27cddbb93138df2a9be71398148029ff460ca6d583cdd0dc55cb8b', 1768471200000);
INSERT INTO encryption_keys ("name", "created_on") VALUES ('4fe8a503', 1768471200000);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (1, 1768471200000, 'local', 1, 'system', 'account.created', 'acct_0V8MevgG6ikigzmNDdEcZaDg', NULL, '{"id":"audt_0V8MevgG6ikjVdfgtncaGc5C","time":"2026-01-15T10:00:00.000Z","action":"account.created","actor":{"type":"system","id":"system"},"resource":{"type":"account","id":"acct_0V8MevgG6ikigzmNDdEcZaDg","name":"default"},"changes":[{"pointer":"","after":{"id":"acct_0V8MevgG6ikigzmNDdEcZaDg","name":"default","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (2, 1768471200000, 'local', 1, 'system', 'token.created', 'tokn_0V8MevgG6ikkbFTxx9MioXSd', NULL, '{"id":"audt_0V8MevgG6iklDityQ4UZAL8o","time":"2026-01-15T10:00:00.000Z","action":"token.created","actor":{"type":"system","id":"system"},"resource":{"type":"token","id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","name":"TOLLGATE_ADMIN_TOKEN"},"changes":[{"pointer":"","after":{"id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","role":"admin","createdOn":"2026-01-15T10:00:00.000Z","name":"TOLLGATE_ADMIN_TOKEN"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (3, 1768471200000, 'local', 1, 'tokn_0V8MevgG6ikkbFTxx9MioXSd', 'bucket.created', 'bckt_0V8MevgG6ikmLVvItPZLXnMt', '{"name":"main"}', '{"id":"audt_0V8MevgG6iknZ7P5tqNEM7Y0","time":"2026-01-15T10:00:00.000Z","action":"bucket.created","actor":{"type":"token","id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"bucket","id":"bckt_0V8MevgG6ikmLVvItPZLXnMt","name":"main"},"requestId":"2af12805-1f58-4530-8014-3f41edd7ff88","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"bckt_0V8MevgG6ikmLVvItPZLXnMt","name":"main","isRetrievable":true,"keyPrefix":"tg","onLeak":"mark","tokenIssuers":[],"createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (4, 1768471200000, 'local', 1, 'tokn_0V8MevgG6ikkbFTxx9MioXSd', 'consumer.created', 'csmr_0V8MevgG6iko6wWX8zDldl3b', NULL, '{"id":"audt_0V8MevgG6ikpSNU0SERst0M2","time":"2026-01-15T10:00:00.000Z","action":"consumer.created","actor":{"type":"token","id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"consumer","id":"csmr_0V8MevgG6iko6wWX8zDldl3b","name":"acme","parent":{"type":"bucket","id":"bckt_0V8MevgG6ikmLVvItPZLXnMt","name":"main"}},"requestId":"e560489e-403b-4156-b89a-b46836602347","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"csmr_0V8MevgG6iko6wWX8zDldl3b","name":"acme","tags":{"region":"eu"},"metadata":{"plan":"gold","nested":{"text":"it''s \"quoted\"\nand long: äöü 😀"}},"createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, 'bckt_0V8MevgG6ikmLVvItPZLXnMt', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (5, 1768471200000, 'local', 1, 'tokn_0V8MevgG6ikkbFTxx9MioXSd', 'key.created', 'csmr_0V8MevgG6iko6wWX8zDldl3b', '{"keyIds":["key_0V8MevgG6ikqFpwZTTAfLf0Q"]}', '{"id":"audt_0V8MevgG6ikra0D2asvVmnvt","time":"2026-01-15T10:00:00.000Z","action":"key.created","actor":{"type":"token","id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG6ikqFpwZTTAfLf0Q","parent":{"type":"consumer","id":"csmr_0V8MevgG6iko6wWX8zDldl3b","name":"acme"}},"requestId":"f8fe8f32-1aba-4b44-8d36-2ff09d471dff","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"key_0V8MevgG6ikqFpwZTTAfLf0Q","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"generated","isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgG6ikqFpwZTTAfLf0Q","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"generated","isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgG6ikmLVvItPZLXnMt","name":"main"}}', 'key_0V8MevgG6ikqFpwZTTAfLf0Q', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (6, 1768471200000, 'local', 1, 'tokn_0V8MevgG6ikkbFTxx9MioXSd', 'key.revealed', 'key_0V8MevgG6ikqFpwZTTAfLf0Q', NULL, '{"id":"audt_0V8MevgG6iksAFb5WoWT2LtX","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG6ikqFpwZTTAfLf0Q","parent":{"type":"consumer","id":"csmr_0V8MevgG6iko6wWX8zDldl3b","name":"acme"}},"requestId":"6bd2f54d-34cc-4c89-a768-c12475b87901","ip":"127.0.0.1","changes":[],"counts":{"keys":1}}', NULL, 'csmr_0V8MevgG6iko6wWX8zDldl3b', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (7, 1768471200000, 'local', 1, 'tokn_0V8MevgG6ikkbFTxx9MioXSd', 'key.created', 'csmr_0V8MevgG6iko6wWX8zDldl3b', '{"keyIds":["key_0V8MevgG6iktIUh67Wn2hcLM"]}', '{"id":"audt_0V8MevgG6ikuDCdToi88PsK8","time":"2026-01-15T10:00:00.000Z","action":"key.created","actor":{"type":"token","id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG6iktIUh67Wn2hcLM","parent":{"type":"consumer","id":"csmr_0V8MevgG6iko6wWX8zDldl3b","name":"acme"}},"requestId":"60c87feb-24fe-43d4-835a-6c00235f0f57","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"key_0V8MevgG6iktIUh67Wn2hcLM","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgG6iktIUh67Wn2hcLM","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgG6ikmLVvItPZLXnMt","name":"main"}}', 'key_0V8MevgG6iktIUh67Wn2hcLM', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (8, 1768471200000, 'local', 1, 'tokn_0V8MevgG6ikkbFTxx9MioXSd', 'key.revealed', 'key_0V8MevgG6iktIUh67Wn2hcLM', NULL, '{"id":"audt_0V8MevgG6ikvQlbhhBdKbEYq","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG6iktIUh67Wn2hcLM","parent":{"type":"consumer","id":"csmr_0V8MevgG6iko6wWX8zDldl3b","name":"acme"}},"requestId":"450d6d4e-5984-413b-b8b4-0bdab9840f6f","ip":"127.0.0.1","changes":[],"counts":{"keys":1}}', NULL, 'csmr_0V8MevgG6iko6wWX8zDldl3b', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (9, 1768471200000, 'local', 1, 'tokn_0V8MevgG6ikkbFTxx9MioXSd', 'key.created', 'csmr_0V8MevgG6iko6wWX8zDldl3b', '{"keyIds":["key_0V8MevgG6ikwjvJ2C9dvnXEn"]}', '{"id":"audt_0V8MevgG6ikx3p6FizNvEz6u","time":"2026-01-15T10:00:00.000Z","action":"key.created","actor":{"type":"token","id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG6ikwjvJ2C9dvnXEn","parent":{"type":"consumer","id":"csmr_0V8MevgG6iko6wWX8zDldl3b","name":"acme"}},"requestId":"ce9f7d7b-9c0f-4c88-bafb-796e7d95b157","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"key_0V8MevgG6ikwjvJ2C9dvnXEn","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":"2026-01-15T09:59:59.000Z","description":"expired","isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgG6ikwjvJ2C9dvnXEn","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":"2026-01-15T09:59:59.000Z","description":"expired","isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgG6ikmLVvItPZLXnMt","name":"main"}}', 'key_0V8MevgG6ikwjvJ2C9dvnXEn', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (10, 1768471200000, 'local', 1, 'tokn_0V8MevgG6ikkbFTxx9MioXSd', 'key.revealed', 'key_0V8MevgG6ikwjvJ2C9dvnXEn', NULL, '{"id":"audt_0V8MevgG6ikyxZC5P4dHVTDa","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG6ikwjvJ2C9dvnXEn","parent":{"type":"consumer","id":"csmr_0V8MevgG6iko6wWX8zDldl3b","name":"acme"}},"requestId":"239a3167-1357-414b-a81e-2f5e59555cd0","ip":"127.0.0.1","changes":[],"counts":{"keys":1}}', NULL, 'csmr_0V8MevgG6iko6wWX8zDldl3b', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (11, 1768471200000, 'local', 1, 'tokn_0V8MevgG6ikkbFTxx9MioXSd', 'key.created', 'csmr_0V8MevgG6iko6wWX8zDldl3b', '{"keyIds":["key_0V8MevgG6ikzBb94yR02DPHJ"]}', '{"id":"audt_0V8MevgG6il0a0RgtB8bzLp8","time":"2026-01-15T10:00:00.000Z","action":"key.created","actor":{"type":"token","id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG6ikzBb94yR02DPHJ","parent":{"type":"consumer","id":"csmr_0V8MevgG6iko6wWX8zDldl3b","name":"acme"}},"requestId":"d002e780-e81e-49e6-9b7c-a30a2ff8d615","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"key_0V8MevgG6ikzBb94yR02DPHJ","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"revoked","isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgG6ikzBb94yR02DPHJ","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"revoked","isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgG6ikmLVvItPZLXnMt","name":"main"}}', 'key_0V8MevgG6ikzBb94yR02DPHJ', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (12, 1768471200000, 'local', 1, 'tokn_0V8MevgG6ikkbFTxx9MioXSd', 'key.revealed', 'key_0V8MevgG6ikzBb94yR02DPHJ', NULL, '{"id":"audt_0V8MevgG6il1wSfo5MfwkOYR","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG6ikzBb94yR02DPHJ","parent":{"type":"consumer","id":"csmr_0V8MevgG6iko6wWX8zDldl3b","name":"acme"}},"requestId":"f26f1108-1462-48d2-909f-0ab3941c5531","ip":"127.0.0.1","changes":[],"counts":{"keys":1}}', NULL, 'csmr_0V8MevgG6iko6wWX8zDldl3b', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (13, 1768471200000, 'local', 1, 'tokn_0V8MevgG6ikkbFTxx9MioXSd', 'key.deleted', 'key_0V8MevgG6ikzBb94yR02DPHJ', '{"bucketSeq":1,"hash":"OSRqMTToXTPXfmuaPoE8yaJV7qLbYOHwPjKc6hhaHBo="}', '{"id":"audt_0V8MevgG6il25s6nIqaqFcJV","time":"2026-01-15T10:00:00.000Z","action":"key.deleted","actor":{"type":"token","id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG6ikzBb94yR02DPHJ","parent":{"type":"consumer","id":"csmr_0V8MevgG6iko6wWX8zDldl3b","name":"acme"}},"requestId":"c469d9a4-63e3-489f-a084-cdc51147b24e","ip":"127.0.0.1","changes":[{"pointer":"","before":{"id":"key_0V8MevgG6ikzBb94yR02DPHJ","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"revoked","isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgG6ikzBb94yR02DPHJ","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"revoked","isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgG6ikmLVvItPZLXnMt","name":"main"}}', 'csmr_0V8MevgG6iko6wWX8zDldl3b', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (14, 1768471200000, 'local', 1, 'tokn_0V8MevgG6ikkbFTxx9MioXSd', 'manager.created', 'mngr_0V8MevgG6il3B6rf7RsmjHCP', '{"consumerId":"csmr_0V8MevgG6iko6wWX8zDldl3b"}', '{"id":"audt_0V8MevgG6il40JYUz1FmwXq1","time":"2026-01-15T10:00:00.000Z","action":"manager.created","actor":{"type":"token","id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"manager","id":"mngr_0V8MevgG6il3B6rf7RsmjHCP","name":"jo@example.com","parent":{"type":"consumer","id":"csmr_0V8MevgG6iko6wWX8zDldl3b","name":"acme"}},"requestId":"2c87d4e1-d237-46fc-9f5b-dfbcd9ac12d7","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"mngr_0V8MevgG6il3B6rf7RsmjHCP","createdOn":"2026-01-15T10:00:00.000Z","email":"jo@example.com","sub":"auth|jo"}}]}', NULL, 'csmr_0V8MevgG6iko6wWX8zDldl3b', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (15, 1768471200000, 'local', 1, 'tokn_0V8MevgG6ikkbFTxx9MioXSd', 'manager-invite.created', 'mngi_0V8MevgG6il5T4ulsdksHsWr', '{"consumerId":"csmr_0V8MevgG6iko6wWX8zDldl3b"}', '{"id":"audt_0V8MevgG6il6YT5rbZ5xGVVT","time":"2026-01-15T10:00:00.000Z","action":"manager-invite.created","actor":{"type":"token","id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"manager-invite","id":"mngi_0V8MevgG6il5T4ulsdksHsWr","name":"kim@example.com","parent":{"type":"consumer","id":"csmr_0V8MevgG6iko6wWX8zDldl3b","name":"acme"}},"requestId":"bc1ed59c-86b1-41fb-aa4c-80abb478c360","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"mngi_0V8MevgG6il5T4ulsdksHsWr","email":"kim@example.com","createdOn":"2026-01-15T10:00:00.000Z","expiresOn":"2026-01-22T10:00:00.000Z"}}]}', NULL, 'csmr_0V8MevgG6iko6wWX8zDldl3b', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (16, 1768471200000, 'local', 1, 'tokn_0V8MevgG6ikkbFTxx9MioXSd', 'consumer.created', 'csmr_0V8MevgG6il7MJa9BvBFaTpZ', NULL, '{"id":"audt_0V8MevgG6il8yV2rzVW5Qxmx","time":"2026-01-15T10:00:00.000Z","action":"consumer.created","actor":{"type":"token","id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"consumer","id":"csmr_0V8MevgG6il7MJa9BvBFaTpZ","name":"beta","parent":{"type":"bucket","id":"bckt_0V8MevgG6ikmLVvItPZLXnMt","name":"main"}},"requestId":"e1d09054-c9d3-454c-a0ed-08d96bacc4d5","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"csmr_0V8MevgG6il7MJa9BvBFaTpZ","name":"beta","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, 'bckt_0V8MevgG6ikmLVvItPZLXnMt', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (17, 1768471200000, 'local', 1, 'tokn_0V8MevgG6ikkbFTxx9MioXSd', 'key.created', 'csmr_0V8MevgG6iko6wWX8zDldl3b', '{"keyIds":["key_0V8MevgG6il9hLlI6XUwgraS"]}', '{"id":"audt_0V8MevgG6ilA5Lia9bMdn8XE","time":"2026-01-15T10:00:00.000Z","action":"key.created","actor":{"type":"token","id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG6il9hLlI6XUwgraS","parent":{"type":"consumer","id":"csmr_0V8MevgG6iko6wWX8zDldl3b","name":"acme"}},"requestId":"09435e5a-b36a-44a9-83fa-6a45b9fcb414","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"key_0V8MevgG6il9hLlI6XUwgraS","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"once","isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgG6il9hLlI6XUwgraS","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"once","isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgG6ikmLVvItPZLXnMt","name":"main"}}', 'key_0V8MevgG6il9hLlI6XUwgraS', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (18, 1768471200000, 'local', 1, 'tokn_0V8MevgG6ikkbFTxx9MioXSd', 'metering-bucket.created', 'mtr_0V8MevgG6ilBJW7NBTAFbBqp', '{}', '{"id":"audt_0V8MevgG6ilCS69OXZfPBfuR","time":"2026-01-15T10:00:00.000Z","action":"metering-bucket.created","actor":{"type":"token","id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"metering-bucket","id":"mtr_0V8MevgG6ilBJW7NBTAFbBqp"},"requestId":"45b7b82c-7c2d-4b8c-8334-9a67d455d0dd","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"mtr_0V8MevgG6ilBJW7NBTAFbBqp","accountName":"default","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (19, 1768471200000, 'local', 1, 'tokn_0V8MevgG6ikkbFTxx9MioXSd', 'plan.created', 'plan_0V8MevgG6ilD27jdl2P1IgnX', '{"bucketId":"mtr_0V8MevgG6ilBJW7NBTAFbBqp"}', '{"id":"audt_0V8MevgG6ilEwz5wQzz0ZEsG","time":"2026-01-15T10:00:00.000Z","action":"plan.created","actor":{"type":"token","id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"plan","id":"plan_0V8MevgG6ilD27jdl2P1IgnX","name":"price-1","parent":{"type":"metering-bucket","id":"mtr_0V8MevgG6ilBJW7NBTAFbBqp"}},"requestId":"62ea3ff7-2866-47c5-ab30-1dce11f12612","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"plan_0V8MevgG6ilD27jdl2P1IgnX","label":"Gold","planExternalId":"price-1","meters":{"requests":{"label":"Requests","max":100}},"hasSubscriptions":false,"createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, 'mtr_0V8MevgG6ilBJW7NBTAFbBqp', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (20, 1768471200000, 'local', 1, 'tokn_0V8MevgG6ikkbFTxx9MioXSd', 'subscription.created', 'sbsc_0V8MevgG6ilFGITjQPzMhSiV', '{"bucketId":"mtr_0V8MevgG6ilBJW7NBTAFbBqp","customerKey":"acme"}', '{"id":"audt_0V8MevgG6ilGMzOoaejpUy1s","time":"2026-01-15T10:00:00.000Z","action":"subscription.created","actor":{"type":"token","id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"subscription","id":"sbsc_0V8MevgG6ilFGITjQPzMhSiV","name":"sub-2","parent":{"type":"metering-bucket","id":"mtr_0V8MevgG6ilBJW7NBTAFbBqp"}},"requestId":"3a16d2f6-c13a-436b-80ab-a78afdd0c826","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"sbsc_0V8MevgG6ilFGITjQPzMhSiV","planIds":["plan_0V8MevgG6ilD27jdl2P1IgnX"],"planExternalIds":["price-1"],"status":"active","type":"periodic","renewalStrategy":"monthly","region":"europe-west4","customerKey":"acme","subscriptionExternalId":"sub-2","customerExternalId":"cus_1","quotaResetAnchor":"2026-01-15T10:00:00.000Z","nextBillingCycle":"2026-02-15T10:00:00.000Z","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, 'mtr_0V8MevgG6ilBJW7NBTAFbBqp', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (21, 1768471200000, 'local', 1, 'tokn_0V8MevgG6ikkbFTxx9MioXSd', 'usage.recorded', 'mtr_0V8MevgG6ilBJW7NBTAFbBqp', '{"events":1}', NULL, NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (22, 1768471200000, 'local', 1, 'tokn_0V8MevgG6ikkbFTxx9MioXSd', 'token.created', 'tokn_0V8MevgG6ilHgC2mNoYWYxg7', NULL, '{"id":"audt_0V8MevgG6ilIPdI6s8GpylIt","time":"2026-01-15T10:00:00.000Z","action":"token.created","actor":{"type":"token","id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"token","id":"tokn_0V8MevgG6ilHgC2mNoYWYxg7","name":"dashboard"},"requestId":"1d042e1d-0f0c-4545-9183-3396f8a1f6e9","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"tokn_0V8MevgG6ilHgC2mNoYWYxg7","role":"reader","createdOn":"2026-01-15T10:00:00.000Z","name":"dashboard"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (23, 1768471200000, 'local', 1, 'tokn_0V8MevgG6ikkbFTxx9MioXSd', 'deployment.created', 'shop-main-7a5659e', NULL, '{"id":"audt_0V8MevgG6ilJ6ZHJOsvcoWPB","time":"2026-01-15T10:00:00.000Z","action":"deployment.created","actor":{"type":"token","id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"deployment","id":"shop-main-7a5659e","name":"shop-main-7a5659e"},"requestId":"f1db0988-59e7-4f64-b30e-d1291356e534","ip":"127.0.0.1","changes":[{"pointer":"","after":{"name":"shop-main-7a5659e","label":"main","urlParameter":"main","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","loggingId":"default::shop::main::7a5659e","accountName":"default","projectName":"shop","state":"PENDING","message":"","branchName":"main","environmentType":"PRODUCTION"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (24, 1768471200000, 'local', 1, 'tokn_0V8MevgG6ikkbFTxx9MioXSd', 'deployment.upload-requested', 'shop-main-7a5659e', '{"statusId":"4ecadc0e-0b76-4d94-92c6-60b6b64696fd"}', '{"id":"audt_0V8MevgG6ilKkzrFf0kzV1aI","time":"2026-01-15T10:00:00.000Z","action":"deployment.upload_requested","actor":{"type":"token","id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"deployment","id":"shop-main-7a5659e","name":"shop-main-7a5659e"},"requestId":"f1db0988-59e7-4f64-b30e-d1291356e534","ip":"127.0.0.1","changes":[{"pointer":"","after":{"name":"shop-main-7a5659e","label":"main","urlParameter":"main","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","loggingId":"default::shop::main::7a5659e","accountName":"default","projectName":"shop","state":"PENDING","message":"","branchName":"main","environmentType":"PRODUCTION","statusId":"4ecadc0e-0b76-4d94-92c6-60b6b64696fd"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (25, 1768471200000, 'local', 1, 'upload address', 'deployment.build-queued', 'shop-main-7a5659e', '{"statusId":"4ecadc0e-0b76-4d94-92c6-60b6b64696fd"}', '{"id":"audt_0V8MevgG6ilLl7Px5d6QnTE5","time":"2026-01-15T10:00:00.000Z","action":"deployment.uploaded","actor":{"type":"system","id":"upload address"},"resource":{"type":"deployment","id":"shop-main-7a5659e","name":"shop-main-7a5659e"},"requestId":"85471a7d-e2dc-4207-a7ff-ce9cfe23db94","ip":"127.0.0.1","changes":[{"pointer":"","after":{"name":"shop-main-7a5659e","label":"main","urlParameter":"main","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","loggingId":"default::shop::main::7a5659e","accountName":"default","projectName":"shop","state":"BUILDING","message":"","branchName":"main","environmentType":"PRODUCTION","statusId":"4ecadc0e-0b76-4d94-92c6-60b6b64696fd"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (26, 1768471200000, 'local', 1, 'system', 'deployment.activated', 'shop-main-7a5659e', '{"deploymentSeq":1,"accountName":"default","versionSeq":1,"versionNumber":1,"artifactHash":"305864f3bc3101b4f1aa3e5d8d7a2122bf00bb95a1c6a3a23f3108f9d8894258"}', '{"id":"audt_0V8MevgG6ilPVDENcW2OQZL2","time":"2026-01-15T10:00:00.000Z","action":"deployment.succeeded","actor":{"type":"system","id":"system"},"resource":{"type":"deployment","id":"shop-main-7a5659e","name":"shop-main-7a5659e"},"changes":[{"pointer":"","after":{"name":"shop-main-7a5659e","label":"main","urlParameter":"main","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","loggingId":"default::shop::main::7a5659e","accountName":"default","projectName":"shop","state":"STARTED","message":"","branchName":"main","activeVersion":1,"environmentType":"PRODUCTION","version":1}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (27, 1768471200000, 'local', 1, 'tokn_0V8MevgG6ikkbFTxx9MioXSd', 'key.revealed', 'bckt_0V8MevgG6ikmLVvItPZLXnMt', NULL, '{"id":"audt_0V8MevgG6ilUMBx6KKW3qIsw","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"bucket","id":"bckt_0V8MevgG6ikmLVvItPZLXnMt","name":"main"},"requestId":"484672bb-e508-4eb2-80fd-ef760cf5234c","ip":"127.0.0.1","changes":[],"counts":{"keys":4}}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (28, 1768471200000, 'local', 1, 'tokn_0V8MevgG6ikkbFTxx9MioXSd', 'key.revealed', 'csmr_0V8MevgG6iko6wWX8zDldl3b', NULL, '{"id":"audt_0V8MevgG6ilVhN2MyiYVnrGo","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"consumer","id":"csmr_0V8MevgG6iko6wWX8zDldl3b","name":"acme"},"requestId":"65d91d2f-d448-471c-a395-e584e724a05c","ip":"127.0.0.1","changes":[],"counts":{"keys":4}}', NULL, NULL, 1, NULL);
INSERT INTO metering_buckets ("seq", "id", "account_seq", "version", "created_on", "updated_on", "name", "test_clock", "key_bucket") VALUES (1, 'mtr_0V8MevgG6ilBJW7NBTAFbBqp', 1, 1, 1768471200000, 1768471200000, NULL, NULL, NULL);
INSERT INTO plans ("seq", "id", "bucket_seq", "external_id", "label", "meters", "trial_days", "trial_end_status", "is_trial_collect_payment", "version", "created_on", "updated_on", "price", "rates", "features", "description", "is_public", "list_position", "rollover") VALUES (1, 'plan_0V8MevgG6ilD27jdl2P1IgnX', 1, 'price-1', 'Gold', '{"requests":{"label":"Requests","max":100}}', NULL, NULL, NULL, 1, 1768471200000, 1768471200000, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO subscriptions ("seq", "id", "bucket_seq", "status", "renewal_strategy", "region", "customer_key", "external_id", "customer_external_id", "quota_reset_anchor", "metadata", "trial_end_status", "trial_start_date", "trial_end_date", "next_billing_cycle", "product_key", "allowance_period", "allowance", "version", "created_on", "updated_on", "renews_on", "bills_on", "blocks_on", "payment", "billing", "has_credits", "expires_on") VALUES (1, 'sbsc_0V8MevgG6ilFGITjQPzMhSiV', 1, 'active', 'monthly', 'europe-west4', 'acme', 'sub-2', 'cus_1', 1768471200000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 1768471200000, 1768471200000, 1771149600000, NULL, NULL, NULL, NULL, 0, NULL);
INSERT INTO subscription_plans ("subscription_seq", "position", "plan_seq") VALUES (1, 0, 1);
INSERT INTO usage_counters ("subscription_seq", "period_start", "meter", "events", "whole", "billionths", "removed_events", "removed_whole", "removed_billionths", "consumed_whole", "consumed_billionths", "is_unchecked", "announced_percent", "announced_max", "version") VALUES (1, 1768471200000, 'requests', 1, 7, 0, 0, 0, 0, 6, 0, 1, 0, NULL, 2);
INSERT INTO usage_events ("seq", "bucket_seq", "source", "event_id", "part", "subscription_seq", "time", "period_start", "received_on", "meter", "whole", "billionths", "voided_on") VALUES (1, 1, 'gateway', 'event-3', 0, 1, 1768471200000, 1768471200000, 1768471200000, 'requests', 7, 0, NULL);
INSERT INTO deployments ("seq", "account_seq", "name", "project", "branch", "code", "message", "active_version_seq", "source_seq", "version", "created_on", "updated_on") VALUES (1, 1, 'shop-main-7a5659e', 'shop', 'main', '7a5659e', '', 1, 1, 3, 1768471200000, 1768471200000);
INSERT INTO deployment_builds ("seq", "id", "deployment_seq", "state", "upload_hash", "upload_until", "source_seq", "steps", "result", "worker", "worker_until", "attempts", "version", "created_on", "updated_on", "is_staged", "is_preview_only", "author", "note", "is_limited") VALUES (1, '4ecadc0e-0b76-4d94-92c6-60b6b64696fd', 1, 'succeeded', X'92263192c7d8c81dae2e9a71e56c2a0d5e16703eb9258418b728cb990dbe6933', 1768474800000, 1, '{"upload":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.000Z","finishedOn":"2026-01-15T10:00:00.000Z"},"unpack":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.000Z","finishedOn":"2026-01-15T10:00:00.002Z"},"validate":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.002Z","finishedOn":"2026-01-15T10:00:00.151Z"},"build":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.151Z","finishedOn":"2026-01-15T10:00:00.315Z"},"start":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.000Z","finishedOn":"2026-01-15T10:00:00.000Z"}}', '{"success":true,"durationMs":415,"artifact":{"sha256":"305864f3bc3101b4f1aa3e5d8d7a2122bf00bb95a1c6a3a23f3108f9d8894258","bytes":2275},"routes":1,"warnings":[],"errors":[]}', NULL, 1768471210000, 1, 7, 1768471200000, 1768471200000, 0, 0, '{"type":"token","id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","name":"TOLLGATE_ADMIN_TOKEN"}', NULL, 0);
INSERT INTO deployment_sources ("seq", "deployment_seq", "created_on", "is_limited") VALUES (1, 1, 1768471200000, 0);
INSERT INTO deployment_source_chunks ("source_seq", "position", "data") VALUES (1, 0, X'1f8b0800000000000003ed56416fd33014eeb9bfe2c9a74db499c3d6161598440f2090c6614c7040d3e4256fad6962bbb6b3b6aaf2df919db44ba26e1c609d90f21de2e47dcf7e9f23fbb3a542c1140f7e19293acf044ae9f0ec0c5c4b296db634a4430ae5bb2768180e42c7770e80cc58a63bf4af6b3527f79f60d30520b25804640ce43408034a7a2ecac59d2463701900c4729ba0cbb842637d0200b9476db8142e1c922e40ee3b2a6667e6a1e7c90c93449e6c044b31df8501c8146de5138068344a0a83beb31fab2414d32c458bda313f7771a874f679ae8413e3db5e9de35ea6d3d664342e32ae312663b03ac3066ba219a6ac26b464ec5af96ac66a2ea66efe0fc8bbfbdeaf2b735af5ad4c9229b3d8189bcc988813d46ee854c65982a6f885813535e944c984471c9b3f0580cc715dcf05208b4c5ad60c263ce5b62afdbadb945db4ee9977f3975eaf2dfe2db66bf0390f803ff83f1d0e064dff1fd1b0f5ff83f97fc5474acff6fe51b1eaadd531c5fb735cef5c844865b914d55c00729b4573efed24655c90ba8f944747e1467b4ad46deaa9029f9d6393d4ea1bfafdcd05de4f3f0d7932f9f263f47572f5e1e3ed64a12a6e4776e747cd6b9df7a3b12e1e3ee67ca5e2c22af728d6cc62bf609f965d2d4629ad885b7211cbe5378ca4881d3da40732dfe601f312fb3f1c858dfdfffa948edafd7f08e04a496d21c63b9625168e6ec67059acd21e4452585cd9316cc05fc08ce322a9e377c58da707457b0ef931bc3f07814bb82caf7047c4af2820f06a3b4e500c12b8cbd9f1db83ccae458b162d5a741ec16fa6f9acd400120000');
INSERT INTO deployment_artifacts ("deployment_seq", "hash", "data") VALUES (1, '305864f3bc3101b4f1aa3e5d8d7a2122bf00bb95a1c6a3a23f3108f9d8894258', '{"format":1,"environment":{},"policies":{"keys":{"type":"api-key","options":{"bucket":"main","header":"authorization","scheme":"Bearer","allowAnonymous":false,"oauth":false}},"quota":{"type":"quota","options":{"bucketId":"mtr_0V8MevgG6ilBJW7NBTAFbBqp","meters":{"requests":1},"statuses":["1xx","2xx","3xx","4xx"],"overQuota":"reject"}},"limit":{"type":"rate-limit","options":{"by":"consumer","requests":1000,"windowSeconds":60,"window":"fixed","legacyHeaders":true}}},"routes":[{"path":"/hello/{name}","method":"GET","target":{"handler":"modules/hello.ts"},"policies":["keys","quota","limit"],"timeoutSeconds":30}],"document":{"file":"openapi.json","text":"{\n  \"openapi\": \"3.1.0\",\n  \"info\": {\n    \"title\": \"Test\",\n    \"version\": \"1\"\n  },\n  \"paths\": {\n    \"/hello/{name}\": {\n      \"get\": {\n        \"responses\": {},\n        \"parameters\": [\n          {\n            \"name\": \"name\",\n            \"in\": \"path\",\n            \"required\": true,\n            \"schema\": {\n              \"type\": \"string\"\n            }\n          }\n        ],\n        \"x-tollgate\": {\n          \"handler\": \"modules/hello.ts\",\n          \"policies\": [\n            \"keys\",\n            \"quota\",\n            \"limit\"\n          ]\n        }\n      }\n    }\n  }\n}"},"site":"9f1e76c651892508eeb173853ce49ffaf159bdd257c8f414c852d1d4fe406f48","code":"var __defProp = Object.defineProperty;\nvar __export = (target, all) => {\n  for (var name in all)\n    __defProp(target, name, { get: all[name], enumerable: true });\n};\n\n// project:modules/hello.ts\nvar hello_exports = {};\n__export(hello_exports, {\n  default: () => hello_default\n});\nvar hello_default = (_, context) => new Response(\"hello \" + context.params.name);\n\n// all-modules.js\nvar all_modules_default = { \"modules/hello.ts\": hello_exports };\nexport {\n  all_modules_default as default\n};\n//# sourceMappingURL=data:application/json;base64,ewogICJ2ZXJzaW9uIjogMywKICAic291cmNlcyI6IFsicHJvamVjdDptb2R1bGVzL2hlbGxvLnRzIiwgImFsbC1tb2R1bGVzLmpzIl0sCiAgIm1hcHBpbmdzIjogIjs7Ozs7OztBQUFBO0FBQUE7QUFBQTtBQUFBO0FBQUEsSUFBTyxnQkFBUSxDQUFDLEdBQVksWUFBZ0QsSUFBSSxTQUFTLFdBQVcsUUFBUSxPQUFPLElBQUk7OztBQ0N2SCxJQUFPLHNCQUFRLEVBQUUsb0JBQW9CLGNBQVE7IiwKICAibmFtZXMiOiBbXQp9Cg==\n"}');
INSERT INTO deployment_versions ("seq", "id", "deployment_seq", "number", "build_id", "artifact_hash", "artifact_bytes", "routes", "created_on", "is_staged", "source_seq", "author", "note") VALUES (1, 'vrsn_0V8MevgG6ilNHpOPF4TLRDZQ', 1, 1, '4ecadc0e-0b76-4d94-92c6-60b6b64696fd', '305864f3bc3101b4f1aa3e5d8d7a2122bf00bb95a1c6a3a23f3108f9d8894258', 2275, 1, 1768471200000, 0, 1, '{"type":"token","id":"tokn_0V8MevgG6ikkbFTxx9MioXSd","name":"TOLLGATE_ADMIN_TOKEN"}', NULL);
INSERT INTO deployment_logs ("seq", "id", "deployment_seq", "time", "kind", "entry", "bytes") VALUES (1, 'log_0V8MevgG6ilM1d8anEFotSns', 1, 1768471200000, 'build', '{"level":"info","message":"Build 4ecadc0e-0b76-4d94-92c6-60b6b64696fd began."}', 228);
INSERT INTO deployment_logs ("seq", "id", "deployment_seq", "time", "kind", "entry", "bytes") VALUES (2, 'log_0V8MevgG6ilOFmP7QDyRJNYN', 1, 1768471200000, 'build', '{"level":"info","message":"Built version 1: 1 route, 2275 bytes."}', 216);
INSERT INTO deployment_logs ("seq", "id", "deployment_seq", "time", "kind", "entry", "bytes") VALUES (3, 'log_0V8MevgG6ilQ6KmnHKTQdeKA', 1, 1768471200000, 'build', '{"level":"info","message":"Version 1 is live."}', 197);
INSERT INTO rate_limits ("scope", "subject", "window_start", "ends_on", "used") VALUES ('shop-main-7a5659e limit 60', 'csmr_0V8MevgG6iko6wWX8zDldl3b', 1768471200000, 1768471260000, 1);
INSERT INTO deployment_log_sizes ("deployment_seq", "bytes") VALUES (1, 641);
INSERT INTO written_batches ("writer", "number", "written_on") VALUES ('b54faef3-8bf1-4054-b597-0991ef94b489', 1, 1768471200000);
INSERT INTO written_batches ("writer", "number", "written_on") VALUES ('d55a4751-5991-4d2f-b2b7-e06b03e8dbaa', 1, 1768471200000);
INSERT INTO written_batches ("writer", "number", "written_on") VALUES ('d6bd9e27-bedf-460b-90c5-2acc4b072c0b', 1, 1768471200000);
INSERT INTO written_batches ("writer", "number", "written_on") VALUES ('e9477659-2e01-43f4-bc66-518a90b961a4', 1, 1768471200000);
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (60000, 1768471200000, 0, 1, 1, 1, '', 200, '', 1, 0, 0, 0, 8, X'5a01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (60000, 1768471200000, 1, 1, 1, 1, '/hello/{name}', 200, '', 1, 0, 0, 0, 8, X'5a01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (60000, 1768471200000, 2, 1, 1, 1, '/hello/{name}', 200, 'acme', 1, 0, 0, 0, 8, X'5a01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (60000, 1768471200000, 3, 1, 1, 1, 'key_0V8MevgG6ikqFpwZTTAfLf0Q', 200, 'acme', 1, 0, 0, 0, 8, X'5a01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (60000, 1768471200000, 6, 1, 1, 1, 'csmr_0V8MevgG6iko6wWX8zDldl3b', 200, 'acme', 1, 0, 0, 0, 8, X'5a01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (3600000, 1768471200000, 0, 1, 1, 1, '', 200, '', 1, 0, 0, 0, 8, X'5a01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (3600000, 1768471200000, 1, 1, 1, 1, '/hello/{name}', 200, '', 1, 0, 0, 0, 8, X'5a01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (3600000, 1768471200000, 2, 1, 1, 1, '/hello/{name}', 200, 'acme', 1, 0, 0, 0, 8, X'5a01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (3600000, 1768471200000, 3, 1, 1, 1, 'key_0V8MevgG6ikqFpwZTTAfLf0Q', 200, 'acme', 1, 0, 0, 0, 8, X'5a01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (3600000, 1768471200000, 6, 1, 1, 1, 'csmr_0V8MevgG6iko6wWX8zDldl3b', 200, 'acme', 1, 0, 0, 0, 8, X'5a01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (86400000, 1768435200000, 0, 1, 1, 1, '', 200, '', 1, 0, 0, 0, 8, X'5a01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (86400000, 1768435200000, 1, 1, 1, 1, '/hello/{name}', 200, '', 1, 0, 0, 0, 8, X'5a01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (86400000, 1768435200000, 2, 1, 1, 1, '/hello/{name}', 200, 'acme', 1, 0, 0, 0, 8, X'5a01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (86400000, 1768435200000, 3, 1, 1, 1, 'key_0V8MevgG6ikqFpwZTTAfLf0Q', 200, 'acme', 1, 0, 0, 0, 8, X'5a01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (86400000, 1768435200000, 6, 1, 1, 1, 'csmr_0V8MevgG6iko6wWX8zDldl3b', 200, 'acme', 1, 0, 0, 0, 8, X'5a01');
INSERT INTO traffic_deployments ("deployment_seq", "account_seq") VALUES (1, 1);
INSERT INTO usage_hours ("time", "subscription_seq", "period_start", "meter", "whole", "billionths") VALUES (1768471200000, 1, 1768471200000, 'requests', 13, 0);
INSERT INTO usage_days ("time", "subscription_seq", "period_start", "meter", "whole", "billionths") VALUES (1768435200000, 1, 1768471200000, 'requests', 13, 0);
INSERT INTO requests ("seq", "id", "account_seq", "deployment_seq", "version_seq", "is_failure", "time", "status", "method", "path", "route", "consumer", "request_id", "entry", "bytes") VALUES (1, 'req_0V8MevgG6ilRcJOiF21j0ifR', 1, 1, 1, 0, 1768471200000, 200, 'GET', '/hello/jo', '/hello/{name}', 'acme', '1fb2f50e-b92b-4017-91f8-a0fdb0e218d7', '{"durationMs":24.622,"decisions":[{"policy":"keys","type":"api-key","ms":10.025,"outcome":"passed"},{"policy":"quota","type":"quota","ms":5.98,"outcome":"passed"},{"policy":"limit","type":"rate-limit","ms":0.684,"outcome":"passed"}],"ip":"127.0.0.1","consumerId":"csmr_0V8MevgG6iko6wWX8zDldl3b","keyId":"key_0V8MevgG6ikqFpwZTTAfLf0Q","target":{"kind":"handler","module":"modules/hello.ts","ms":7.496,"attempts":1}}', 823);
INSERT INTO request_sizes ("deployment_seq", "is_failure", "bytes") VALUES (1, 0, 823);
INSERT INTO feed_cursors ("reader", "position", "snapshot", "target") VALUES ('audit log', 26, NULL, NULL);
INSERT INTO feed_cursors ("reader", "position", "snapshot", "target") VALUES ('webhooks', 26, NULL, NULL);
INSERT INTO audit_chains ("account_seq", "account", "count", "hash", "sealed_on", "anchor", "anchor_hash", "oldest_on", "signed_count", "head") VALUES (1, 'acct_0V8MevgG6ikigzmNDdEcZaDg', 25, '48bc83624b9f863895cdf0a8ee89ad900d0e9b3d2914b1f4d5e5663b75b55975', 1768471200000, 0, '0000000000000000000000000000000000000000000000000000000000000000', 1768471200000, 0, NULL);
INSERT INTO audit_keys ("id", "public_key", "private_key", "created_on") VALUES ('4973ae496865b3d9', 'GwpgG6OhONpzfZ4PSVg0pbuJS8WWRSow3l7vSJ2qo44', X'4fe8a503e1ed57f55b214b69b9d7e5e2ff9b4492d03974ab7670ccc38b2d3e1d1b6f42a1f184d6a43adf3cf9b898a1b6b035ab647ab264cdc8189f632a61e49df6a6f412422b618e290f8c161490b9131748cdf3db6f25d6a7c8a36e714e963aae9fef258f90b5b2259b08cad2e857f795cd6e059011c29fddb9a1dbfeea21ea09d9062b21b7681f1a016210fb4c9a103f2808732b250e', 1768471200000);
INSERT INTO webhook_timers ("name", "reached_time", "reached_seq") VALUES ('key.expired', 1768471200000, 9007199254740991);
INSERT INTO webhook_timers ("name", "reached_time", "reached_seq") VALUES ('key.expiring 1 days', 1768557600000, 9007199254740991);
INSERT INTO webhook_timers ("name", "reached_time", "reached_seq") VALUES ('key.expiring 7 days', 1769076000000, 9007199254740991);
INSERT INTO webhook_timers ("name", "reached_time", "reached_seq") VALUES ('subscription.trial_ending', 1768730400000, 9007199254740991);
INSERT INTO audit_segments ("account_seq", "number", "count", "lowest_id", "highest_id", "earliest", "latest", "hashes", "entries", "sealed_on") VALUES (1, 1, 2, 'audt_0V8MevgG6ikjVdfgtncaGc5C', 'audt_0V8MevgG6iklDityQ4UZAL8o', 1768471200000, 1768471200000, X'00000000000000000000000000000000000000000000000000000000000000001e76ace63e07f2196292b273c6e663bf627ad7f80fca61a4b78fc0e122a3d9b33c8e59f8a6e37439671cd9ebb38b2056c18b6ca723cfa923e4f5440630f08e7b', X'7b226964223a22617564745f3056384d6576674736696b6a56646667746e636147633543222c2274696d65223a22323032362d30312d31355431303a30303a30302e3030305a222c22616374696f6e223a226163636f756e742e63726561746564222c226163746f72223a7b2274797065223a2273797374656d222c226964223a2273797374656d227d2c227265736f75726365223a7b2274797065223a226163636f756e74222c226964223a22616363745f3056384d6576674736696b69677a6d4e446445635a614467222c226e616d65223a2264656661756c74227d2c226368616e676573223a5b7b22706f696e746572223a22222c226166746572223a7b226964223a22616363745f3056384d6576674736696b69677a6d4e446445635a614467222c226e616d65223a2264656661756c74222c22637265617465644f6e223a22323032362d30312d31355431303a30303a30302e3030305a222c22757064617465644f6e223a22323032362d30312d31355431303a30303a30302e3030305a227d7d5d7d0a7b226964223a22617564745f3056384d6576674736696b6c446974795134555a414c386f222c2274696d65223a22323032362d30312d31355431303a30303a30302e3030305a222c22616374696f6e223a22746f6b656e2e63726561746564222c226163746f72223a7b2274797065223a2273797374656d222c226964223a2273797374656d227d2c227265736f75726365223a7b2274797065223a22746f6b656e222c226964223a22746f6b6e5f3056384d6576674736696b6b6246547878394d696f585364222c226e616d65223a22544f4c4c474154455f41444d494e5f544f4b454e227d2c226368616e676573223a5b7b22706f696e746572223a22222c226166746572223a7b226964223a22746f6b6e5f3056384d6576674736696b6b6246547878394d696f585364222c22726f6c65223a2261646d696e222c22637265617465644f6e223a22323032362d30312d31355431303a30303a30302e3030305a222c226e616d65223a22544f4c4c474154455f41444d494e5f544f4b454e227d7d5d7d', 1768471200000);
INSERT INTO audit_segments ("account_seq", "number", "count", "lowest_id", "highest_id", "earliest", "latest", "hashes", "entries", "sealed_on") VALUES (1, 3, 22, 'audt_0V8MevgG6iknZ7P5tqNEM7Y0', 'audt_0V8MevgG6ilLl7Px5d6QnTE5', 1768471200000, 1768471200000, X'3c8e59f8a6e37439671cd9ebb38b2056c18b6ca723cfa923e4f5440630f08e7b36eee0ac6d58922bbc84c1e0c3d0996c9481f4740b5ca0c502049cf6a1593072977ebccc7ce1075dc4a95e3719fabe6b0764bbd9e7d9cf453588bf23057382aa5e0b93255f6e26fc485a447673a5c38a1a91158c4ea4e94c4c7dbdb19704b29c977028aa1e40e7912402fcdb95fa00c60c2068e9425693b4c12d604774199357709d0336998e4dfe8242e2a49d030e27011a523ccaf0f096e23b3ee8a0a600af74456f944d02df6976a85d7ab5ae4309db1cb500ef4ee116cb2144e29f5013a745d85e107b329705a5d960cbcf04a943d7d90a56760ecf5b9f162cd3b14cb4998664df6df8bab0d33bf3b6884c6c01f177e4f8187721b873344207fe7348d3e6bb1049e8bafcf667ec9828ee5823d2f7e0e1a6d9bc661f806e38afa9b7c53a8e9005e9d6f7747778ed5f8a0b32e306395c7710a66c5bcc565ea45c32a492d00453bc5ad3dde82265afcd14d9136b53a9d5233359bba7fe7524068a933ea20f410c8ab0c0b26b44a0fddf05d4573ed6035d11281a7bda8e1f8e6b400d3f38c16aae88e3e5b4e6264a01c0dfc0bf82d75c13e7d63ed15b8fb1b48e0dad2f819827ded687bf9e8b4110b3222e438cae3d86fa3963afd2e3b7866de74d064741103a4a9dc316b3b9b4fdbd73ad66fab69c4dae2a940031551a327808133d930e0339dc9e3cf8596512c128c9254c598c9c62c61ef634a294968885bc0bc5596943a2336a74693a8031ce36f546a8f167fbfd8f335155f92886421e84b16a0d9c6a61d8ceac2c80a7a2b541d78e6a1620e3d91c0aed2378aa2d79b661289efc332c9b155833abf04fe93e6d8b513428d4cc9d2cf450d3c281231aa40d9b91d837ac6f54d2fc5f10388aa5dbced3e577ea63effe6666b963147badf5148b7d2a8d0ac45a88894cbf858c63467ca5f4d1ae48745e260f1b87b7a05a14d80953407a55e47642a61dc4b68b9e206a180c8a4bbf8f16719e09496d98ce1b28ce8dd42e9c6a', X'28b52ffd60f8320d4c00ba8af4193f4047b46dc3300cc32d283f478f21a176ecb8228fd9e3d34a2391504dfbede6ca6ddc90e9108ad7380b201d64c330206d5112e995edb58a9408a975f46027029a0185018c0115cc57ba654f16166ee182b396010720d0c0810518508081041838004d36251dc8db6e021801f93b756d30020ef0007ac420d62f9fbff397a80983d8b652c51e40cc769b6dff89351decfac95bec01c4f8c4f6273ad0cde9d0196fb395de36e58bed3a2eb6af34ba29bfefb76cc51af613b6d791b2b490a118171c93b2268ead9f2ebe290c215ce7130f0a5711415101d0d1a0a32357d796604d830120c6adbf388734ac62d98941ac62ff6153ac6193ce207689f45b11cc5758f397d521f6d2b5968facfe133c62cd036d59c318c4acef3ba22af6600088f19f6c4bc1ac610fc1213884073e06b12a620da354eb27e77f513b2d3e479b73646c54ead7a4a3f0690b19c432a4f3bf367664a70eb1311e32221d62b178987a05dfc7d645f1b758d3c1221e0a24240e2220100b081c3c24081a1e1e242476b386650a0c2a82a8978b84e1567685ea0ddb5fa13a83d85798ce1e40cca2f277fb1646e85fc1d76510db54d4b1650dcb70ce2138073907b92791af3dd726749041eca7a8b38639060fc42362a3cbc893b12bd16c98581e825a38073d5f96412c47ec41cd7967b6686bae33e2973e5b3860860dbb01d9934bf81c29f18bd5b9d6355d5d6d30d3d8e08caf51f79e9e504f3090a870680849690a8e275528cb5bf2cd4cb586d639b6e1e7d636bfc6f68f7e73f479e85c76481059806e0213eb4dc8540f994b13fa64c25927b98ca59455bed4b0fda3b6ddf8627ba4f3da339f63ab03ed82c422418e11a99071c15409550955f7aeacf9f9599f76b5bd8d521c9b76b8b6fbe447d7c7fb81b12db92a40078b06c735330f4b442662989573d153bb48ebb5f9ba162fbded3a2fb648ab6c1ff3cc4ec60d068fab20275028575a6079a4765a3ad0393c9b950e6d313bb1bd8eb0ddd70fc56e423c600adc17cfa454403a55c023944694242b2c5c1d0f621cf395be2f0ab3a6c173f5a1573e113edce87c6cab14c78671745a8e52c37ca764dff21602e62b18fd014a2ea80b7919107049ba36afe8dc4af9a56bf78347d6ef9f549185f967d648d2b521b625f85b517579d6689ddf1373755ac3369d4c5b8c37367bed6bd0d1f435d50b9c7ed00824920c8e8a6103f315cc07198886e792d510e3f7a2e096c29a8e0ee71ec42e7662cd8464b7f5fdf2d856aa1a18c4a4bf56826fc2a7df7b9c5f73ceb54de227b639296c8fd68e7d385f7b1c5915c69e405e044a59e3810b9295aa6da5aa813f325c26b3804366381e5dbaacfe1c812d6b727659ca989f696b8b8e431ba637b60cf1d330a4f7b932561b099701812421e2b97048e8539becc8fafed3c4a513223a0343a24e0a05096f2abe78b1ae57463b9bd50e6dd5c6d8ec746eb3f2a513aba3b0d684a3026342a4074a951e187467885b6df4201148f2c91c31b677d64c5dcbef6cc351c6e6e48a5b94aebafcdef6bf1995c432245812aa758078a4cb7459202f2c3216b4c0500823371d4c9f78af75b4e1686dbbfac5f6eea40d5799ffe13b4515eb8227e095cca52b4a64f43db2eca8492c2c1a2e32e35a52c2604a8cd22880d2efc5a5c84eff64f8b0ad195f9ddb95ba36ac676c8f03737b1ff343319c288cf05235d9cb0b4069441412684c7ce2d1d64c70a4c99e2676dbe96d60704c0c2f53c1c0c1458bd27f3fc2fbc4f724ceb845ea6cd395c60f908a847ab3035fe3fab869fdd8f638181bcef05b7eec7ba2a49cbf95b33d307de7182e1f92bd606679893cd243d6b3ce38efbc6eb689616db1e6d8e6735d7b87b3c51ff9e5205b4aaa2e887d16998ad30c56a6a22042022251a85890988848fafe69535664d94fc1db5af72796f39f58c31a22200b118f0883d8b38aa270fc1a945541d08eec04411545e11034d9d1644249acb1968d48d6c59ae8c89fd27915bedcde39b7c5a9637bbeca466975373ffd554e699fb6233bb58aa2f0fd138692aacf09910b0a5bb88443828ce990ed5b94557fea67a99ed5719a435f6d32cad8b0d3aee5f730bafcb265a94be1363f930b830b0654c404152609a40e91305503e51392231028618cc26447921425f4cb6f8ba2e08da03fff09dbb0e7805f18f30aac9fa8ce2fcc1a163b7f8ef6156561244adfd4c42086997cb756a7902cc7efb758c37094a9c8faaa616f8118bfbaed9c350d1a0c00319e21db4ad58414bb9cb5a58f6d773ab159e7e13635ccf35907b67b718b88820291892cd090401a1830bf9cf387a9a834de5212018125a8910d31c810420c11b9111105c97411858410021d7665071228922c8a800c8720148610812142420484104390800808113842a073ea0123360031aceb4f247d87ed0a457c1940068044e09ca2e43b7c6909f15ea5dc1e5d54e476b16b4cdde440ecf80b1329e1801c5eeba6baca5cb98035d84b99d649ed19045764459645f149b5a9685da3bea99a6b7f253250e7badba22ff36a51583af04f5460bd0c39ae41f30990afaeeb75ef651ff804965cb05c5428c83ddb1cb6620a90094bf5949b9509e8894e4284a021642ee1024aca705d40f8365e63a0e33fcd63f5418e266f1185a4bdc9a5db3847aa62c008d99ed7a716dfe872b392d2050ca6249286f92b247f283503a2d1968f2bc436d27b3e5f3e544480bd8e37cd2762d74807bc07af5d00acbc976056ee26e86eada19807c747795a6585e121689cdbf2219e037b23b9d978082f0e28bb4f246fb483c2d1a512cb9844434b02bc1479c37a170f5de493dbef85b75f54eb3458aa8ea390c299f84dfd0480e35e82ffce423172c25850e65e06d51d668ce92762dcf15e324324651507af02b43deac60e867e7f568cb79d68288af65a4782cde49b03fc2c766811bf2b82797f0645e17ddb0caa6fcb4d8039a3822f9e239d5a34ab1105355e63ed071378fea6312cde1c6c70139fb6c4b43d765ac4161ad84fb1b4cc82910a3d8bdc9ea864fa412c2c19b9c346bcccbe5585def0b566078c12a10766d852c00c54025145e4681322b8b813e299d908144af9b435ed4c4845aaf9ccc30fba99244073145e99bc23bbee61a1882c450af6b9e11d1e8265329c4811263733ad2a2c29af43e5985db7b0504c962225f8dcf0871830b321efe33c90bd3d8a0907bf13e92d9191e68f7c48b8239ab5fd670a56ffa9b8a4aa38feb633e26bee0bba6e0141c1110870af76047f523189f76ca25c02eb4563b9f4da1ad1bdb0ab2ba5430f1c8209d0cf51419ebbfafe7ebc264c9cb314d5540a09e22a92440b27718dfc384e44c610e5c04b594ca20fd6acd0cf4d4f7587ebdc19e69afa62fc8ac770078748882585f2f5157c9c27d8a9ad0a', 1768471200000);
INSERT INTO audit_segments ("account_seq", "number", "count", "lowest_id", "highest_id", "earliest", "latest", "hashes", "entries", "sealed_on") VALUES (1, 25, 1, 'audt_0V8MevgG6ilPVDENcW2OQZL2', 'audt_0V8MevgG6ilPVDENcW2OQZL2', 1768471200000, 1768471200000, X'7642a61dc4b68b9e206a180c8a4bbf8f16719e09496d98ce1b28ce8dd42e9c6a48bc83624b9f863895cdf0a8ee89ad900d0e9b3d2914b1f4d5e5663b75b55975', X'7b226964223a22617564745f3056384d6576674736696c505644454e6357324f515a4c32222c2274696d65223a22323032362d30312d31355431303a30303a30302e3030305a222c22616374696f6e223a226465706c6f796d656e742e737563636565646564222c226163746f72223a7b2274797065223a2273797374656d222c226964223a2273797374656d227d2c227265736f75726365223a7b2274797065223a226465706c6f796d656e74222c226964223a2273686f702d6d61696e2d37613536353965222c226e616d65223a2273686f702d6d61696e2d37613536353965227d2c226368616e676573223a5b7b22706f696e746572223a22222c226166746572223a7b226e616d65223a2273686f702d6d61696e2d37613536353965222c226c6162656c223a226d61696e222c2275726c506172616d65746572223a226d61696e222c22637265617465644f6e223a22323032362d30312d31355431303a30303a30302e3030305a222c22757064617465644f6e223a22323032362d30312d31355431303a30303a30302e3030305a222c226c6f6767696e674964223a2264656661756c743a3a73686f703a3a6d61696e3a3a37613536353965222c226163636f756e744e616d65223a2264656661756c74222c2270726f6a6563744e616d65223a2273686f70222c227374617465223a2253544152544544222c226d657373616765223a22222c226272616e63684e616d65223a226d61696e222c2261637469766556657273696f6e223a312c22656e7669726f6e6d656e7454797065223a2250524f44554354494f4e222c2276657273696f6e223a317d7d5d7d', 1768471200000);
INSERT INTO audit_topics ("account_seq", "topic", "number") VALUES (1, 'shop-main-7a5659e', 3);
INSERT INTO audit_topics ("account_seq", "topic", "number") VALUES (1, 'shop-main-7a5659e', 25);
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
INSERT INTO deployment_sites ("deployment_seq", "artifact_hash", "contents", "pack") VALUES (1, '305864f3bc3101b4f1aa3e5d8d7a2122bf00bb95a1c6a3a23f3108f9d8894258', X'1f8b08000000000000038590c14ec33010447f05cd794b62221ac9f78a2397dea21c4cb34d0c8e13d96ea964f9df915d28420871dd3733bbb311569df5a8825e2c6444d0c13024f6ec03086776be10081006f607a7d7ab16208c273db087ec7a82e3233bb60786ec228c7a610389e7955d09f720b00d4e177dc4aac6bc67b9f16ae4b099d8986563d5cca05bc6d36e7f571552c58c120833876919ae1084558509123f55a94f7d2204e5460e3eb7fb9d942b17feedde5dd4bc9a7cc0c9bed9e5dd428a9408476df2ed11da0e7cb97ff5f90b5d4da26e7afa1cce036427ea861eda9efe2ef765164d4ddb7fa425b27d6c496cdb3ea50f10bc40e8b1010000', X'1f8b08000000000000031dca410a80201445d1adc81b4b0b701dcda241e8333fc537546c10ed3d6c780ff7c1211ae0903b4b17deb068d24ec261666db008acbec8d524ebc044531859a89e264733ae09169a032bdcb25a246e4174ffebfd002927eef6620000001f8b0800000000000003535608492d2ee102009614cf58070000001f8b080000000000000395544d4fdc3010fd2bee5c3691dc700fda030504eaa142c0ad46c84a2689b5899db527856d94ff5e8d931476452b71dab13df33efce21d61676c0939b81ebd26e32c4820432d420e37d78fe2acc1b67567a3d51d4e20a1c45078d3c7ce8f3bac2b3140fef3494283ba34b65e566f14f9081d52e398f8e6fa1124f49a1ac8e1146b87875bd4257a1e69960a2e066a9c37bf57bdbdc7cabc420edf507bf4022606f4ba4342cfe4233020e4f38f04c3da23a50413ee713f188f25e4e40794108a063bcd8c74e8792a9037b666547cd55d1fefe67aa9a627091e43ef6c585d93f635d29b9bb5554288c5aca8d5b61e74cd58c5e05b9050b8725d89cd380ebe9da663888d504a5921bede8acdd125e462b13e8e3b3c4cd306267944f15dffd20f31b87744ce0612ab78b115fa451b121552d1240a3e54a0408a9125cc61847c5e09a18e5351900b05c7a21448ee9da4b2537aae2cf3bb16b3d6d5c9aa220ba4690872d1f2779bf09592343d3ff57577a0267e038b27d3f5cef3dc7ec040415965df195cb7b31a295975ffcbe77cbef8dc2e363f6775369b2adb7b63e9d4e4336b96c71ed3538337eecd5caf8b9dae5174da5876b6984d9455a4a0ea48c15c1ab75616e9ac21ea799df24c35d82202242947a7c8e35e0af45ee45bc19dd90f7ce117818112c5af9323ffcfd7604dcbc064aa88f265cb3b33b4a25e5b5324e87d6c9916be6c7ed3d903a7707a994c767a9971da6338167a85951e5aba6c0d5acaae5ce271ff29292556e8f9feb36fae3c6497ad0b98c4638e428a67a6322ebb475d5eb42de7173b634bd55176c7b1b6361e3cc44c2f63a4f31f4612034d959d607a9aa63fc19415566b0500001f8b0800000000000003558dbd0ac2401084fb7d8a8114a790983e9d42d0d2c2d2620f5d4cf0f2e3e60ed4e3de5d2269d2cdcc37cc6438d617948d383794b1b79d24229eb31883ba94568889b20c67abb6132f3a1115e0993036a3f54d8ec96bdb3f72a8bc42ab72df56a8dfb61b9d54e045f1ee3fb33822669e1aba057530ebd7a5627025a038c1ec836f066dbfd6b7435fe120564511e3533e299979897e17e80e82d2000000');
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
