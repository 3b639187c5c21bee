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
  is_suspended integer NOT NULL DEFAULT 0,
  suspension_reason text,
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
INSERT INTO accounts ("seq", "id", "name", "version", "created_on", "updated_on") VALUES (1, 'acct_0V8MevgGDmG7fQkT6Q88ORNi', 'default', 1, 1768471200000, 1768471200000);
INSERT INTO tokens ("seq", "id", "account_seq", "role", "name", "hash", "expires_on", "last_used_on", "created_on", "created_by", "trusted_issuer_seq", "scope") VALUES (1, 'tokn_0V8MevgGDmG9p1KMBIR2ZTIM', 1, 'admin', 'TOLLGATE_ADMIN_TOKEN', X'69e0f808545ab84a30114604cedae05edfe2a570dbe3b6bbfcc6dc3b56eb1d7d', NULL, 1768471200000, 1768471200000, NULL, NULL, NULL);
INSERT INTO tokens ("seq", "id", "account_seq", "role", "name", "hash", "expires_on", "last_used_on", "created_on", "created_by", "trusted_issuer_seq", "scope") VALUES (2, 'tokn_0V8MevgGDmGgx9u944nQ8nGL', 1, 'reader', 'dashboard', X'2056065c5f6d89f274f49d40bdb6f3455f0130ed7e9272a5379de7787295ecaa', NULL, NULL, 1768471200000, NULL, NULL, NULL);
INSERT INTO key_buckets ("seq", "id", "account_seq", "name", "description", "tags", "is_retrievable", "key_prefix", "version", "created_on", "updated_on", "has_lookalike_keys", "on_leak", "token_issuers") VALUES (1, 'bckt_0V8MevgGDmGB8LQDQ0LhxqW2', 1, 'main', NULL, NULL, 1, 'tg', 1, 1768471200000, 1768471200000, 0, 'mark', NULL);
INSERT INTO consumers ("seq", "id", "bucket_seq", "name", "description", "tags", "metadata", "version", "created_on", "updated_on", "words_version", "is_suspended", "suspension_reason") VALUES (1, 'csmr_0V8MevgGDmGDSIYBnfCfyWv9', 1, 'acme', NULL, '{"region":"eu"}', '{"plan":"gold","nested":{"text":"it''s \"quoted\"\nand long: äöü 😀"}}', 1, 1768471200000, 1768471200000, 1, 0, NULL);
INSERT INTO consumers ("seq", "id", "bucket_seq", "name", "description", "tags", "metadata", "version", "created_on", "updated_on", "words_version", "is_suspended", "suspension_reason") VALUES (2, 'csmr_0V8MevgGDmGWV4fMtvwQfJhI', 1, 'beta', NULL, NULL, NULL, 1, 1768471200000, 1768471200000, 1, 0, NULL);
INSERT INTO consumer_tags ("bucket_seq", "name", "value", "consumer_seq") VALUES (1, 'region', 'eu', 1);
INSERT INTO managers ("seq", "id", "bucket_seq", "consumer_seq", "sub", "email", "email_key", "created_on", "scopes", "version", "issuer") VALUES (1, 'mngr_0V8MevgGDmGSFP1UXKPvfKHn', 1, 1, 'auth|jo', 'jo@example.com', 'jo@example.com', 1768471200000, NULL, 1, NULL);
INSERT INTO manager_invites ("seq", "id", "bucket_seq", "consumer_seq", "email", "email_key", "created_on", "expires_on", "scopes") VALUES (1, 'mngi_0V8MevgGDmGU3eHYX5kDLtbL', 1, 1, 'kim@example.com', 'kim@example.com', 1768471200000, 1769076000000, NULL);
INSERT INTO api_keys ("seq", "id", "bucket_seq", "consumer_seq", "hash", "suffix", "sealed", "description", "expires_on", "version", "created_on", "updated_on", "is_enabled", "permissions", "allowed_ips", "rate_limit", "metadata", "last_used_on", "leak") VALUES (1, 'key_0V8MevgGDmGFhxVXWyN7KCgA', 1, 1, X'84675f61a3ffeeca0bdf2ba65d28fa1ba24fb4aa7506fdf9b8d41644f84dc8fd', 'ebace1dc', X'4fe8a503ef0857773def58919d91388d66d0df0b01420ed56534512329cf9d6f7837834b48ae21834e3c06514a7572e4402a931ba6a8f7861aef1114c6044bac1321859eade4647cc575d76d', 'generated', NULL, 1, 1768471200000, 1768471200000, 1, NULL, NULL, NULL, NULL, 1768471200000, NULL);
INSERT INTO api_keys ("seq", "id", "bucket_seq", "consumer_seq", "hash", "suffix", "sealed", "description", "expires_on", "version", "created_on", "updated_on", "is_enabled", "permissions", "allowed_ips", "rate_limit", "metadata", "last_used_on", "leak") VALUES (2, 'key_0V8MevgGDmGIeJTb43iyt93t', 1, 1, X'fec03ca1d61f2502b9e60496092d12d55dc7665b23ddc3306477e78c1b957699', 'er-1234', X'4fe8a503a98d6c2816d889037300d4ca93e416a6408e89cad673ec6c6eb465854766e8ae81ea6b4fa07d7561f751fff1a8ec5ddc4a00ba537939bbede7', NULL, NULL, 1, 1768471200000, 1768471200000, 1, NULL, NULL, NULL, NULL, 1768471200000, NULL);
INSERT INTO api_keys ("seq", "id", "bucket_seq", "consumer_seq", "hash", "suffix", "sealed", "description", "expires_on", "version", "created_on", "updated_on", "is_enabled", "permissions", "allowed_ips", "rate_limit", "metadata", "last_used_on", "leak") VALUES (3, 'key_0V8MevgGDmGLPgagFSErzhdY', 1, 1, X'6ff6f44db44dd12c13b52d75a4b0d484b3bcef07dbb63859ace8eebf3cde66d6', 'dfcfbd00', X'4fe8a503564b405ffb51651ec4fb246b58bc8488b61ddc6d7bfeebc8b44131bcb57cdaeb51beb03a7bba8c4ef364dbd5895005da766ed2f34f9380d0f1ba2d1e02755842e14a7224bfcce933', 'expired', 1768471199000, 1, 1768471200000, 1768471200000, 1, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO api_keys ("seq", "id", "bucket_seq", "consumer_seq", "hash", "suffix", "sealed", "description", "expires_on", "version", "created_on", "updated_on", "is_enabled", "permissions", "allowed_ips", "rate_limit", "metadata", "last_used_on", "leak") VALUES (4, 'key_0V8MevgGDmGYkGToS8KXBaYB', 1, 1, X'26459d21019e295c768799985cf35f0e71c977288872b814759650a6aaea5942', '7b52d42c', X'4fe8a503dd51537c107dfed186348fe54367e8b4f258975113f7d82ee81fb8e643bbad791adf0a7fbc006a87522115e898352b65856f9efc190d3b5c48ce7807d283131ec68d74dacbe20bf0', 'once', NULL, 1, 1768471200000, 1768471200000, 1, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('bckt_0V8MevgGDmGB8LQDQ0LhxqW2', '', 0, 0, 2);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('bckt_0V8MevgGDmGB8LQDQ0LhxqW2', '["region","eu"]', 0, 0, 1);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('bckt_0V8MevgGDmGB8LQDQ0LhxqW2', 'keys', 0, 0, 4);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('bckt_0V8MevgGDmGB8LQDQ0LhxqW2', 'keys ["region","eu"]', 0, 0, 4);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('mtr_0V8MevgGDmGatepwWrU9qYKN', 'customers', 0, 0, 1);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('mtr_0V8MevgGDmGatepwWrU9qYKN', 'subscriptions', 0, 0, 1);
INSERT INTO idempotency_keys ("credential", "key", "fingerprint", "answer", "created_on") VALUES ('tokn_0V8MevgGDmG9p1KMBIR2ZTIM', 'released', X'fb0da8380c915c6c412f57d77e8d28fed4223ef15ef2816e47717e8f7ea27902', X'4fe8a503c7a71703303de0c52cb74a7eadb73749a1bdd624ec944f92c038335777023bf744b20f5d71b71dacaa9257acfb88228a888715d177c24f3ae6ddc42563d1a7f0f66b65af37f4ce281efdf41e89169d963d645f5faf0b26e61158bc79a2b5ec2a6fbf83e1f067a68d09c4e14fd650305e31f1e8850993051795b9e8560d1a312dd31f03269513a11200c8dcdafaccd70d7e658e2274bc10681127ad39185952247fc056c595be329e02dfded6fb1af5ec057a8a53044dc3e4d7c83634d9c5400e29a9a8c218c128a42c90f3879485e3adbc931dcacae0f60572d1cb7482bac357886ed7c41d223b8971780ef37f1fe3fc87362be9dda86d306592938ec441367205def02ff10efa303e21b6707f245101336f837a3e466d56e0711c20bc8ce4c5fd09d8947ce4484089a8e908abde93da289f16105f943862e6e5b7b149058899ddcefdd4fb33e759ee1cafce812351751909a8b0fa3fc28565f4c733e34a4a36d5a52f45915ce4b9d70c196e42665b967bc7a3edc2221bb933b986084f45a17373a6dfc236244ded64e1c9b34b83d4acf7992f296782d8321cde85b81b3cf169', 1768471200000);
INSERT INTO encryption_keys ("name", "created_on") VALUES ('4fe8a503', 1768471200000);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (1, 1768471200000, 'local', 1, 'system', 'account.created', 'acct_0V8MevgGDmG7fQkT6Q88ORNi', NULL, '{"id":"audt_0V8MevgGDmG8SbC2RUppQiW6","time":"2026-01-15T10:00:00.000Z","action":"account.created","actor":{"type":"system","id":"system"},"resource":{"type":"account","id":"acct_0V8MevgGDmG7fQkT6Q88ORNi","name":"default"},"changes":[{"pointer":"","after":{"id":"acct_0V8MevgGDmG7fQkT6Q88ORNi","name":"default","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (2, 1768471200000, 'local', 1, 'system', 'token.created', 'tokn_0V8MevgGDmG9p1KMBIR2ZTIM', NULL, '{"id":"audt_0V8MevgGDmGA9oh5KMIncdeK","time":"2026-01-15T10:00:00.000Z","action":"token.created","actor":{"type":"system","id":"system"},"resource":{"type":"token","id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","name":"TOLLGATE_ADMIN_TOKEN"},"changes":[{"pointer":"","after":{"id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","role":"admin","createdOn":"2026-01-15T10:00:00.000Z","name":"TOLLGATE_ADMIN_TOKEN"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (3, 1768471200000, 'local', 1, 'tokn_0V8MevgGDmG9p1KMBIR2ZTIM', 'bucket.created', 'bckt_0V8MevgGDmGB8LQDQ0LhxqW2', '{"name":"main"}', '{"id":"audt_0V8MevgGDmGCzEmXupOnHbjS","time":"2026-01-15T10:00:00.000Z","action":"bucket.created","actor":{"type":"token","id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"bucket","id":"bckt_0V8MevgGDmGB8LQDQ0LhxqW2","name":"main"},"requestId":"3a54d9c8-dcad-468f-b60a-f9ac6e91c32f","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"bckt_0V8MevgGDmGB8LQDQ0LhxqW2","name":"main","isRetrievable":true,"keyPrefix":"tg","onLeak":"mark","tokenIssuers":[],"createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (4, 1768471200000, 'local', 1, 'tokn_0V8MevgGDmG9p1KMBIR2ZTIM', 'consumer.created', 'csmr_0V8MevgGDmGDSIYBnfCfyWv9', NULL, '{"id":"audt_0V8MevgGDmGESE1vqLQdWOdL","time":"2026-01-15T10:00:00.000Z","action":"consumer.created","actor":{"type":"token","id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"consumer","id":"csmr_0V8MevgGDmGDSIYBnfCfyWv9","name":"acme","parent":{"type":"bucket","id":"bckt_0V8MevgGDmGB8LQDQ0LhxqW2","name":"main"}},"requestId":"2a104c8b-74b6-4cea-b961-0b4098832faa","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"csmr_0V8MevgGDmGDSIYBnfCfyWv9","name":"acme","tags":{"region":"eu"},"metadata":{"plan":"gold","nested":{"text":"it''s \"quoted\"\nand long: äöü 😀"}},"createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, 'bckt_0V8MevgGDmGB8LQDQ0LhxqW2', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (5, 1768471200000, 'local', 1, 'tokn_0V8MevgGDmG9p1KMBIR2ZTIM', 'key.created', 'csmr_0V8MevgGDmGDSIYBnfCfyWv9', '{"keyIds":["key_0V8MevgGDmGFhxVXWyN7KCgA"]}', '{"id":"audt_0V8MevgGDmGG9oW5nBRnWm6S","time":"2026-01-15T10:00:00.000Z","action":"key.created","actor":{"type":"token","id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgGDmGFhxVXWyN7KCgA","parent":{"type":"consumer","id":"csmr_0V8MevgGDmGDSIYBnfCfyWv9","name":"acme"}},"requestId":"a198bdb8-52ab-454b-90ae-1d22dc25dfee","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"key_0V8MevgGDmGFhxVXWyN7KCgA","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"generated","isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgGDmGFhxVXWyN7KCgA","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"generated","isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgGDmGB8LQDQ0LhxqW2","name":"main"}}', 'key_0V8MevgGDmGFhxVXWyN7KCgA', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (6, 1768471200000, 'local', 1, 'tokn_0V8MevgGDmG9p1KMBIR2ZTIM', 'key.revealed', 'key_0V8MevgGDmGFhxVXWyN7KCgA', NULL, '{"id":"audt_0V8MevgGDmGHjVKfc0tuyrKT","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgGDmGFhxVXWyN7KCgA","parent":{"type":"consumer","id":"csmr_0V8MevgGDmGDSIYBnfCfyWv9","name":"acme"}},"requestId":"ccc92235-1148-42fa-b909-b77c8823d9db","ip":"127.0.0.1","changes":[],"counts":{"keys":1}}', NULL, 'csmr_0V8MevgGDmGDSIYBnfCfyWv9', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (7, 1768471200000, 'local', 1, 'tokn_0V8MevgGDmG9p1KMBIR2ZTIM', 'key.created', 'csmr_0V8MevgGDmGDSIYBnfCfyWv9', '{"keyIds":["key_0V8MevgGDmGIeJTb43iyt93t"]}', '{"id":"audt_0V8MevgGDmGJSbhz6qUgjo5m","time":"2026-01-15T10:00:00.000Z","action":"key.created","actor":{"type":"token","id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgGDmGIeJTb43iyt93t","parent":{"type":"consumer","id":"csmr_0V8MevgGDmGDSIYBnfCfyWv9","name":"acme"}},"requestId":"2f3185dc-2c95-44dd-a3d4-c86c4f58754b","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"key_0V8MevgGDmGIeJTb43iyt93t","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgGDmGIeJTb43iyt93t","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgGDmGB8LQDQ0LhxqW2","name":"main"}}', 'key_0V8MevgGDmGIeJTb43iyt93t', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (8, 1768471200000, 'local', 1, 'tokn_0V8MevgGDmG9p1KMBIR2ZTIM', 'key.revealed', 'key_0V8MevgGDmGIeJTb43iyt93t', NULL, '{"id":"audt_0V8MevgGDmGKXQZJ12uDsSKH","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgGDmGIeJTb43iyt93t","parent":{"type":"consumer","id":"csmr_0V8MevgGDmGDSIYBnfCfyWv9","name":"acme"}},"requestId":"aaff460e-754b-4f6d-a939-0bceb59519ed","ip":"127.0.0.1","changes":[],"counts":{"keys":1}}', NULL, 'csmr_0V8MevgGDmGDSIYBnfCfyWv9', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (9, 1768471200000, 'local', 1, 'tokn_0V8MevgGDmG9p1KMBIR2ZTIM', 'key.created', 'csmr_0V8MevgGDmGDSIYBnfCfyWv9', '{"keyIds":["key_0V8MevgGDmGLPgagFSErzhdY"]}', '{"id":"audt_0V8MevgGDmGMO0OHVDqDegJK","time":"2026-01-15T10:00:00.000Z","action":"key.created","actor":{"type":"token","id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgGDmGLPgagFSErzhdY","parent":{"type":"consumer","id":"csmr_0V8MevgGDmGDSIYBnfCfyWv9","name":"acme"}},"requestId":"863f0718-8dce-4091-b310-30decf0c11cd","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"key_0V8MevgGDmGLPgagFSErzhdY","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":"2026-01-15T09:59:59.000Z","description":"expired","isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgGDmGLPgagFSErzhdY","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":"2026-01-15T09:59:59.000Z","description":"expired","isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgGDmGB8LQDQ0LhxqW2","name":"main"}}', 'key_0V8MevgGDmGLPgagFSErzhdY', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (10, 1768471200000, 'local', 1, 'tokn_0V8MevgGDmG9p1KMBIR2ZTIM', 'key.revealed', 'key_0V8MevgGDmGLPgagFSErzhdY', NULL, '{"id":"audt_0V8MevgGDmGNAumtlbOtgYxZ","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgGDmGLPgagFSErzhdY","parent":{"type":"consumer","id":"csmr_0V8MevgGDmGDSIYBnfCfyWv9","name":"acme"}},"requestId":"07e0f91b-bbe8-478d-ba97-324c41fa2239","ip":"127.0.0.1","changes":[],"counts":{"keys":1}}', NULL, 'csmr_0V8MevgGDmGDSIYBnfCfyWv9', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (11, 1768471200000, 'local', 1, 'tokn_0V8MevgGDmG9p1KMBIR2ZTIM', 'key.created', 'csmr_0V8MevgGDmGDSIYBnfCfyWv9', '{"keyIds":["key_0V8MevgGDmGOgrngCH8c2pCZ"]}', '{"id":"audt_0V8MevgGDmGPMSQA3dfqlDLC","time":"2026-01-15T10:00:00.000Z","action":"key.created","actor":{"type":"token","id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgGDmGOgrngCH8c2pCZ","parent":{"type":"consumer","id":"csmr_0V8MevgGDmGDSIYBnfCfyWv9","name":"acme"}},"requestId":"558da835-416e-4f19-abe2-1e49d5fad948","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"key_0V8MevgGDmGOgrngCH8c2pCZ","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"revoked","isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgGDmGOgrngCH8c2pCZ","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"revoked","isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgGDmGB8LQDQ0LhxqW2","name":"main"}}', 'key_0V8MevgGDmGOgrngCH8c2pCZ', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (12, 1768471200000, 'local', 1, 'tokn_0V8MevgGDmG9p1KMBIR2ZTIM', 'key.revealed', 'key_0V8MevgGDmGOgrngCH8c2pCZ', NULL, '{"id":"audt_0V8MevgGDmGQLl25t2tU2dvo","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgGDmGOgrngCH8c2pCZ","parent":{"type":"consumer","id":"csmr_0V8MevgGDmGDSIYBnfCfyWv9","name":"acme"}},"requestId":"8434522f-7dfb-4948-ab09-bb7110ede432","ip":"127.0.0.1","changes":[],"counts":{"keys":1}}', NULL, 'csmr_0V8MevgGDmGDSIYBnfCfyWv9', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (13, 1768471200000, 'local', 1, 'tokn_0V8MevgGDmG9p1KMBIR2ZTIM', 'key.deleted', 'key_0V8MevgGDmGOgrngCH8c2pCZ', '{"bucketSeq":1,"hash":"zREO5FmenOs64A3hjK/DNgyXFuBTB3eRr4Wayzepb7Q="}', '{"id":"audt_0V8MevgGDmGRJzs5WaJOcCK6","time":"2026-01-15T10:00:00.000Z","action":"key.deleted","actor":{"type":"token","id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgGDmGOgrngCH8c2pCZ","parent":{"type":"consumer","id":"csmr_0V8MevgGDmGDSIYBnfCfyWv9","name":"acme"}},"requestId":"3acfcd81-3cc7-470f-83f2-27fd20bd5dcd","ip":"127.0.0.1","changes":[{"pointer":"","before":{"id":"key_0V8MevgGDmGOgrngCH8c2pCZ","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"revoked","isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgGDmGOgrngCH8c2pCZ","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"revoked","isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgGDmGB8LQDQ0LhxqW2","name":"main"}}', 'csmr_0V8MevgGDmGDSIYBnfCfyWv9', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (14, 1768471200000, 'local', 1, 'tokn_0V8MevgGDmG9p1KMBIR2ZTIM', 'manager.created', 'mngr_0V8MevgGDmGSFP1UXKPvfKHn', '{"consumerId":"csmr_0V8MevgGDmGDSIYBnfCfyWv9"}', '{"id":"audt_0V8MevgGDmGTyhreEdpjaYXO","time":"2026-01-15T10:00:00.000Z","action":"manager.created","actor":{"type":"token","id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"manager","id":"mngr_0V8MevgGDmGSFP1UXKPvfKHn","name":"jo@example.com","parent":{"type":"consumer","id":"csmr_0V8MevgGDmGDSIYBnfCfyWv9","name":"acme"}},"requestId":"4355b4e6-c5be-4703-bf55-914282a324f2","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"mngr_0V8MevgGDmGSFP1UXKPvfKHn","createdOn":"2026-01-15T10:00:00.000Z","email":"jo@example.com","sub":"auth|jo"}}]}', NULL, 'csmr_0V8MevgGDmGDSIYBnfCfyWv9', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (15, 1768471200000, 'local', 1, 'tokn_0V8MevgGDmG9p1KMBIR2ZTIM', 'manager-invite.created', 'mngi_0V8MevgGDmGU3eHYX5kDLtbL', '{"consumerId":"csmr_0V8MevgGDmGDSIYBnfCfyWv9"}', '{"id":"audt_0V8MevgGDmGVBRvXGcHjTj4A","time":"2026-01-15T10:00:00.000Z","action":"manager-invite.created","actor":{"type":"token","id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"manager-invite","id":"mngi_0V8MevgGDmGU3eHYX5kDLtbL","name":"kim@example.com","parent":{"type":"consumer","id":"csmr_0V8MevgGDmGDSIYBnfCfyWv9","name":"acme"}},"requestId":"6c3ee5dc-fe12-4596-8590-33c499ccec4d","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"mngi_0V8MevgGDmGU3eHYX5kDLtbL","email":"kim@example.com","createdOn":"2026-01-15T10:00:00.000Z","expiresOn":"2026-01-22T10:00:00.000Z"}}]}', NULL, 'csmr_0V8MevgGDmGDSIYBnfCfyWv9', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (16, 1768471200000, 'local', 1, 'tokn_0V8MevgGDmG9p1KMBIR2ZTIM', 'consumer.created', 'csmr_0V8MevgGDmGWV4fMtvwQfJhI', NULL, '{"id":"audt_0V8MevgGDmGXA168GitFqnU7","time":"2026-01-15T10:00:00.000Z","action":"consumer.created","actor":{"type":"token","id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"consumer","id":"csmr_0V8MevgGDmGWV4fMtvwQfJhI","name":"beta","parent":{"type":"bucket","id":"bckt_0V8MevgGDmGB8LQDQ0LhxqW2","name":"main"}},"requestId":"7f1512cf-286e-4c99-b184-1cfb6d6abb2c","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"csmr_0V8MevgGDmGWV4fMtvwQfJhI","name":"beta","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, 'bckt_0V8MevgGDmGB8LQDQ0LhxqW2', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (17, 1768471200000, 'local', 1, 'tokn_0V8MevgGDmG9p1KMBIR2ZTIM', 'key.created', 'csmr_0V8MevgGDmGDSIYBnfCfyWv9', '{"keyIds":["key_0V8MevgGDmGYkGToS8KXBaYB"]}', '{"id":"audt_0V8MevgGDmGZDxS26moyvU0u","time":"2026-01-15T10:00:00.000Z","action":"key.created","actor":{"type":"token","id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgGDmGYkGToS8KXBaYB","parent":{"type":"consumer","id":"csmr_0V8MevgGDmGDSIYBnfCfyWv9","name":"acme"}},"requestId":"014e343f-9129-4028-b4ff-c28c47f36e1c","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"key_0V8MevgGDmGYkGToS8KXBaYB","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"once","isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgGDmGYkGToS8KXBaYB","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"once","isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgGDmGB8LQDQ0LhxqW2","name":"main"}}', 'key_0V8MevgGDmGYkGToS8KXBaYB', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (18, 1768471200000, 'local', 1, 'tokn_0V8MevgGDmG9p1KMBIR2ZTIM', 'metering-bucket.created', 'mtr_0V8MevgGDmGatepwWrU9qYKN', '{}', '{"id":"audt_0V8MevgGDmGb3ZKzkrN1Fule","time":"2026-01-15T10:00:00.000Z","action":"metering-bucket.created","actor":{"type":"token","id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"metering-bucket","id":"mtr_0V8MevgGDmGatepwWrU9qYKN"},"requestId":"35cb5b79-b6b7-48fa-8c1f-2b789f07a078","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"mtr_0V8MevgGDmGatepwWrU9qYKN","accountName":"default","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (19, 1768471200000, 'local', 1, 'tokn_0V8MevgGDmG9p1KMBIR2ZTIM', 'plan.created', 'plan_0V8MevgGDmGcS4EKPq5P3Z2z', '{"bucketId":"mtr_0V8MevgGDmGatepwWrU9qYKN"}', '{"id":"audt_0V8MevgGDmGdQ8dLqlPq0iBb","time":"2026-01-15T10:00:00.000Z","action":"plan.created","actor":{"type":"token","id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"plan","id":"plan_0V8MevgGDmGcS4EKPq5P3Z2z","name":"price-1","parent":{"type":"metering-bucket","id":"mtr_0V8MevgGDmGatepwWrU9qYKN"}},"requestId":"d92e1d58-ec54-426b-8cbb-9c443241a483","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"plan_0V8MevgGDmGcS4EKPq5P3Z2z","label":"Gold","planExternalId":"price-1","meters":{"requests":{"label":"Requests","max":100}},"hasSubscriptions":false,"createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, 'mtr_0V8MevgGDmGatepwWrU9qYKN', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (20, 1768471200000, 'local', 1, 'tokn_0V8MevgGDmG9p1KMBIR2ZTIM', 'subscription.created', 'sbsc_0V8MevgGDmGeQcReYyri86v0', '{"bucketId":"mtr_0V8MevgGDmGatepwWrU9qYKN","customerKey":"acme"}', '{"id":"audt_0V8MevgGDmGfnMMnCGKP6sjL","time":"2026-01-15T10:00:00.000Z","action":"subscription.created","actor":{"type":"token","id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"subscription","id":"sbsc_0V8MevgGDmGeQcReYyri86v0","name":"sub-2","parent":{"type":"metering-bucket","id":"mtr_0V8MevgGDmGatepwWrU9qYKN"}},"requestId":"bb1acb93-6ad1-41b4-99d9-8764f492e82a","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"sbsc_0V8MevgGDmGeQcReYyri86v0","planIds":["plan_0V8MevgGDmGcS4EKPq5P3Z2z"],"planExternalIds":["price-1"],"status":"active","type":"periodic","renewalStrategy":"monthly","region":"europe-west4","customerKey":"acme","subscriptionExternalId":"sub-2","customerExternalId":"cus_1","quotaResetAnchor":"2026-01-15T10:00:00.000Z","nextBillingCycle":"2026-02-15T10:00:00.000Z","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, 'mtr_0V8MevgGDmGatepwWrU9qYKN', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (21, 1768471200000, 'local', 1, 'tokn_0V8MevgGDmG9p1KMBIR2ZTIM', 'usage.recorded', 'mtr_0V8MevgGDmGatepwWrU9qYKN', '{"events":1}', NULL, NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (22, 1768471200000, 'local', 1, 'tokn_0V8MevgGDmG9p1KMBIR2ZTIM', 'token.created', 'tokn_0V8MevgGDmGgx9u944nQ8nGL', NULL, '{"id":"audt_0V8MevgGDmGhuesVxzMSkiBS","time":"2026-01-15T10:00:00.000Z","action":"token.created","actor":{"type":"token","id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"token","id":"tokn_0V8MevgGDmGgx9u944nQ8nGL","name":"dashboard"},"requestId":"a18b4588-5a5c-474a-a87b-494ea2e306cc","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"tokn_0V8MevgGDmGgx9u944nQ8nGL","role":"reader","createdOn":"2026-01-15T10:00:00.000Z","name":"dashboard"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (23, 1768471200000, 'local', 1, 'tokn_0V8MevgGDmG9p1KMBIR2ZTIM', 'deployment.created', 'shop-main-6e65d72', NULL, '{"id":"audt_0V8MevgGDmGi769PVxLPkbwe","time":"2026-01-15T10:00:00.000Z","action":"deployment.created","actor":{"type":"token","id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"deployment","id":"shop-main-6e65d72","name":"shop-main-6e65d72"},"requestId":"615b1218-893d-41e9-85bb-a3f6901a36fa","ip":"127.0.0.1","changes":[{"pointer":"","after":{"name":"shop-main-6e65d72","label":"main","urlParameter":"main","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","loggingId":"default::shop::main::6e65d72","accountName":"default","projectName":"shop","state":"PENDING","message":"","branchName":"main","environmentType":"PRODUCTION"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (24, 1768471200000, 'local', 1, 'tokn_0V8MevgGDmG9p1KMBIR2ZTIM', 'deployment.upload-requested', 'shop-main-6e65d72', '{"statusId":"b2e8adc0-dd44-426e-83f5-69a18df8fc8e"}', '{"id":"audt_0V8MevgGDmGjJL02uiA3hO3D","time":"2026-01-15T10:00:00.000Z","action":"deployment.upload_requested","actor":{"type":"token","id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"deployment","id":"shop-main-6e65d72","name":"shop-main-6e65d72"},"requestId":"615b1218-893d-41e9-85bb-a3f6901a36fa","ip":"127.0.0.1","changes":[{"pointer":"","after":{"name":"shop-main-6e65d72","label":"main","urlParameter":"main","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","loggingId":"default::shop::main::6e65d72","accountName":"default","projectName":"shop","state":"PENDING","message":"","branchName":"main","environmentType":"PRODUCTION","statusId":"b2e8adc0-dd44-426e-83f5-69a18df8fc8e"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (25, 1768471200000, 'local', 1, 'upload address', 'deployment.build-queued', 'shop-main-6e65d72', '{"statusId":"b2e8adc0-dd44-426e-83f5-69a18df8fc8e"}', '{"id":"audt_0V8MevgGDmGkPL6zBXkc6xKu","time":"2026-01-15T10:00:00.000Z","action":"deployment.uploaded","actor":{"type":"system","id":"upload address"},"resource":{"type":"deployment","id":"shop-main-6e65d72","name":"shop-main-6e65d72"},"requestId":"8cc63887-4625-4bc0-9758-bc470b134a4f","ip":"127.0.0.1","changes":[{"pointer":"","after":{"name":"shop-main-6e65d72","label":"main","urlParameter":"main","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","loggingId":"default::shop::main::6e65d72","accountName":"default","projectName":"shop","state":"BUILDING","message":"","branchName":"main","environmentType":"PRODUCTION","statusId":"b2e8adc0-dd44-426e-83f5-69a18df8fc8e"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (26, 1768471200000, 'local', 1, 'system', 'deployment.activated', 'shop-main-6e65d72', '{"deploymentSeq":1,"accountName":"default","versionSeq":1,"versionNumber":1,"artifactHash":"454d93ecae2fe20b2d7c7c1f0f6d4af4a4dfd0e708ffa60aa7ddccd50d258a33"}', '{"id":"audt_0V8MevgGDmGoZv2ZHVLf1d0K","time":"2026-01-15T10:00:00.000Z","action":"deployment.succeeded","actor":{"type":"system","id":"system"},"resource":{"type":"deployment","id":"shop-main-6e65d72","name":"shop-main-6e65d72"},"changes":[{"pointer":"","after":{"name":"shop-main-6e65d72","label":"main","urlParameter":"main","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","loggingId":"default::shop::main::6e65d72","accountName":"default","projectName":"shop","state":"STARTED","message":"","branchName":"main","activeVersion":1,"environmentType":"PRODUCTION","version":1}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (27, 1768471200000, 'local', 1, 'tokn_0V8MevgGDmG9p1KMBIR2ZTIM', 'key.revealed', 'bckt_0V8MevgGDmGB8LQDQ0LhxqW2', NULL, '{"id":"audt_0V8MevgGDmGt9tK6jUvcM0oW","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"bucket","id":"bckt_0V8MevgGDmGB8LQDQ0LhxqW2","name":"main"},"requestId":"a4e4fac3-f71c-4a0a-8e48-e14cd87e7889","ip":"127.0.0.1","changes":[],"counts":{"keys":4}}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (28, 1768471200000, 'local', 1, 'tokn_0V8MevgGDmG9p1KMBIR2ZTIM', 'key.revealed', 'csmr_0V8MevgGDmGDSIYBnfCfyWv9', NULL, '{"id":"audt_0V8MevgGDmGuCYkyLZP7x8kd","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"consumer","id":"csmr_0V8MevgGDmGDSIYBnfCfyWv9","name":"acme"},"requestId":"f9d26d07-40ca-4033-a2c2-05d6752a8e97","ip":"127.0.0.1","changes":[],"counts":{"keys":4}}', NULL, NULL, 1, NULL);
INSERT INTO metering_buckets ("seq", "id", "account_seq", "version", "created_on", "updated_on", "name", "test_clock", "key_bucket") VALUES (1, 'mtr_0V8MevgGDmGatepwWrU9qYKN', 1, 1, 1768471200000, 1768471200000, NULL, NULL, NULL);
INSERT INTO plans ("seq", "id", "bucket_seq", "external_id", "label", "meters", "trial_days", "trial_end_status", "is_trial_collect_payment", "version", "created_on", "updated_on", "price", "rates", "features", "description", "is_public", "list_position", "rollover") VALUES (1, 'plan_0V8MevgGDmGcS4EKPq5P3Z2z', 1, 'price-1', 'Gold', '{"requests":{"label":"Requests","max":100}}', NULL, NULL, NULL, 1, 1768471200000, 1768471200000, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO subscriptions ("seq", "id", "bucket_seq", "status", "renewal_strategy", "region", "customer_key", "external_id", "customer_external_id", "quota_reset_anchor", "metadata", "trial_end_status", "trial_start_date", "trial_end_date", "next_billing_cycle", "product_key", "allowance_period", "allowance", "version", "created_on", "updated_on", "renews_on", "bills_on", "blocks_on", "payment", "billing", "has_credits", "expires_on") VALUES (1, 'sbsc_0V8MevgGDmGeQcReYyri86v0', 1, 'active', 'monthly', 'europe-west4', 'acme', 'sub-2', 'cus_1', 1768471200000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 1768471200000, 1768471200000, 1771149600000, NULL, NULL, NULL, NULL, 0, NULL);
INSERT INTO subscription_plans ("subscription_seq", "position", "plan_seq") VALUES (1, 0, 1);
INSERT INTO usage_counters ("subscription_seq", "period_start", "meter", "events", "whole", "billionths", "removed_events", "removed_whole", "removed_billionths", "consumed_whole", "consumed_billionths", "is_unchecked", "announced_percent", "announced_max", "version") VALUES (1, 1768471200000, 'requests', 1, 7, 0, 0, 0, 0, 6, 0, 1, 0, NULL, 2);
INSERT INTO usage_events ("seq", "bucket_seq", "source", "event_id", "part", "subscription_seq", "time", "period_start", "received_on", "meter", "whole", "billionths", "voided_on") VALUES (1, 1, 'gateway', 'event-3', 0, 1, 1768471200000, 1768471200000, 1768471200000, 'requests', 7, 0, NULL);
INSERT INTO deployments ("seq", "account_seq", "name", "project", "branch", "code", "message", "active_version_seq", "source_seq", "version", "created_on", "updated_on") VALUES (1, 1, 'shop-main-6e65d72', 'shop', 'main', '6e65d72', '', 1, 1, 3, 1768471200000, 1768471200000);
INSERT INTO deployment_builds ("seq", "id", "deployment_seq", "state", "upload_hash", "upload_until", "source_seq", "steps", "result", "worker", "worker_until", "attempts", "version", "created_on", "updated_on", "is_staged", "is_preview_only", "author", "note", "is_limited") VALUES (1, 'b2e8adc0-dd44-426e-83f5-69a18df8fc8e', 1, 'succeeded', X'c4f39416558871222f55871b4ba4974e4082e6b04a1d6858fbc3a8e189b7d199', 1768474800000, 1, '{"upload":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.000Z","finishedOn":"2026-01-15T10:00:00.000Z"},"unpack":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.000Z","finishedOn":"2026-01-15T10:00:00.003Z"},"validate":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.003Z","finishedOn":"2026-01-15T10:00:00.540Z"},"build":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.540Z","finishedOn":"2026-01-15T10:00:00.779Z"},"start":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.000Z","finishedOn":"2026-01-15T10:00:00.000Z"}}', '{"success":true,"durationMs":1049,"artifact":{"sha256":"454d93ecae2fe20b2d7c7c1f0f6d4af4a4dfd0e708ffa60aa7ddccd50d258a33","bytes":2275},"routes":1,"warnings":[],"errors":[]}', NULL, 1768471210000, 1, 7, 1768471200000, 1768471200000, 0, 0, '{"type":"token","id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","name":"TOLLGATE_ADMIN_TOKEN"}', NULL, 0);
INSERT INTO deployment_sources ("seq", "deployment_seq", "created_on", "is_limited") VALUES (1, 1, 1768471200000, 0);
INSERT INTO deployment_source_chunks ("source_seq", "position", "data") VALUES (1, 0, X'1f8b0800000000000003ed565d6fd33014ed737fc5959f36d1660e5b5b28b027a4092178185f42689a4c73d79a26766adfacadaafc776427ed92a81b0fb04e48390f7172cfb5ef71641f5ba7a8442a835f56abce2381733e3c3b03d772ce9b2d0ff99043f9ee091e8683d0f19d0320b3244c87ff75ade6e4fe136cba004c178b808d819d0661c059cf45a5bad16c0c2e038091a4185dc667b4e41300d82d1a2bb572e190750172df311534b3773d4f6618c7fa64a34482f92e0cc0a648954f0066d0a65a59f49dfd5825910a231224348ef9b18b43a5b3cf73259c18dff6ea9cf4329db6266370914983111b03990c1bac9dcc301135a12543ebd457b364a49abaf9df21efee7bbfaacc69d5271dc75341d8189bcd848a62346ee84447598cb6f88501d99a7496ea584e24367f0a009be3ba9e0bc0169926d10cc6329154957ed56dca2e5af7ccbbf953afd716ff16db35f89807c01ffc9f0f0783a6ff8f78d8faffc1fcbfe223a5677bffa858f5d6ea442afb735cef5c84e994a456d55c00f6339bccbdb7b34448c5ea3e521e1d851bed2951b7a9870abc738ecd1232d7fceb8b0f783bbd789b5c08c274f9cd7c79b9f8fefe63c5edd8eefca879adf37eb4e4e2e17dce572a2eac728f622308fb05fbb0ec6a31ce7945dc52aa482f3fe144abc8d1437e20f36d1e304fb1ffc351d8d8ffcf4ff9a8ddff8700ae526d0822bc11594c70743d86cb6295f660a215e18ac6b0017f01b38e9b6813bd2e6e3c3d28da73c88fe1cd39285cc26579853b627e45018367db71826290c05dce8e5f1d64762d5ab468d1a2730f7e0343d7bee100120000');
INSERT INTO deployment_artifacts ("deployment_seq", "hash", "data") VALUES (1, '454d93ecae2fe20b2d7c7c1f0f6d4af4a4dfd0e708ffa60aa7ddccd50d258a33', '{"format":1,"environment":{},"policies":{"keys":{"type":"api-key","options":{"bucket":"main","header":"authorization","scheme":"Bearer","allowAnonymous":false,"oauth":false}},"quota":{"type":"quota","options":{"bucketId":"mtr_0V8MevgGDmGatepwWrU9qYKN","meters":{"requests":1},"statuses":["1xx","2xx","3xx","4xx"],"overQuota":"reject"}},"limit":{"type":"rate-limit","options":{"by":"consumer","requests":1000,"windowSeconds":60,"window":"fixed","legacyHeaders":true}}},"routes":[{"path":"/hello/{name}","method":"GET","target":{"handler":"modules/hello.ts"},"policies":["keys","quota","limit"],"timeoutSeconds":30}],"document":{"file":"openapi.json","text":"{\n  \"openapi\": \"3.1.0\",\n  \"info\": {\n    \"title\": \"Test\",\n    \"version\": \"1\"\n  },\n  \"paths\": {\n    \"/hello/{name}\": {\n      \"get\": {\n        \"responses\": {},\n        \"parameters\": [\n          {\n            \"name\": \"name\",\n            \"in\": \"path\",\n            \"required\": true,\n            \"schema\": {\n              \"type\": \"string\"\n            }\n          }\n        ],\n        \"x-tollgate\": {\n          \"handler\": \"modules/hello.ts\",\n          \"policies\": [\n            \"keys\",\n            \"quota\",\n            \"limit\"\n          ]\n        }\n      }\n    }\n  }\n}"},"site":"9f1e76c651892508eeb173853ce49ffaf159bdd257c8f414c852d1d4fe406f48","code":"var __defProp = Object.defineProperty;\nvar __export = (target, all) => {\n  for (var name in all)\n    __defProp(target, name, { get: all[name], enumerable: true });\n};\n\n// project:modules/hello.ts\nvar hello_exports = {};\n__export(hello_exports, {\n  default: () => hello_default\n});\nvar hello_default = (_, context) => new Response(\"hello \" + context.params.name);\n\n// all-modules.js\nvar all_modules_default = { \"modules/hello.ts\": hello_exports };\nexport {\n  all_modules_default as default\n};\n//# sourceMappingURL=data:application/json;base64,ewogICJ2ZXJzaW9uIjogMywKICAic291cmNlcyI6IFsicHJvamVjdDptb2R1bGVzL2hlbGxvLnRzIiwgImFsbC1tb2R1bGVzLmpzIl0sCiAgIm1hcHBpbmdzIjogIjs7Ozs7OztBQUFBO0FBQUE7QUFBQTtBQUFBO0FBQUEsSUFBTyxnQkFBUSxDQUFDLEdBQVksWUFBZ0QsSUFBSSxTQUFTLFdBQVcsUUFBUSxPQUFPLElBQUk7OztBQ0N2SCxJQUFPLHNCQUFRLEVBQUUsb0JBQW9CLGNBQVE7IiwKICAibmFtZXMiOiBbXQp9Cg==\n"}');
INSERT INTO deployment_versions ("seq", "id", "deployment_seq", "number", "build_id", "artifact_hash", "artifact_bytes", "routes", "created_on", "is_staged", "source_seq", "author", "note") VALUES (1, 'vrsn_0V8MevgGDmGmWuAKCTnCKyMg', 1, 1, 'b2e8adc0-dd44-426e-83f5-69a18df8fc8e', '454d93ecae2fe20b2d7c7c1f0f6d4af4a4dfd0e708ffa60aa7ddccd50d258a33', 2275, 1, 1768471200000, 0, 1, '{"type":"token","id":"tokn_0V8MevgGDmG9p1KMBIR2ZTIM","name":"TOLLGATE_ADMIN_TOKEN"}', NULL);
INSERT INTO deployment_logs ("seq", "id", "deployment_seq", "time", "kind", "entry", "bytes") VALUES (1, 'log_0V8MevgGDmGlsEMUzzdvlb0f', 1, 1768471200000, 'build', '{"level":"info","message":"Build b2e8adc0-dd44-426e-83f5-69a18df8fc8e began."}', 228);
INSERT INTO deployment_logs ("seq", "id", "deployment_seq", "time", "kind", "entry", "bytes") VALUES (2, 'log_0V8MevgGDmGntXiEddo52WXm', 1, 1768471200000, 'build', '{"level":"info","message":"Built version 1: 1 route, 2275 bytes."}', 216);
INSERT INTO deployment_logs ("seq", "id", "deployment_seq", "time", "kind", "entry", "bytes") VALUES (3, 'log_0V8MevgGDmGpwCKPOorGymkO', 1, 1768471200000, 'build', '{"level":"info","message":"Version 1 is live."}', 197);
INSERT INTO rate_limits ("scope", "subject", "window_start", "ends_on", "used") VALUES ('shop-main-6e65d72 limit 60', 'csmr_0V8MevgGDmGDSIYBnfCfyWv9', 1768471200000, 1768471260000, 1);
INSERT INTO deployment_log_sizes ("deployment_seq", "bytes") VALUES (1, 641);
INSERT INTO written_batches ("writer", "number", "written_on") VALUES ('61ffc865-6966-4214-b2b9-e6df785554e8', 1, 1768471200000);
INSERT INTO written_batches ("writer", "number", "written_on") VALUES ('6dd95db2-5f62-448b-9e30-396ec844e7a5', 1, 1768471200000);
INSERT INTO written_batches ("writer", "number", "written_on") VALUES ('ae4d89f2-a88e-4dbf-8c96-fa21d2c66b16', 1, 1768471200000);
INSERT INTO written_batches ("writer", "number", "written_on") VALUES ('check-970d616e-b779-448f-96ee-207c6f07c0a7', 1, 1768471200000);
INSERT INTO written_batches ("writer", "number", "written_on") VALUES ('ecd20dfe-747e-4903-b6e7-c1e8d9fe9423', 1, 1768471200000);
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (60000, 1768471200000, 0, 1, 1, 1, '', 200, '', 1, 0, 0, 0, 8, X'5f01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (60000, 1768471200000, 1, 1, 1, 1, '/hello/{name}', 200, '', 1, 0, 0, 0, 8, X'5f01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (60000, 1768471200000, 2, 1, 1, 1, '/hello/{name}', 200, 'acme', 1, 0, 0, 0, 8, X'5f01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (60000, 1768471200000, 3, 1, 1, 1, 'key_0V8MevgGDmGFhxVXWyN7KCgA', 200, 'acme', 1, 0, 0, 0, 8, X'5f01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (60000, 1768471200000, 6, 1, 1, 1, 'csmr_0V8MevgGDmGDSIYBnfCfyWv9', 200, 'acme', 1, 0, 0, 0, 8, X'5f01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (3600000, 1768471200000, 0, 1, 1, 1, '', 200, '', 1, 0, 0, 0, 8, X'5f01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (3600000, 1768471200000, 1, 1, 1, 1, '/hello/{name}', 200, '', 1, 0, 0, 0, 8, X'5f01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (3600000, 1768471200000, 2, 1, 1, 1, '/hello/{name}', 200, 'acme', 1, 0, 0, 0, 8, X'5f01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (3600000, 1768471200000, 3, 1, 1, 1, 'key_0V8MevgGDmGFhxVXWyN7KCgA', 200, 'acme', 1, 0, 0, 0, 8, X'5f01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (3600000, 1768471200000, 6, 1, 1, 1, 'csmr_0V8MevgGDmGDSIYBnfCfyWv9', 200, 'acme', 1, 0, 0, 0, 8, X'5f01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (86400000, 1768435200000, 0, 1, 1, 1, '', 200, '', 1, 0, 0, 0, 8, X'5f01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (86400000, 1768435200000, 1, 1, 1, 1, '/hello/{name}', 200, '', 1, 0, 0, 0, 8, X'5f01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (86400000, 1768435200000, 2, 1, 1, 1, '/hello/{name}', 200, 'acme', 1, 0, 0, 0, 8, X'5f01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (86400000, 1768435200000, 3, 1, 1, 1, 'key_0V8MevgGDmGFhxVXWyN7KCgA', 200, 'acme', 1, 0, 0, 0, 8, X'5f01');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "bytes_in", "bytes_out", "latency") VALUES (86400000, 1768435200000, 6, 1, 1, 1, 'csmr_0V8MevgGDmGDSIYBnfCfyWv9', 200, 'acme', 1, 0, 0, 0, 8, X'5f01');
INSERT INTO traffic_deployments ("deployment_seq", "account_seq") VALUES (1, 1);
INSERT INTO usage_hours ("time", "subscription_seq", "period_start", "meter", "whole", "billionths") VALUES (1768471200000, 1, 1768471200000, 'requests', 13, 0);
INSERT INTO usage_days ("time", "subscription_seq", "period_start", "meter", "whole", "billionths") VALUES (1768435200000, 1, 1768471200000, 'requests', 13, 0);
INSERT INTO requests ("seq", "id", "account_seq", "deployment_seq", "version_seq", "is_failure", "time", "status", "method", "path", "route", "consumer", "request_id", "entry", "bytes") VALUES (1, 'req_0V8MevgGDmGqJCbm6aoEUEmo', 1, 1, 1, 0, 1768471200000, 200, 'GET', '/hello/jo', '/hello/{name}', 'acme', 'f5ff3775-3f8d-46f2-b976-15b8416c0818', '{"durationMs":36.677,"decisions":[{"policy":"keys","type":"api-key","ms":9.406,"outcome":"passed"},{"policy":"quota","type":"quota","ms":15.981,"outcome":"passed"},{"policy":"limit","type":"rate-limit","ms":0.996,"outcome":"passed"}],"ip":"127.0.0.1","consumerId":"csmr_0V8MevgGDmGDSIYBnfCfyWv9","keyId":"key_0V8MevgGDmGFhxVXWyN7KCgA","target":{"kind":"handler","module":"modules/hello.ts","ms":9.614,"attempts":1}}', 824);
INSERT INTO request_sizes ("deployment_seq", "is_failure", "bytes") VALUES (1, 0, 824);
INSERT INTO feed_cursors ("reader", "position", "snapshot", "target") VALUES ('audit log', 28, NULL, NULL);
INSERT INTO feed_cursors ("reader", "position", "snapshot", "target") VALUES ('webhooks', 28, NULL, NULL);
INSERT INTO audit_chains ("account_seq", "account", "count", "hash", "sealed_on", "anchor", "anchor_hash", "oldest_on", "signed_count", "head") VALUES (1, 'acct_0V8MevgGDmG7fQkT6Q88ORNi', 27, '0abd7956c260ca8cc4f9d95f8a33a110a33fd361bd69929b31d26620b2b4674a', 1768471200000, 0, '0000000000000000000000000000000000000000000000000000000000000000', 1768471200000, 0, NULL);
INSERT INTO audit_keys ("id", "public_key", "private_key", "created_on") VALUES ('cc92215e9e0e1bf5', 'IebcZUnspUpnZvS7xIu9E_XKbYBiuGcl1C3mcjFQS34', X'4fe8a503e3b60c6536c0251bcd09436f2e30f19c1bc8654cd863bcfef89461d7c820c3d4fd5f81cc450e391cf80a37a6baf0512a22b76702d02236351c48360054fb0ff05d029d2fbd6cd33b63664c42661af68176334cdb15a4564e7ca678072636271621eb7ce03c261bd042f5b48c3588da517fec01be739ee38f4eae51781ee960b7733662b2542af544b333a5d80e949595a9c0bb', 1768471200000);
INSERT INTO webhook_timers ("name", "reached_time", "reached_seq") VALUES ('key.expired', 1768471200000, 9007199254740991);
INSERT INTO webhook_timers ("name", "reached_time", "reached_seq") VALUES ('key.expiring 1 days', 1768557600000, 9007199254740991);
INSERT INTO webhook_timers ("name", "reached_time", "reached_seq") VALUES ('key.expiring 7 days', 1769076000000, 9007199254740991);
INSERT INTO webhook_timers ("name", "reached_time", "reached_seq") VALUES ('subscription.trial_ending', 1768730400000, 9007199254740991);
INSERT INTO audit_segments ("account_seq", "number", "count", "lowest_id", "highest_id", "earliest", "latest", "hashes", "entries", "sealed_on") VALUES (1, 1, 2, 'audt_0V8MevgGDmG8SbC2RUppQiW6', 'audt_0V8MevgGDmGA9oh5KMIncdeK', 1768471200000, 1768471200000, X'0000000000000000000000000000000000000000000000000000000000000000ffd3e889bc88d840d0e303ba87d549726696f764d44582c04f58d6bc831c265d04366fd50140823a7645fd142b8ee188ef8b690341e7cc6c9b0a14634174f493', X'7b226964223a22617564745f3056384d65766747446d4738536243325255707051695736222c2274696d65223a22323032362d30312d31355431303a30303a30302e3030305a222c22616374696f6e223a226163636f756e742e63726561746564222c226163746f72223a7b2274797065223a2273797374656d222c226964223a2273797374656d227d2c227265736f75726365223a7b2274797065223a226163636f756e74222c226964223a22616363745f3056384d65766747446d473766516b54365138384f524e69222c226e616d65223a2264656661756c74227d2c226368616e676573223a5b7b22706f696e746572223a22222c226166746572223a7b226964223a22616363745f3056384d65766747446d473766516b54365138384f524e69222c226e616d65223a2264656661756c74222c22637265617465644f6e223a22323032362d30312d31355431303a30303a30302e3030305a222c22757064617465644f6e223a22323032362d30312d31355431303a30303a30302e3030305a227d7d5d7d0a7b226964223a22617564745f3056384d65766747446d4741396f68354b4d496e6364654b222c2274696d65223a22323032362d30312d31355431303a30303a30302e3030305a222c22616374696f6e223a22746f6b656e2e63726561746564222c226163746f72223a7b2274797065223a2273797374656d222c226964223a2273797374656d227d2c227265736f75726365223a7b2274797065223a22746f6b656e222c226964223a22746f6b6e5f3056384d65766747446d473970314b4d424952325a54494d222c226e616d65223a22544f4c4c474154455f41444d494e5f544f4b454e227d2c226368616e676573223a5b7b22706f696e746572223a22222c226166746572223a7b226964223a22746f6b6e5f3056384d65766747446d473970314b4d424952325a54494d222c22726f6c65223a2261646d696e222c22637265617465644f6e223a22323032362d30312d31355431303a30303a30302e3030305a222c226e616d65223a22544f4c4c474154455f41444d494e5f544f4b454e227d7d5d7d', 1768471200000);
INSERT INTO audit_segments ("account_seq", "number", "count", "lowest_id", "highest_id", "earliest", "latest", "hashes", "entries", "sealed_on") VALUES (1, 3, 17, 'audt_0V8MevgGDmGCzEmXupOnHbjS', 'audt_0V8MevgGDmGdQ8dLqlPq0iBb', 1768471200000, 1768471200000, X'04366fd50140823a7645fd142b8ee188ef8b690341e7cc6c9b0a14634174f49307733bef149929b216c29243ae3433248634294057653e7e90ee57e49236b257cd34f97666f53a7232aad2dddc7e5aa3ed947fc7afee6e69e4f7eadd4cf379306cfe32b6842cab9e0558f459f4d28ba7b98c1687c35c8a3abaead1bbdc5e07c90c717e46c518e175df11c25d702c3e8aa88a1194602a9524738703139538784462e21be775a1b57a32fd88911f63b5138b7d13980a393b988f1bfb5f3387e2a981a32d32e21c765fdb7699b032c4dd13056b2cac1f5fdda6c4f270414afa834466d0ddbc1280e9daf9a2cc7ff73fdc7679abcbed846b2603163c8acff5d97b25c8a85cc32c48eae086c6589433f99567614802e804e8137e9ec1adab13a27f77c520826fe9be18644def73b98abf05c8e915a6e735fc3c5d4238fc2897193f16c86932361e7b4c21fb6a22487ba1bea7f0aac8b23d1f877a42756423bc7231ec62c9e6bd07a4764428b9bbb7b8205ca2065be3d30c9d2e4a8fbe690504c9d6284aa16dcfd3a4852321c50f8359e96c31d7679e4e200f6b2061d09f55ec65784a0c0d929e28b1f75487163c9507e419c9f39be8eab9bab022d5492d0aef0fc0249a73eefba2f9ebaabe115f01b7b4e20a6bb028417dcba1ea680e1d07debaab633d3c23e7e3fee9eef1123f92643058836279c5163297ebf51c65a6a166bd934939bf09bb95321968e42dda31ddd92843add0cf1dac1b595813421f1b65b1aa8b8832f60a5089eb3400627a489e788b7636bb3a2743235ae6e08934a1bd516483', X'28b52ffd600f258d3700ba67b4133c4089b60dc3300cc345d0330e382cca65168b1a98ced3529b75132d1aade4cab593a5802abe01d510cd00d57903b40089748bf45a452a42fc1910ec4430012b012701715f9f598d3ffe16b69593d1d10dfa62d880b044324bc3d95b9b766198922b19b982b2e14089450220e4404848d66c57c59f030526d7b2df340de2f14c662d9f3c639f7261fe3866fbe41f94fe8ca2f3197f7ecbf6e45f5dcb792adb6fa151fe28d0d61ff7c9b3df1785695c4181c9b5c75cb603fbe350e1293c0529429f5c43f9e33a4218d68fb0addad9175da769245db6383b8a6b96d3423e7986d8da6f9b8bb256ccd87c74505e45a48242197606dfc7d986699ff913e2139249e58260024222b28040725970a0502a177bf9e31210178e6801c12031819a7a65b0fdf8f5196cfbe4afe96c57307986e5dff633acb03f83b7eb935f18b5b1f5c739de7b0aef4def4d0f5e2674f0b928bee893bf456d7fdce2711fae8a66d3b024200d0e56c401c379098af110ecbc599f3c53ae205aba2ba7e4fe45526b6b1f26162db24518c151a131b9724a746a89238a9dcc9075394be966c5d1e13c298474dc50dd1d0a92f712f110d6c43c30179b08a4e35a2242e0e45ae733fbda30eccf819b6b8622a55892aeabaf5e6775948e4a08dd8462ac18e3ca3ee73385ce672e93acb3ed87f504c3e3a1aab64bbbd89aadf257d75e128dcafe7a8c86cab0f6d99faadaaec9af8af619a5f9787ffe759e11e71833746f5f75574ee9ae8dd3d19b2fadd02e601a26d244274303e3a38340e7339dcf743e6389ac8ccb82e19a19587560d0c0c1840011244090f040428009736155807cd9cb801bc8bfb16de30602680236e593ef8fcfbfb5bffcf15c61189ffcb295c6154c6eb7cd76bfe54f886f8ff9cc154cae61ecb6564788d2fae47d0e46f53afb58bae84ac95d8ae583361c0b060cc73c1674ecbb691565ad8f5a46c8461a25ac6e4e7d1df424e9fe4eeca297774e485a1856f84a63d98f1f80795c0f13cda198685c400a0216cc6561ec65ad8ac686f5d064c9671d9d4b86e9bf19e799ef8b594bd1450d51a79f249d8431e420cd58630b7df5399a34e04a84cd981a48844584e4e77f104af7bafaae755456e9aece92d3314e09498a7172bcd871cf58512a3218e7332a6bb67ae62a1fbaf8d7ba0ab5741f41e926446da67372346822a60f0d982bc3541a28916aa333b4506191a0a8508c56438965849c54ed75994ad2d1bfd75d58f57be9717c6c6076e556dbda1626ea9cea9ceacb1842fc34fefc20f720741dac4fbac7993a0aa5a7a1886ee40e904c622180b1180aca2402f3914d04e3a1f22a12f92b9c75dec7f7b90a55eb7214af55564faeddcda2d90e7f4242de83937f58cb1f8bca5ed9ef0fc9652b8d834f5efdb51544a585324252e2eaeec5d4dd284a27277e4767861f6b86ee319569402207443137141389b4605b692e5b692e03f53614d586926945ded566f5e7096cfda1d2b3d2d3954a373a0d31755653e9a41b5d57a53b2f9e938d4dbdc83212687edb6d39cc4565bfdffa6a230027b20cc88403baf8c230fc08d292c43462a7b5bc8ec6275d8db03a0d49e8257c0c1b964163422dd8c521b3b1bd0b4e07b3a268f988704c88e3bd36cad1d5183a49e175b562e93ea2d1691ce1845ab2fb2f444784ae48c0d9125a62644817d786c0a61c6804173462a4b2c48f71ad1243907b755217d5295d84af1dcef31fc29145652877532299a9b1f1f0d005f59be25c945b901e178f07eca01180c4a8910d41c81042444494245150381d9022119122a33c1268915014c1180c423092002180082342440c3102222402498894300fdf6a8bdb8f493ef7fad0cf511606cec67cb8f20028ee134936b68344a26f10019848404b225c8a90598a178f4c7937b79f46b71fc1e6047b0c384a747626e2a89fc3e0c8315c9db39042b80dc91d09d350e64746be3b0c04a3ff6950e4b2b540d6bffaea05c8fbd1de0a75407fbec12b271845cd5e97206e9a7cfce06739490bbf5d0553f70c4761e46db3ad6fd2f73b67abfb6229a0d3b266b541413b68aced83bf99d7d26888e78c0f9c21a52d8bb01c172d750b2eeca7702d9b9c2df42cdc70a202d2c7b92c69784f81b8a6fa566c2afd6b49060c4f828c64d8f2b7059570a958390a85085cee24fccc8c37da539e56c78d49541c9ab8873e43c2a7b915a9662c9b0eef4e5e8fee56c81193ad1860898756a3c3c9395b32b4c8458807a5d76ad0a4bcc7f38a75f742ce4c36c510243eb416035366e78dc89ba187a29840772dbab726b73460c708e18e6aac6dfca0b87ab9bb64041de461672061eeafedba588262422036bddc8969a448136f3da2ca008b44633d796d957f0c76119fd2e441c9c584e3cd81a1fad3797d99c86049e8542aca920590cc0b02f81aa9fe5e229c105d9b5586bf68086bfea173c34ddda13e77c6505353b0e16d2c1d640520660a99f356f01d4eb061af0a', 1768471200000);
INSERT INTO audit_segments ("account_seq", "number", "count", "lowest_id", "highest_id", "earliest", "latest", "hashes", "entries", "sealed_on") VALUES (1, 20, 5, 'audt_0V8MevgGDmGfnMMnCGKP6sjL', 'audt_0V8MevgGDmGkPL6zBXkc6xKu', 1768471200000, 1768471200000, X'8832f60a5089eb3400627a489e788b7636bb3a2743235ae6e08934a1bd5164833d52c6d512cb5c2929034c3e9e899006dea9d3fd38a4a4b7af903e82d86873629b2a8469df74160f4343a88cedf5e98aac772bc544ea9b1785cee9048fcb24e1acd1004daaa286201bf4aadb39fbecc635d8aff5e6aa527b046c82e0f3d99a58f30053eeaefc8ca7a9d9ac3057f2e9443204ea52f6c6dbd357159d7941c094571366b50229a1ded449328d7fe5d441147a80c5f7b6530575d93bc248e2dbc372', X'28b52ffd60e80c351e005639ad27f0b0e801e8ff9b40dab2c293d6702b26399c2c6ddbbb7f38ab6b86956f9bd240594e36911ac955a4009e00a20018da67bf39cbbf91dbe53295decf9fe5fad7b57e5a72d786a18b0ad2db81780599f0125ff8e5dd2cfedbcf46530e22950b0505323118a038b80c3c2492cac56b3f3d815c22240508c124126956ddd8fc74fd8dcd1dfbb54e6e8dd8d7cecffe570a544bb346afc4d7863b76b5344befa72320081280a00841118a2e54e422c855122475eccf68eea72515b8b2441e057532a9984766f0c85cfc04364014796edeb1276d8dfd59e723f7339bf126fbe997f163b8d7ecdd3ed3c134b9daac6377329ffde605cc31befeeda7259d96ded79efe8bd878cb9e713f131db997f4625eef67cec1446748119385b2b0440ede82ac8e692d111b4f48754cd3c0783fddb1efe74aadd61a12b1f167aa6b643f1d0940029080438a3ab646fb6997e04bd6c3bcca019d352dcbbd2b7a2e9a5eb9c9baa447d7d5b12724e3df2c369a1281b0b018ae43d72dd8ddfae94a3debd8d85f8ef5e3986af208b22acce4eeba28e8ac8f9e9b93051d8ca4e8a2a24a724caafaca55ea99d3ac06e7fa59c762dacfc7b8361609a7c162550e7a7ffa5f7ba5aca0e925ff673d7739a03b7f8ee724e59483907a178c7c5eb79706fb943c2a4ca8ef599bc5c92c10d0cdc22483d3807fd3006c4c6c6c4c6d8b6a45c264a7205329865182ccf97aad46d681fcf8153cdbcda29f8e28f0269f12080301e6f99ba20b723c793948392c07c9eb394aaa9e7340385552428cffcee901d967dcc15b8453c9cd03414625b16c1e4a0cc44c18b955390a3341f795f4dc7b733a484e872f5d78a3986e316d33982a9a69806e122441a8a05420970206838a82e592eb67d55e7a515f23abdfeb338ef167fdf4830231a01c583af6b76635587e85bd5a3f4dc975b3527a8c957a16a3663538c68c6d8ef999a93493b1583f1e61a8b1912188183223819490b4b0e01a6022111aabf51248726118812987040411244044381120125020a1504054a17123b6016298046048c71dd62afc150dc87b90d3ec9402ef3427e5c07b3eb93d5e7cbc5d0cb5d10791813f501c54f26a79750372a8b4c90da4ac4f8d2cac2c047108c37d6afd1a54e1df46c6464a8700171770978d9debc8f92372c5b8ce7c4f7d5016aefc34e7d5761b5908c2e0b9031436c18668251230a11c848f3c33fbe0a59d60ff368edacad85e281b1b7397615e6550521d72b848537d3022cc420661f9fa8ac2f1b05cec4ad00a167ec638f912e2e66dfcbcbcc87e89d9116edefb10a73bcf255ae033bbaad98b2eb76cda3b954ba46588a5ca28c81210bd39b2a10a', 1768471200000);
INSERT INTO audit_segments ("account_seq", "number", "count", "lowest_id", "highest_id", "earliest", "latest", "hashes", "entries", "sealed_on") VALUES (1, 25, 1, 'audt_0V8MevgGDmGoZv2ZHVLf1d0K', 'audt_0V8MevgGDmGoZv2ZHVLf1d0K', 1768471200000, 1768471200000, X'1366b50229a1ded449328d7fe5d441147a80c5f7b6530575d93bc248e2dbc372d04813ed1f4159f1a621f0daf6d058fc16102fb7409e206fe112170f089ca290', X'7b226964223a22617564745f3056384d65766747446d476f5a76325a48564c663164304b222c2274696d65223a22323032362d30312d31355431303a30303a30302e3030305a222c22616374696f6e223a226465706c6f796d656e742e737563636565646564222c226163746f72223a7b2274797065223a2273797374656d222c226964223a2273797374656d227d2c227265736f75726365223a7b2274797065223a226465706c6f796d656e74222c226964223a2273686f702d6d61696e2d36653635643732222c226e616d65223a2273686f702d6d61696e2d36653635643732227d2c226368616e676573223a5b7b22706f696e746572223a22222c226166746572223a7b226e616d65223a2273686f702d6d61696e2d36653635643732222c226c6162656c223a226d61696e222c2275726c506172616d65746572223a226d61696e222c22637265617465644f6e223a22323032362d30312d31355431303a30303a30302e3030305a222c22757064617465644f6e223a22323032362d30312d31355431303a30303a30302e3030305a222c226c6f6767696e674964223a2264656661756c743a3a73686f703a3a6d61696e3a3a36653635643732222c226163636f756e744e616d65223a2264656661756c74222c2270726f6a6563744e616d65223a2273686f70222c227374617465223a2253544152544544222c226d657373616765223a22222c226272616e63684e616d65223a226d61696e222c2261637469766556657273696f6e223a312c22656e7669726f6e6d656e7454797065223a2250524f44554354494f4e222c2276657273696f6e223a317d7d5d7d', 1768471200000);
INSERT INTO audit_segments ("account_seq", "number", "count", "lowest_id", "highest_id", "earliest", "latest", "hashes", "entries", "sealed_on") VALUES (1, 26, 1, 'audt_0V8MevgGDmGt9tK6jUvcM0oW', 'audt_0V8MevgGDmGt9tK6jUvcM0oW', 1768471200000, 1768471200000, X'd04813ed1f4159f1a621f0daf6d058fc16102fb7409e206fe112170f089ca2901b5dd4040e8440c0dd3d1d9f8689de6291f9451f95e13fe6ff59a29b907a2607', X'7b226964223a22617564745f3056384d65766747446d477439744b366a5576634d306f57222c2274696d65223a22323032362d30312d31355431303a30303a30302e3030305a222c22616374696f6e223a226b65792e72657665616c6564222c226163746f72223a7b2274797065223a22746f6b656e222c226964223a22746f6b6e5f3056384d65766747446d473970314b4d424952325a54494d222c226e616d65223a22544f4c4c474154455f41444d494e5f544f4b454e227d2c227265736f75726365223a7b2274797065223a226275636b6574222c226964223a2262636b745f3056384d65766747446d4742384c514451304c6878715732222c226e616d65223a226d61696e227d2c22726571756573744964223a2261346534666163332d663731632d346130612d386534382d653134636438376537383839222c226970223a223132372e302e302e31222c226368616e676573223a5b5d2c22636f756e7473223a7b226b657973223a347d7d', 1768471200000);
INSERT INTO audit_segments ("account_seq", "number", "count", "lowest_id", "highest_id", "earliest", "latest", "hashes", "entries", "sealed_on") VALUES (1, 27, 1, 'audt_0V8MevgGDmGuCYkyLZP7x8kd', 'audt_0V8MevgGDmGuCYkyLZP7x8kd', 1768471200000, 1768471200000, X'1b5dd4040e8440c0dd3d1d9f8689de6291f9451f95e13fe6ff59a29b907a26070abd7956c260ca8cc4f9d95f8a33a110a33fd361bd69929b31d26620b2b4674a', X'7b226964223a22617564745f3056384d65766747446d477543596b794c5a503778386b64222c2274696d65223a22323032362d30312d31355431303a30303a30302e3030305a222c22616374696f6e223a226b65792e72657665616c6564222c226163746f72223a7b2274797065223a22746f6b656e222c226964223a22746f6b6e5f3056384d65766747446d473970314b4d424952325a54494d222c226e616d65223a22544f4c4c474154455f41444d494e5f544f4b454e227d2c227265736f75726365223a7b2274797065223a22636f6e73756d6572222c226964223a2263736d725f3056384d65766747446d4744534959426e66436679577639222c226e616d65223a2261636d65227d2c22726571756573744964223a2266396432366430372d343063612d343033332d613263322d303564363735326138653937222c226970223a223132372e302e302e31222c226368616e676573223a5b5d2c22636f756e7473223a7b226b657973223a347d7d', 1768471200000);
INSERT INTO audit_topics ("account_seq", "topic", "number") VALUES (1, 'shop-main-6e65d72', 20);
INSERT INTO audit_topics ("account_seq", "topic", "number") VALUES (1, 'shop-main-6e65d72', 25);
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
INSERT INTO deployment_sites ("deployment_seq", "artifact_hash", "contents", "pack") VALUES (1, '454d93ecae2fe20b2d7c7c1f0f6d4af4a4dfd0e708ffa60aa7ddccd50d258a33', X'1f8b08000000000000038590c14ec33010447f05cd794b62221ac9f78a2397dea21c4cb34d0c8e13d96ea964f9df915d28420871dd3733bbb311569df5a8825e2c6444d0c13024f6ec03086776be10081006f607a7d7ab16208c273db087ec7a82e3233bb60786ec228c7a610389e7955d09f720b00d4e177dc4aac6bc67b9f16ae4b099d8986563d5cca05bc6d36e7f571552c58c120833876919ae1084558509123f55a94f7d2204e5460e3eb7fb9d942b17feedde5dd4bc9a7cc0c9bed9e5dd428a9408476df2ed11da0e7cb97ff5f90b5d4da26e7afa1cce036427ea861eda9efe2ef765164d4ddb7fa425b27d6c496cdb3ea50f10bc40e8b1010000', X'1f8b08000000000000031dca410a80201445d1adc81b4b0b701dcda241e8333fc537546c10ed3d6c780ff7c1211ae0903b4b17deb068d24ec261666db008acbec8d524ebc044531859a89e264733ae09169a032bdcb25a246e4174ffebfd002927eef6620000001f8b0800000000000003535608492d2ee102009614cf58070000001f8b080000000000000395544d4fdc3010fd2bee5c3691dc700fda030504eaa142c0ad46c84a2689b5899db527856d94ff5e8d931476452b71dab13df33efce21d61676c0939b81ebd26e32c4820432d420e37d78fe2acc1b67567a3d51d4e20a1c45078d3c7ce8f3bac2b3140fef3494283ba34b65e566f14f9081d52e398f8e6fa1124f49a1ac8e1146b87875bd4257a1e69960a2e066a9c37bf57bdbdc7cabc420edf507bf4022606f4ba4342cfe4233020e4f38f04c3da23a50413ee713f188f25e4e40794108a063bcd8c74e8792a9037b666547cd55d1fefe67aa9a627091e43ef6c585d93f635d29b9bb5554288c5aca8d5b61e74cd58c5e05b9050b8725d89cd380ebe9da663888d504a5921bede8acdd125e462b13e8e3b3c4cd306267944f15dffd20f31b87744ce0612ab78b115fa451b121552d1240a3e54a0408a9125cc61847c5e09a18e5351900b05c7a21448ee9da4b2537aae2cf3bb16b3d6d5c9aa220ba4690872d1f2779bf09592343d3ff57577a0267e038b27d3f5cef3dc7ec040415965df195cb7b31a295975ffcbe77cbef8dc2e363f6775369b2adb7b63e9d4e4336b96c71ed3538337eecd5caf8b9dae5174da5876b6984d9455a4a0ea48c15c1ab75616e9ac21ea799df24c35d82202242947a7c8e35e0af45ee45bc19dd90f7ce117818112c5af9323ffcfd7604dcbc064aa88f265cb3b33b4a25e5b5324e87d6c9916be6c7ed3d903a7707a994c767a9971da6338167a85951e5aba6c0d5acaae5ce271ff29292556e8f9feb36fae3c6497ad0b98c4638e428a67a6322ebb475d5eb42de7173b634bd55176c7b1b6361e3cc44c2f63a4f31f4612034d959d607a9aa63fc19415566b0500001f8b0800000000000003558dbd0ac2401084fb7d8a8114a790983e9d42d0d2c2d2620f5d4cf0f2e3e60ed4e3de5d2269d2cdcc37cc6438d617948d383794b1b79d24229eb31883ba94568889b20c67abb6132f3a1115e0993036a3f54d8ec96bdb3f72a8bc42ab72df56a8dfb61b9d54e045f1ee3fb33822669e1aba057530ebd7a5627025a038c1ec836f066dbfd6b7435fe120564511e3533e299979897e17e80e82d2000000');
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
