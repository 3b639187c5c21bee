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
  author text NOT NULL,
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
  author text NOT NULL,
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
  observed integer NOT NULL,
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
  sealed_on integer NOT NULL,
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
  observed integer NOT NULL,
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
CREATE INDEX invoices_by_recording ON invoices (bucket_seq, recorded_on, seq) WHERE recorded_on IS NOT NULL;
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
  key_created_on integer NOT NULL
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
  last_event integer NOT NULL,
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
INSERT INTO accounts ("seq", "id", "name", "version", "created_on", "updated_on") VALUES (1, 'acct_0V8MevgG4FVcK72pXSeGFkcz', 'default', 1, 1768471200000, 1768471200000);
INSERT INTO tokens ("seq", "id", "account_seq", "role", "name", "hash", "expires_on", "last_used_on", "created_on", "created_by", "trusted_issuer_seq", "scope") VALUES (1, 'tokn_0V8MevgG4FVeoL3rRQRQRLfe', 1, 'admin', 'TOLLGATE_ADMIN_TOKEN', X'69e0f808545ab84a30114604cedae05edfe2a570dbe3b6bbfcc6dc3b56eb1d7d', NULL, 1768471200000, 1768471200000, NULL, NULL, NULL);
INSERT INTO tokens ("seq", "id", "account_seq", "role", "name", "hash", "expires_on", "last_used_on", "created_on", "created_by", "trusted_issuer_seq", "scope") VALUES (2, 'tokn_0V8MevgG4FWB4YKjAlah9Agl', 1, 'reader', 'dashboard', X'f3f5eef75f3e2d726b377ca08202a66158cd49e4903e0516f738896540171e76', NULL, NULL, 1768471200000, NULL, NULL, NULL);
INSERT INTO key_buckets ("seq", "id", "account_seq", "name", "description", "tags", "is_retrievable", "key_prefix", "version", "created_on", "updated_on", "has_lookalike_keys", "on_leak", "token_issuers") VALUES (1, 'bckt_0V8MevgG4FVgRrjnoIcevQZ6', 1, 'main', NULL, NULL, 1, 'tg', 1, 1768471200000, 1768471200000, 0, 'mark', NULL);
INSERT INTO consumers ("seq", "id", "bucket_seq", "name", "description", "tags", "metadata", "version", "created_on", "updated_on", "is_suspended", "suspension_reason") VALUES (1, 'csmr_0V8MevgG4FViRqn4kbD4QLwq', 1, 'acme', NULL, '{"region":"eu"}', '{"plan":"gold","nested":{"text":"it''s \"quoted\"\nand long: äöü 😀"}}', 1, 1768471200000, 1768471200000, 0, NULL);
INSERT INTO consumers ("seq", "id", "bucket_seq", "name", "description", "tags", "metadata", "version", "created_on", "updated_on", "is_suspended", "suspension_reason") VALUES (2, 'csmr_0V8MevgG4FW1FibDveebC1yc', 1, 'beta', NULL, NULL, NULL, 1, 1768471200000, 1768471200000, 0, NULL);
INSERT INTO consumer_tags ("bucket_seq", "name", "value", "consumer_seq") VALUES (1, 'region', 'eu', 1);
INSERT INTO managers ("seq", "id", "bucket_seq", "consumer_seq", "sub", "email", "email_key", "created_on", "scopes", "version", "issuer") VALUES (1, 'mngr_0V8MevgG4FVxf7h7ui4DLhBy', 1, 1, 'auth|jo', 'jo@example.com', 'jo@example.com', 1768471200000, NULL, 1, NULL);
INSERT INTO manager_invites ("seq", "id", "bucket_seq", "consumer_seq", "email", "email_key", "created_on", "expires_on", "scopes") VALUES (1, 'mngi_0V8MevgG4FVzyynCIrWn7hsI', 1, 1, 'kim@example.com', 'kim@example.com', 1768471200000, 1769076000000, NULL);
INSERT INTO api_keys ("seq", "id", "bucket_seq", "consumer_seq", "hash", "suffix", "sealed", "description", "expires_on", "version", "created_on", "updated_on", "is_enabled", "permissions", "allowed_ips", "rate_limit", "metadata", "last_used_on", "leak") VALUES (1, 'key_0V8MevgG4FVkwWq7r8QmfVN1', 1, 1, X'a5525410be5f55fd65598235d0b4a26773d1bcf3320f192de7f7415fb80b3585', 'dcbab37f', X'4fe8a503345806cd472ea4295fb05ffb73f4b87328556e2598b4e1fecc1914cc19156cadc53ddc6065e3889a4c0cf7eb4130d75263a8900d1734bcd81ff15390493eeecb393a21b3858fff1c', 'generated', NULL, 1, 1768471200000, 1768471200000, 1, NULL, NULL, NULL, NULL, 1768471200000, NULL);
INSERT INTO api_keys ("seq", "id", "bucket_seq", "consumer_seq", "hash", "suffix", "sealed", "description", "expires_on", "version", "created_on", "updated_on", "is_enabled", "permissions", "allowed_ips", "rate_limit", "metadata", "last_used_on", "leak") VALUES (2, 'key_0V8MevgG4FVnDax3WHeimySK', 1, 1, X'fec03ca1d61f2502b9e60496092d12d55dc7665b23ddc3306477e78c1b957699', 'er-1234', X'4fe8a503ed5db9349e1ebeffe9f170651d81d28c6605950c3ec8bb9547436328dcafd4a8bac5365983834170985cd0e41f71348c246433c666a88fea53', NULL, NULL, 1, 1768471200000, 1768471200000, 1, NULL, NULL, NULL, NULL, 1768471200000, NULL);
INSERT INTO api_keys ("seq", "id", "bucket_seq", "consumer_seq", "hash", "suffix", "sealed", "description", "expires_on", "version", "created_on", "updated_on", "is_enabled", "permissions", "allowed_ips", "rate_limit", "metadata", "last_used_on", "leak") VALUES (3, 'key_0V8MevgG4FVqMGrDgBphaZkx', 1, 1, X'6fe781bb3b16f9be000e921f328cd92863fda9f0e0fb521d803b8c4a34026a97', '73750b7d', X'4fe8a5034dcb9b65f5f0d4a9863aeebea3de97bb11dd72128ce1e845fd1590227a66649151e06715bc75e34c45ee4674f3988d79e41d2ac17564d4eab0e9ca3e4916a692825da95b36635eff', 'expired', 1768471199000, 1, 1768471200000, 1768471200000, 1, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO api_keys ("seq", "id", "bucket_seq", "consumer_seq", "hash", "suffix", "sealed", "description", "expires_on", "version", "created_on", "updated_on", "is_enabled", "permissions", "allowed_ips", "rate_limit", "metadata", "last_used_on", "leak") VALUES (4, 'key_0V8MevgG4FW3Jf7GEMvyYMiS', 1, 1, X'd3f7488ae57a5e426147c4eb97ee27f21c9b019f3efa0a9e10ab0954726249a6', 'e0608d4d', X'4fe8a503afbeb3d9be71f1f3c72fc5857416f2350be803393d8fa47c33a891a4809e5c4e646ae8f1d0af0c1678c39908f0de899911159ade80a37e5a18a67286f05fff90ae1e48c6cdcb56c7', 'once', NULL, 1, 1768471200000, 1768471200000, 1, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('bckt_0V8MevgG4FVgRrjnoIcevQZ6', '', 0, 0, 2);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('bckt_0V8MevgG4FVgRrjnoIcevQZ6', '["region","eu"]', 0, 0, 1);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('bckt_0V8MevgG4FVgRrjnoIcevQZ6', 'keys', 0, 0, 4);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('bckt_0V8MevgG4FVgRrjnoIcevQZ6', 'keys ["region","eu"]', 0, 0, 4);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('mtr_0V8MevgG4FW5KJR1Mw7x16IU', 'customers', 0, 0, 1);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('mtr_0V8MevgG4FW5KJR1Mw7x16IU', 'subscriptions', 0, 0, 1);
INSERT INTO idempotency_keys ("credential", "key", "fingerprint", "answer", "created_on") VALUES ('tokn_0V8MevgG4FVeoL3rRQRQRLfe', 'released', X'fb0da8380c915c6c412f57d77e8d28fed4223ef15ef2816e47717e8f7ea27902', X'4fe8a503dd5a5e6bb3cca5a40ccffdbae1eeea5e487152ec0835c72cdf1ebba90f81ea84b04f1a4c44edfc2950ff4b82679099eb2ac316df183db97529a7c2647757f73ff5cc8855e75883e742337f03260c71eaa9edff360568748b24f51003e03639771651772d16a8112cd92317dba2d2608ef77c39fe36f2c64b292988f19499ea327e063e58e0bd9db658f0a59f1d5cdc64126f43a7ce1257cd97aa5462a4535a0525aa01666dd5c13fc581f973976fb695cfe57608bc624c497f4047b211edfea6b3c6e084f61584918e9414da4360d17bda7f29c59a20a107a12bd0025f465228478fbc492ca57034501eaa221b2f4d6e53d3c22dfb20703e016e992f78b7552dfd0c1db18e36af230632266167d0f969145d900ae6d203db5edbd5d8be8d046b29070e1702534e8c490f1e18aa9afd15630b5a79064187926c89c81a28713745a2b3909d771739a9719ec16bb1dc75362422c0957a9d1cef1017e34459166b4a9d11a84179e19c12be448a6c33fa2f8bc4bb977d46b492e1785bcabd5907d70c23a575b05a721787e33d12f3016990e6fc00292490774826621e3fc2cc92b67e', 1768471200000);
INSERT INTO encryption_keys ("name", "created_on") VALUES ('4fe8a503', 1768471200000);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (1, 1768471200000, 'local', 1, 'system', 'account.created', 'acct_0V8MevgG4FVcK72pXSeGFkcz', NULL, '{"id":"audt_0V8MevgG4FVdKX6KYNGIld8e","time":"2026-01-15T10:00:00.000Z","action":"account.created","actor":{"type":"system","id":"system"},"resource":{"type":"account","id":"acct_0V8MevgG4FVcK72pXSeGFkcz","name":"default"},"changes":[{"pointer":"","after":{"id":"acct_0V8MevgG4FVcK72pXSeGFkcz","name":"default","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (2, 1768471200000, 'local', 1, 'system', 'token.created', 'tokn_0V8MevgG4FVeoL3rRQRQRLfe', NULL, '{"id":"audt_0V8MevgG4FVfNEGUVvyaXaBw","time":"2026-01-15T10:00:00.000Z","action":"token.created","actor":{"type":"system","id":"system"},"resource":{"type":"token","id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","name":"TOLLGATE_ADMIN_TOKEN"},"changes":[{"pointer":"","after":{"id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","role":"admin","createdOn":"2026-01-15T10:00:00.000Z","name":"TOLLGATE_ADMIN_TOKEN"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (3, 1768471200000, 'local', 1, 'tokn_0V8MevgG4FVeoL3rRQRQRLfe', 'bucket.created', 'bckt_0V8MevgG4FVgRrjnoIcevQZ6', '{"name":"main"}', '{"id":"audt_0V8MevgG4FVhXgIiTX8lGh2L","time":"2026-01-15T10:00:00.000Z","action":"bucket.created","actor":{"type":"token","id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"bucket","id":"bckt_0V8MevgG4FVgRrjnoIcevQZ6","name":"main"},"requestId":"e8a0c311-d4f4-48d2-b6c8-3f49a69e7e7d","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"bckt_0V8MevgG4FVgRrjnoIcevQZ6","name":"main","isRetrievable":true,"keyPrefix":"tg","onLeak":"mark","tokenIssuers":[],"createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (4, 1768471200000, 'local', 1, 'tokn_0V8MevgG4FVeoL3rRQRQRLfe', 'consumer.created', 'csmr_0V8MevgG4FViRqn4kbD4QLwq', NULL, '{"id":"audt_0V8MevgG4FVjTLnMtdsh8RmM","time":"2026-01-15T10:00:00.000Z","action":"consumer.created","actor":{"type":"token","id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"consumer","id":"csmr_0V8MevgG4FViRqn4kbD4QLwq","name":"acme","parent":{"type":"bucket","id":"bckt_0V8MevgG4FVgRrjnoIcevQZ6","name":"main"}},"requestId":"7d3d6a45-a579-43ce-8da0-b12b794832cc","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"csmr_0V8MevgG4FViRqn4kbD4QLwq","name":"acme","tags":{"region":"eu"},"metadata":{"plan":"gold","nested":{"text":"it''s \"quoted\"\nand long: äöü 😀"}},"createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, 'bckt_0V8MevgG4FVgRrjnoIcevQZ6', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (5, 1768471200000, 'local', 1, 'tokn_0V8MevgG4FVeoL3rRQRQRLfe', 'key.created', 'csmr_0V8MevgG4FViRqn4kbD4QLwq', '{"keyIds":["key_0V8MevgG4FVkwWq7r8QmfVN1"]}', '{"id":"audt_0V8MevgG4FVloSfBCd7cUUkd","time":"2026-01-15T10:00:00.000Z","action":"key.created","actor":{"type":"token","id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG4FVkwWq7r8QmfVN1","parent":{"type":"consumer","id":"csmr_0V8MevgG4FViRqn4kbD4QLwq","name":"acme"}},"requestId":"9903995f-deed-42e8-9650-883965caf238","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"key_0V8MevgG4FVkwWq7r8QmfVN1","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"generated","isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgG4FVkwWq7r8QmfVN1","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"generated","isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgG4FVgRrjnoIcevQZ6","name":"main"}}', 'key_0V8MevgG4FVkwWq7r8QmfVN1', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (6, 1768471200000, 'local', 1, 'tokn_0V8MevgG4FVeoL3rRQRQRLfe', 'key.revealed', 'key_0V8MevgG4FVkwWq7r8QmfVN1', NULL, '{"id":"audt_0V8MevgG4FVmTO38MsQabQZT","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG4FVkwWq7r8QmfVN1","parent":{"type":"consumer","id":"csmr_0V8MevgG4FViRqn4kbD4QLwq","name":"acme"}},"requestId":"6e326df6-31e6-4d8d-8c23-d58c1841eccf","ip":"127.0.0.1","changes":[],"counts":{"keys":1}}', NULL, 'csmr_0V8MevgG4FViRqn4kbD4QLwq', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (7, 1768471200000, 'local', 1, 'tokn_0V8MevgG4FVeoL3rRQRQRLfe', 'key.created', 'csmr_0V8MevgG4FViRqn4kbD4QLwq', '{"keyIds":["key_0V8MevgG4FVnDax3WHeimySK"]}', '{"id":"audt_0V8MevgG4FVoqxsvZIVbhEPm","time":"2026-01-15T10:00:00.000Z","action":"key.created","actor":{"type":"token","id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG4FVnDax3WHeimySK","parent":{"type":"consumer","id":"csmr_0V8MevgG4FViRqn4kbD4QLwq","name":"acme"}},"requestId":"9d3c73bf-4009-47a9-a8fd-f88dcd131710","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"key_0V8MevgG4FVnDax3WHeimySK","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgG4FVnDax3WHeimySK","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgG4FVgRrjnoIcevQZ6","name":"main"}}', 'key_0V8MevgG4FVnDax3WHeimySK', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (8, 1768471200000, 'local', 1, 'tokn_0V8MevgG4FVeoL3rRQRQRLfe', 'key.revealed', 'key_0V8MevgG4FVnDax3WHeimySK', NULL, '{"id":"audt_0V8MevgG4FVpo29nEP8CxiyR","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG4FVnDax3WHeimySK","parent":{"type":"consumer","id":"csmr_0V8MevgG4FViRqn4kbD4QLwq","name":"acme"}},"requestId":"197f629a-5c24-44eb-b208-bbbea2cb42fe","ip":"127.0.0.1","changes":[],"counts":{"keys":1}}', NULL, 'csmr_0V8MevgG4FViRqn4kbD4QLwq', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (9, 1768471200000, 'local', 1, 'tokn_0V8MevgG4FVeoL3rRQRQRLfe', 'key.created', 'csmr_0V8MevgG4FViRqn4kbD4QLwq', '{"keyIds":["key_0V8MevgG4FVqMGrDgBphaZkx"]}', '{"id":"audt_0V8MevgG4FVrM3oPDKakjQtt","time":"2026-01-15T10:00:00.000Z","action":"key.created","actor":{"type":"token","id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG4FVqMGrDgBphaZkx","parent":{"type":"consumer","id":"csmr_0V8MevgG4FViRqn4kbD4QLwq","name":"acme"}},"requestId":"19005c0f-4ba4-4d48-b87b-314454238500","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"key_0V8MevgG4FVqMGrDgBphaZkx","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":"2026-01-15T09:59:59.000Z","description":"expired","isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgG4FVqMGrDgBphaZkx","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":"2026-01-15T09:59:59.000Z","description":"expired","isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgG4FVgRrjnoIcevQZ6","name":"main"}}', 'key_0V8MevgG4FVqMGrDgBphaZkx', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (10, 1768471200000, 'local', 1, 'tokn_0V8MevgG4FVeoL3rRQRQRLfe', 'key.revealed', 'key_0V8MevgG4FVqMGrDgBphaZkx', NULL, '{"id":"audt_0V8MevgG4FVsDhoyEoUi0cMD","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG4FVqMGrDgBphaZkx","parent":{"type":"consumer","id":"csmr_0V8MevgG4FViRqn4kbD4QLwq","name":"acme"}},"requestId":"7389c30a-1eae-47cb-9ad4-436a848209a2","ip":"127.0.0.1","changes":[],"counts":{"keys":1}}', NULL, 'csmr_0V8MevgG4FViRqn4kbD4QLwq', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (11, 1768471200000, 'local', 1, 'tokn_0V8MevgG4FVeoL3rRQRQRLfe', 'key.created', 'csmr_0V8MevgG4FViRqn4kbD4QLwq', '{"keyIds":["key_0V8MevgG4FVtfwYb2E0aaW8F"]}', '{"id":"audt_0V8MevgG4FVuiZRr7bbVZufZ","time":"2026-01-15T10:00:00.000Z","action":"key.created","actor":{"type":"token","id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG4FVtfwYb2E0aaW8F","parent":{"type":"consumer","id":"csmr_0V8MevgG4FViRqn4kbD4QLwq","name":"acme"}},"requestId":"b5d0a8a9-77fb-4790-b507-0dda46a72d15","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"key_0V8MevgG4FVtfwYb2E0aaW8F","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"revoked","isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgG4FVtfwYb2E0aaW8F","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"revoked","isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgG4FVgRrjnoIcevQZ6","name":"main"}}', 'key_0V8MevgG4FVtfwYb2E0aaW8F', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (12, 1768471200000, 'local', 1, 'tokn_0V8MevgG4FVeoL3rRQRQRLfe', 'key.revealed', 'key_0V8MevgG4FVtfwYb2E0aaW8F', NULL, '{"id":"audt_0V8MevgG4FVvbaCqMfl2fvgM","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG4FVtfwYb2E0aaW8F","parent":{"type":"consumer","id":"csmr_0V8MevgG4FViRqn4kbD4QLwq","name":"acme"}},"requestId":"3cd00a2b-12db-4d61-9a3a-b7f98694a886","ip":"127.0.0.1","changes":[],"counts":{"keys":1}}', NULL, 'csmr_0V8MevgG4FViRqn4kbD4QLwq', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (13, 1768471200000, 'local', 1, 'tokn_0V8MevgG4FVeoL3rRQRQRLfe', 'key.deleted', 'key_0V8MevgG4FVtfwYb2E0aaW8F', '{"bucketSeq":1,"hash":"qfgm+5A1jqLy697M5Vam2IcbheOLUrg9VOeRXz6CnLE="}', '{"id":"audt_0V8MevgG4FVwUO4c2gAYpe98","time":"2026-01-15T10:00:00.000Z","action":"key.deleted","actor":{"type":"token","id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG4FVtfwYb2E0aaW8F","parent":{"type":"consumer","id":"csmr_0V8MevgG4FViRqn4kbD4QLwq","name":"acme"}},"requestId":"1154e7d3-5f44-4f15-ba45-2047dff7b851","ip":"127.0.0.1","changes":[{"pointer":"","before":{"id":"key_0V8MevgG4FVtfwYb2E0aaW8F","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"revoked","isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgG4FVtfwYb2E0aaW8F","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"revoked","isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgG4FVgRrjnoIcevQZ6","name":"main"}}', 'csmr_0V8MevgG4FViRqn4kbD4QLwq', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (14, 1768471200000, 'local', 1, 'tokn_0V8MevgG4FVeoL3rRQRQRLfe', 'manager.created', 'mngr_0V8MevgG4FVxf7h7ui4DLhBy', '{"consumerId":"csmr_0V8MevgG4FViRqn4kbD4QLwq"}', '{"id":"audt_0V8MevgG4FVyzuLkgvBx8Z5h","time":"2026-01-15T10:00:00.000Z","action":"manager.created","actor":{"type":"token","id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"manager","id":"mngr_0V8MevgG4FVxf7h7ui4DLhBy","name":"jo@example.com","parent":{"type":"consumer","id":"csmr_0V8MevgG4FViRqn4kbD4QLwq","name":"acme"}},"requestId":"6add9672-d1c1-4964-9085-8acc94296f8d","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"mngr_0V8MevgG4FVxf7h7ui4DLhBy","createdOn":"2026-01-15T10:00:00.000Z","email":"jo@example.com","sub":"auth|jo"}}]}', NULL, 'csmr_0V8MevgG4FViRqn4kbD4QLwq', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (15, 1768471200000, 'local', 1, 'tokn_0V8MevgG4FVeoL3rRQRQRLfe', 'manager-invite.created', 'mngi_0V8MevgG4FVzyynCIrWn7hsI', '{"consumerId":"csmr_0V8MevgG4FViRqn4kbD4QLwq"}', '{"id":"audt_0V8MevgG4FW00CdYetKA9uu8","time":"2026-01-15T10:00:00.000Z","action":"manager-invite.created","actor":{"type":"token","id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"manager-invite","id":"mngi_0V8MevgG4FVzyynCIrWn7hsI","name":"kim@example.com","parent":{"type":"consumer","id":"csmr_0V8MevgG4FViRqn4kbD4QLwq","name":"acme"}},"requestId":"2443fe58-d7eb-4c53-9969-eeaf1b270aac","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"mngi_0V8MevgG4FVzyynCIrWn7hsI","email":"kim@example.com","createdOn":"2026-01-15T10:00:00.000Z","expiresOn":"2026-01-22T10:00:00.000Z"}}]}', NULL, 'csmr_0V8MevgG4FViRqn4kbD4QLwq', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (16, 1768471200000, 'local', 1, 'tokn_0V8MevgG4FVeoL3rRQRQRLfe', 'consumer.created', 'csmr_0V8MevgG4FW1FibDveebC1yc', NULL, '{"id":"audt_0V8MevgG4FW2wDa3X16KzDZx","time":"2026-01-15T10:00:00.000Z","action":"consumer.created","actor":{"type":"token","id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"consumer","id":"csmr_0V8MevgG4FW1FibDveebC1yc","name":"beta","parent":{"type":"bucket","id":"bckt_0V8MevgG4FVgRrjnoIcevQZ6","name":"main"}},"requestId":"d8df11e4-8d60-4563-9126-0e8841967c65","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"csmr_0V8MevgG4FW1FibDveebC1yc","name":"beta","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, 'bckt_0V8MevgG4FVgRrjnoIcevQZ6', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (17, 1768471200000, 'local', 1, 'tokn_0V8MevgG4FVeoL3rRQRQRLfe', 'key.created', 'csmr_0V8MevgG4FViRqn4kbD4QLwq', '{"keyIds":["key_0V8MevgG4FW3Jf7GEMvyYMiS"]}', '{"id":"audt_0V8MevgG4FW45gWpQ9OrQNSO","time":"2026-01-15T10:00:00.000Z","action":"key.created","actor":{"type":"token","id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"key","id":"key_0V8MevgG4FW3Jf7GEMvyYMiS","parent":{"type":"consumer","id":"csmr_0V8MevgG4FViRqn4kbD4QLwq","name":"acme"}},"requestId":"4b17bada-0cd2-4010-85c0-a0405d20f4f5","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"key_0V8MevgG4FW3Jf7GEMvyYMiS","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"once","isEnabled":true,"lastUsedOn":null}}]}', '{"id":"key_0V8MevgG4FW3Jf7GEMvyYMiS","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","expiresOn":null,"description":"once","isEnabled":true,"lastUsedOn":null,"bucket":{"id":"bckt_0V8MevgG4FVgRrjnoIcevQZ6","name":"main"}}', 'key_0V8MevgG4FW3Jf7GEMvyYMiS', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (18, 1768471200000, 'local', 1, 'tokn_0V8MevgG4FVeoL3rRQRQRLfe', 'metering-bucket.created', 'mtr_0V8MevgG4FW5KJR1Mw7x16IU', '{}', '{"id":"audt_0V8MevgG4FW6LFIJGPnKFmuo","time":"2026-01-15T10:00:00.000Z","action":"metering-bucket.created","actor":{"type":"token","id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"metering-bucket","id":"mtr_0V8MevgG4FW5KJR1Mw7x16IU"},"requestId":"881ff187-4c09-4d69-8155-a3e8c76caece","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"mtr_0V8MevgG4FW5KJR1Mw7x16IU","accountName":"default","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (19, 1768471200000, 'local', 1, 'tokn_0V8MevgG4FVeoL3rRQRQRLfe', 'plan.created', 'plan_0V8MevgG4FW7zqnrA8Q4b1I5', '{"bucketId":"mtr_0V8MevgG4FW5KJR1Mw7x16IU"}', '{"id":"audt_0V8MevgG4FW8Zudg0pxquFNV","time":"2026-01-15T10:00:00.000Z","action":"plan.created","actor":{"type":"token","id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"plan","id":"plan_0V8MevgG4FW7zqnrA8Q4b1I5","name":"price-1","parent":{"type":"metering-bucket","id":"mtr_0V8MevgG4FW5KJR1Mw7x16IU"}},"requestId":"f92dbfef-31e4-4e34-ab14-d63bf653bb43","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"plan_0V8MevgG4FW7zqnrA8Q4b1I5","label":"Gold","planExternalId":"price-1","meters":{"requests":{"label":"Requests","max":100}},"hasSubscriptions":false,"createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, 'mtr_0V8MevgG4FW5KJR1Mw7x16IU', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (20, 1768471200000, 'local', 1, 'tokn_0V8MevgG4FVeoL3rRQRQRLfe', 'subscription.created', 'sbsc_0V8MevgG4FW9gbjgERvxMDiC', '{"bucketId":"mtr_0V8MevgG4FW5KJR1Mw7x16IU","customerKey":"acme"}', '{"id":"audt_0V8MevgG4FWAVFABUDs9DlZ2","time":"2026-01-15T10:00:00.000Z","action":"subscription.created","actor":{"type":"token","id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"subscription","id":"sbsc_0V8MevgG4FW9gbjgERvxMDiC","name":"sub-2","parent":{"type":"metering-bucket","id":"mtr_0V8MevgG4FW5KJR1Mw7x16IU"}},"requestId":"71b83db3-60c9-4eae-8936-566eb3c44737","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"sbsc_0V8MevgG4FW9gbjgERvxMDiC","planIds":["plan_0V8MevgG4FW7zqnrA8Q4b1I5"],"planExternalIds":["price-1"],"status":"active","type":"periodic","renewalStrategy":"monthly","region":"europe-west4","customerKey":"acme","subscriptionExternalId":"sub-2","customerExternalId":"cus_1","quotaResetAnchor":"2026-01-15T10:00:00.000Z","nextBillingCycle":"2026-02-15T10:00:00.000Z","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z"}}]}', NULL, 'mtr_0V8MevgG4FW5KJR1Mw7x16IU', 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (21, 1768471200000, 'local', 1, 'tokn_0V8MevgG4FVeoL3rRQRQRLfe', 'usage.recorded', 'mtr_0V8MevgG4FW5KJR1Mw7x16IU', '{"events":1}', NULL, NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (22, 1768471200000, 'local', 1, 'tokn_0V8MevgG4FVeoL3rRQRQRLfe', 'token.created', 'tokn_0V8MevgG4FWB4YKjAlah9Agl', NULL, '{"id":"audt_0V8MevgG4FWCucqHGEB8Hu0u","time":"2026-01-15T10:00:00.000Z","action":"token.created","actor":{"type":"token","id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"token","id":"tokn_0V8MevgG4FWB4YKjAlah9Agl","name":"dashboard"},"requestId":"9c401c65-346a-4ab1-8c99-53bb14daed76","ip":"127.0.0.1","changes":[{"pointer":"","after":{"id":"tokn_0V8MevgG4FWB4YKjAlah9Agl","role":"reader","createdOn":"2026-01-15T10:00:00.000Z","name":"dashboard"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (23, 1768471200000, 'local', 1, 'tokn_0V8MevgG4FVeoL3rRQRQRLfe', 'deployment.created', 'shop-main-f423b9c', NULL, '{"id":"audt_0V8MevgG4FWDdeA59CgLVmEb","time":"2026-01-15T10:00:00.000Z","action":"deployment.created","actor":{"type":"token","id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"deployment","id":"shop-main-f423b9c","name":"shop-main-f423b9c"},"requestId":"812fec09-7737-4e4a-9e23-78c93b1f6377","ip":"127.0.0.1","changes":[{"pointer":"","after":{"name":"shop-main-f423b9c","label":"main","urlParameter":"main","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","loggingId":"default::shop::main::f423b9c","accountName":"default","projectName":"shop","state":"PENDING","message":"","branchName":"main","environmentType":"PRODUCTION"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (24, 1768471200000, 'local', 1, 'tokn_0V8MevgG4FVeoL3rRQRQRLfe', 'deployment.upload-requested', 'shop-main-f423b9c', '{"statusId":"1b314c4f-edd0-43d5-9cb7-27d29e11711d"}', '{"id":"audt_0V8MevgG4FWEHhXTabkdoE36","time":"2026-01-15T10:00:00.000Z","action":"deployment.upload_requested","actor":{"type":"token","id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"deployment","id":"shop-main-f423b9c","name":"shop-main-f423b9c"},"requestId":"812fec09-7737-4e4a-9e23-78c93b1f6377","ip":"127.0.0.1","changes":[{"pointer":"","after":{"name":"shop-main-f423b9c","label":"main","urlParameter":"main","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","loggingId":"default::shop::main::f423b9c","accountName":"default","projectName":"shop","state":"PENDING","message":"","branchName":"main","environmentType":"PRODUCTION","statusId":"1b314c4f-edd0-43d5-9cb7-27d29e11711d"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (25, 1768471200000, 'local', 1, 'upload address', 'deployment.build-queued', 'shop-main-f423b9c', '{"statusId":"1b314c4f-edd0-43d5-9cb7-27d29e11711d"}', '{"id":"audt_0V8MevgG4FWF9aTLh6d7auH6","time":"2026-01-15T10:00:00.000Z","action":"deployment.uploaded","actor":{"type":"system","id":"upload address"},"resource":{"type":"deployment","id":"shop-main-f423b9c","name":"shop-main-f423b9c"},"requestId":"d1e5e9ba-e4b0-4139-8b4c-63ea25c65e69","ip":"127.0.0.1","changes":[{"pointer":"","after":{"name":"shop-main-f423b9c","label":"main","urlParameter":"main","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","loggingId":"default::shop::main::f423b9c","accountName":"default","projectName":"shop","state":"BUILDING","message":"","branchName":"main","environmentType":"PRODUCTION","statusId":"1b314c4f-edd0-43d5-9cb7-27d29e11711d"}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (26, 1768471200000, 'local', 1, 'system', 'deployment.activated', 'shop-main-f423b9c', '{"deploymentSeq":1,"accountName":"default","versionSeq":1,"versionNumber":1,"artifactHash":"b3e8b1814b42ac89e61a93c15597f77156ff99cfc7cff977742120d884cc229e"}', '{"id":"audt_0V8MevgG4FWJaF7LYEGQl6qL","time":"2026-01-15T10:00:00.000Z","action":"deployment.succeeded","actor":{"type":"system","id":"system"},"resource":{"type":"deployment","id":"shop-main-f423b9c","name":"shop-main-f423b9c"},"changes":[{"pointer":"","after":{"name":"shop-main-f423b9c","label":"main","urlParameter":"main","createdOn":"2026-01-15T10:00:00.000Z","updatedOn":"2026-01-15T10:00:00.000Z","loggingId":"default::shop::main::f423b9c","accountName":"default","projectName":"shop","state":"STARTED","message":"","branchName":"main","activeVersion":1,"environmentType":"PRODUCTION","version":1}}]}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (27, 1768471200000, 'local', 1, 'tokn_0V8MevgG4FVeoL3rRQRQRLfe', 'key.revealed', 'bckt_0V8MevgG4FVgRrjnoIcevQZ6', NULL, '{"id":"audt_0V8MevgG4FWOpR9iwwjE6kcO","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"bucket","id":"bckt_0V8MevgG4FVgRrjnoIcevQZ6","name":"main"},"requestId":"e4cdf521-b939-43a9-854e-c0d82af5ec7c","ip":"127.0.0.1","changes":[],"counts":{"keys":4}}', NULL, NULL, 1, NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data", "details", "state", "topics", "count", "pack") VALUES (28, 1768471200000, 'local', 1, 'tokn_0V8MevgG4FVeoL3rRQRQRLfe', 'key.revealed', 'csmr_0V8MevgG4FViRqn4kbD4QLwq', NULL, '{"id":"audt_0V8MevgG4FWPirZENmEpGq4c","time":"2026-01-15T10:00:00.000Z","action":"key.revealed","actor":{"type":"token","id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","name":"TOLLGATE_ADMIN_TOKEN"},"resource":{"type":"consumer","id":"csmr_0V8MevgG4FViRqn4kbD4QLwq","name":"acme"},"requestId":"e922cdb6-771b-41a6-8e81-1a94f80398b4","ip":"127.0.0.1","changes":[],"counts":{"keys":4}}', NULL, NULL, 1, NULL);
INSERT INTO metering_buckets ("seq", "id", "account_seq", "version", "created_on", "updated_on", "name", "test_clock", "key_bucket") VALUES (1, 'mtr_0V8MevgG4FW5KJR1Mw7x16IU', 1, 1, 1768471200000, 1768471200000, NULL, NULL, NULL);
INSERT INTO plans ("seq", "id", "bucket_seq", "external_id", "label", "meters", "trial_days", "trial_end_status", "is_trial_collect_payment", "version", "created_on", "updated_on", "price", "rates", "features", "description", "is_public", "list_position", "rollover") VALUES (1, 'plan_0V8MevgG4FW7zqnrA8Q4b1I5', 1, 'price-1', 'Gold', '{"requests":{"label":"Requests","max":100}}', NULL, NULL, NULL, 1, 1768471200000, 1768471200000, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO subscriptions ("seq", "id", "bucket_seq", "status", "renewal_strategy", "region", "customer_key", "external_id", "customer_external_id", "quota_reset_anchor", "metadata", "trial_end_status", "trial_start_date", "trial_end_date", "next_billing_cycle", "product_key", "allowance_period", "allowance", "version", "created_on", "updated_on", "renews_on", "bills_on", "blocks_on", "payment", "billing", "has_credits", "expires_on", "former_bucket_seq") VALUES (1, 'sbsc_0V8MevgG4FW9gbjgERvxMDiC', 1, 'active', 'monthly', 'europe-west4', 'acme', 'sub-2', 'cus_1', 1768471200000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 1768471200000, 1768471200000, 1771149600000, NULL, NULL, NULL, NULL, 0, NULL, NULL);
INSERT INTO subscription_plans ("subscription_seq", "position", "plan_seq") VALUES (1, 0, 1);
INSERT INTO usage_counters ("subscription_seq", "period_start", "meter", "events", "whole", "billionths", "removed_events", "removed_whole", "removed_billionths", "consumed_whole", "consumed_billionths", "is_unchecked", "announced_percent", "announced_max", "version") VALUES (1, 1768471200000, 'requests', 1, 7, 0, 0, 0, 0, 6, 0, 1, 0, NULL, 2);
INSERT INTO usage_events ("seq", "bucket_seq", "source", "event_id", "part", "subscription_seq", "time", "period_start", "received_on", "meter", "whole", "billionths", "voided_on") VALUES (1, 1, 'gateway', 'event-3', 0, 1, 1768471200000, 1768471200000, 1768471200000, 'requests', 7, 0, NULL);
INSERT INTO deployments ("seq", "account_seq", "name", "project", "branch", "code", "message", "active_version_seq", "source_seq", "version", "created_on", "updated_on") VALUES (1, 1, 'shop-main-f423b9c', 'shop', 'main', 'f423b9c', '', 1, 1, 3, 1768471200000, 1768471200000);
INSERT INTO deployment_builds ("seq", "id", "deployment_seq", "state", "upload_hash", "upload_until", "source_seq", "steps", "result", "worker", "worker_until", "attempts", "version", "created_on", "updated_on", "is_staged", "is_preview_only", "author", "note", "is_limited") VALUES (1, '1b314c4f-edd0-43d5-9cb7-27d29e11711d', 1, 'succeeded', X'c858640ed08de359bc635b764bd01c1554f626588db11d88fbd30de2e389f40e', 1768474800000, 1, '{"upload":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.000Z","finishedOn":"2026-01-15T10:00:00.000Z"},"unpack":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.000Z","finishedOn":"2026-01-15T10:00:00.001Z"},"validate":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.001Z","finishedOn":"2026-01-15T10:00:00.103Z"},"build":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.103Z","finishedOn":"2026-01-15T10:00:00.129Z"},"start":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.000Z","finishedOn":"2026-01-15T10:00:00.000Z"}}', '{"success":true,"durationMs":190,"artifact":{"sha256":"b3e8b1814b42ac89e61a93c15597f77156ff99cfc7cff977742120d884cc229e","bytes":2275},"routes":1,"warnings":[],"errors":[]}', NULL, 1768471210000, 1, 7, 1768471200000, 1768471200000, 0, 0, '{"type":"token","id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","name":"TOLLGATE_ADMIN_TOKEN"}', NULL, 0);
INSERT INTO deployment_sources ("seq", "deployment_seq", "created_on", "is_limited") VALUES (1, 1, 1768471200000, 0);
INSERT INTO deployment_source_chunks ("source_seq", "position", "data") VALUES (1, 0, X'1f8b0800000000000003ed565d6fd33014ed737fc5959f36d16636eb072ab047d0407be9d87840d36492bbd634b133db595b55f9efc84eda2551371e609d90721ee2e49e6bdfe3c83eb64a51f25404bf8c929d1702a5743418806b29a5cd96323aa250be7b823236648eef1c0099b15c77e85fd76a4eee3fc1a60b4054b108c804c869c0024a7a2e2ae49d2213701900c40a1ba3cbf886c6fa0400f280da08255d98912e40ee3ba6dccecd63cf9339c6b13ad9489e60be0b039019daca2700d16852250dface7eac9248b9e6095ad48ef9b18b43a5b3cf73259c18dff6ea9cf0329db626a3f13e131a233201ab336cb0269c63c26b424bc6ae535fcd582de4cccdff117977dffb4d654eabbe55713ce3161b63933997518cda0d9da8288bd114bf30b0a6269da42a16a1c0e64f01200b5cd77301c87da62c6f066391085b957ed36dca2e5af7ccbbf96bafd716ff16db35f89207c01ffc9f8e86c3a6ff8f296bfdff60fe5ff191d2b3bd7f54ac7a6b753c15fd05ae772e42546a8592d55c00f2330b17dedb49c28524751f298f8ec28df694a8dbd47305ce9d6393c4ea5b7afdee021f669f079fbe0fbf7e99b28be578c546e75715b723bbf3a3e6b5cefbd15817674f395fa9b8b0ca3d8a35b7d82fd8e765578b514a2be29642466a7989a19291a347f440e6db3c605e63ffb3316becffb7a774dceeff430057a9d21622bce3596ce1e87602d36295f62054d2e2ca4e6003fe02661c172a1d7d286e3c3d28da33c88fe1e319485cc2b4bcc21d11bfa280c09bed38413148e02e67c7ef0f32bb162d5ab468d17902bf0145a8448e00120000');
INSERT INTO deployment_artifacts ("deployment_seq", "hash", "data") VALUES (1, 'b3e8b1814b42ac89e61a93c15597f77156ff99cfc7cff977742120d884cc229e', '{"format":1,"environment":{},"policies":{"keys":{"type":"api-key","options":{"bucket":"main","header":"authorization","scheme":"Bearer","allowAnonymous":false,"oauth":false}},"quota":{"type":"quota","options":{"bucketId":"mtr_0V8MevgG4FW5KJR1Mw7x16IU","meters":{"requests":1},"statuses":["1xx","2xx","3xx","4xx"],"overQuota":"reject"}},"limit":{"type":"rate-limit","options":{"by":"consumer","requests":1000,"windowSeconds":60,"window":"fixed","legacyHeaders":true}}},"routes":[{"path":"/hello/{name}","method":"GET","target":{"handler":"modules/hello.ts"},"policies":["keys","quota","limit"],"timeoutSeconds":30}],"document":{"file":"openapi.json","text":"{\n  \"openapi\": \"3.1.0\",\n  \"info\": {\n    \"title\": \"Test\",\n    \"version\": \"1\"\n  },\n  \"paths\": {\n    \"/hello/{name}\": {\n      \"get\": {\n        \"responses\": {},\n        \"parameters\": [\n          {\n            \"name\": \"name\",\n            \"in\": \"path\",\n            \"required\": true,\n            \"schema\": {\n              \"type\": \"string\"\n            }\n          }\n        ],\n        \"x-tollgate\": {\n          \"handler\": \"modules/hello.ts\",\n          \"policies\": [\n            \"keys\",\n            \"quota\",\n            \"limit\"\n          ]\n        }\n      }\n    }\n  }\n}"},"site":"9f1e76c651892508eeb173853ce49ffaf159bdd257c8f414c852d1d4fe406f48","code":"var __defProp = Object.defineProperty;\nvar __export = (target, all) => {\n  for (var name in all)\n    __defProp(target, name, { get: all[name], enumerable: true });\n};\n\n// project:modules/hello.ts\nvar hello_exports = {};\n__export(hello_exports, {\n  default: () => hello_default\n});\nvar hello_default = (_, context) => new Response(\"hello \" + context.params.name);\n\n// all-modules.js\nvar all_modules_default = { \"modules/hello.ts\": hello_exports };\nexport {\n  all_modules_default as default\n};\n//# sourceMappingURL=data:application/json;base64,ewogICJ2ZXJzaW9uIjogMywKICAic291cmNlcyI6IFsicHJvamVjdDptb2R1bGVzL2hlbGxvLnRzIiwgImFsbC1tb2R1bGVzLmpzIl0sCiAgIm1hcHBpbmdzIjogIjs7Ozs7OztBQUFBO0FBQUE7QUFBQTtBQUFBO0FBQUEsSUFBTyxnQkFBUSxDQUFDLEdBQVksWUFBZ0QsSUFBSSxTQUFTLFdBQVcsUUFBUSxPQUFPLElBQUk7OztBQ0N2SCxJQUFPLHNCQUFRLEVBQUUsb0JBQW9CLGNBQVE7IiwKICAibmFtZXMiOiBbXQp9Cg==\n"}');
INSERT INTO deployment_versions ("seq", "id", "deployment_seq", "number", "build_id", "artifact_hash", "artifact_bytes", "routes", "created_on", "is_staged", "source_seq", "author", "note") VALUES (1, 'vrsn_0V8MevgG4FWH5MNbLZQb08I5', 1, 1, '1b314c4f-edd0-43d5-9cb7-27d29e11711d', 'b3e8b1814b42ac89e61a93c15597f77156ff99cfc7cff977742120d884cc229e', 2275, 1, 1768471200000, 0, 1, '{"type":"token","id":"tokn_0V8MevgG4FVeoL3rRQRQRLfe","name":"TOLLGATE_ADMIN_TOKEN"}', NULL);
INSERT INTO deployment_logs ("seq", "id", "deployment_seq", "time", "kind", "entry", "bytes") VALUES (1, 'log_0V8MevgG4FWG2TEQSHdJDhCt', 1, 1768471200000, 'build', '{"level":"info","message":"Build 1b314c4f-edd0-43d5-9cb7-27d29e11711d began."}', 228);
INSERT INTO deployment_logs ("seq", "id", "deployment_seq", "time", "kind", "entry", "bytes") VALUES (2, 'log_0V8MevgG4FWIhBCdTnZWwlvv', 1, 1768471200000, 'build', '{"level":"info","message":"Built version 1: 1 route, 2275 bytes."}', 216);
INSERT INTO deployment_logs ("seq", "id", "deployment_seq", "time", "kind", "entry", "bytes") VALUES (3, 'log_0V8MevgG4FWKhlKEoEjXCJgy', 1, 1768471200000, 'build', '{"level":"info","message":"Version 1 is live."}', 197);
INSERT INTO rate_limits ("scope", "subject", "window_start", "ends_on", "used") VALUES ('shop-main-f423b9c limit 60', 'csmr_0V8MevgG4FViRqn4kbD4QLwq', 1768471200000, 1768471260000, 1);
INSERT INTO deployment_log_sizes ("deployment_seq", "bytes") VALUES (1, 641);
INSERT INTO written_batches ("writer", "number", "written_on") VALUES ('361f3887-bd61-404b-9059-451578332760', 1, 1768471200000);
INSERT INTO written_batches ("writer", "number", "written_on") VALUES ('88a26188-d367-4444-ab62-9122eedb99b7', 1, 1768471200000);
INSERT INTO written_batches ("writer", "number", "written_on") VALUES ('8db0db5e-e529-4f02-8590-9d476a3202c0', 1, 1768471200000);
INSERT INTO written_batches ("writer", "number", "written_on") VALUES ('d3419652-4862-471f-9ef1-188187669881', 1, 1768471200000);
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "observed", "bytes_in", "bytes_out", "latency") VALUES (60000, 1768471200000, 0, 1, 1, 1, '', 200, '', 1, 0, 0, 0, 0, 8, X'5401');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "observed", "bytes_in", "bytes_out", "latency") VALUES (60000, 1768471200000, 1, 1, 1, 1, '/hello/{name}', 200, '', 1, 0, 0, 0, 0, 8, X'5401');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "observed", "bytes_in", "bytes_out", "latency") VALUES (60000, 1768471200000, 2, 1, 1, 1, '/hello/{name}', 200, 'acme', 1, 0, 0, 0, 0, 8, X'5401');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "observed", "bytes_in", "bytes_out", "latency") VALUES (60000, 1768471200000, 3, 1, 1, 1, 'key_0V8MevgG4FVkwWq7r8QmfVN1', 200, 'acme', 1, 0, 0, 0, 0, 8, X'5401');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "observed", "bytes_in", "bytes_out", "latency") VALUES (60000, 1768471200000, 6, 1, 1, 1, 'csmr_0V8MevgG4FViRqn4kbD4QLwq', 200, 'acme', 1, 0, 0, 0, 0, 8, X'5401');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "observed", "bytes_in", "bytes_out", "latency") VALUES (3600000, 1768471200000, 0, 1, 1, 1, '', 200, '', 1, 0, 0, 0, 0, 8, X'5401');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "observed", "bytes_in", "bytes_out", "latency") VALUES (3600000, 1768471200000, 1, 1, 1, 1, '/hello/{name}', 200, '', 1, 0, 0, 0, 0, 8, X'5401');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "observed", "bytes_in", "bytes_out", "latency") VALUES (3600000, 1768471200000, 2, 1, 1, 1, '/hello/{name}', 200, 'acme', 1, 0, 0, 0, 0, 8, X'5401');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "observed", "bytes_in", "bytes_out", "latency") VALUES (3600000, 1768471200000, 3, 1, 1, 1, 'key_0V8MevgG4FVkwWq7r8QmfVN1', 200, 'acme', 1, 0, 0, 0, 0, 8, X'5401');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "observed", "bytes_in", "bytes_out", "latency") VALUES (3600000, 1768471200000, 6, 1, 1, 1, 'csmr_0V8MevgG4FViRqn4kbD4QLwq', 200, 'acme', 1, 0, 0, 0, 0, 8, X'5401');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "observed", "bytes_in", "bytes_out", "latency") VALUES (86400000, 1768435200000, 0, 1, 1, 1, '', 200, '', 1, 0, 0, 0, 0, 8, X'5401');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "observed", "bytes_in", "bytes_out", "latency") VALUES (86400000, 1768435200000, 1, 1, 1, 1, '/hello/{name}', 200, '', 1, 0, 0, 0, 0, 8, X'5401');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "observed", "bytes_in", "bytes_out", "latency") VALUES (86400000, 1768435200000, 2, 1, 1, 1, '/hello/{name}', 200, 'acme', 1, 0, 0, 0, 0, 8, X'5401');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "observed", "bytes_in", "bytes_out", "latency") VALUES (86400000, 1768435200000, 3, 1, 1, 1, 'key_0V8MevgG4FVkwWq7r8QmfVN1', 200, 'acme', 1, 0, 0, 0, 0, 8, X'5401');
INSERT INTO traffic ("step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer", "requests", "rejected", "errors", "observed", "bytes_in", "bytes_out", "latency") VALUES (86400000, 1768435200000, 6, 1, 1, 1, 'csmr_0V8MevgG4FViRqn4kbD4QLwq', 200, 'acme', 1, 0, 0, 0, 0, 8, X'5401');
INSERT INTO traffic_deployments ("deployment_seq", "account_seq") VALUES (1, 1);
INSERT INTO usage_hours ("time", "subscription_seq", "period_start", "meter", "whole", "billionths") VALUES (1768471200000, 1, 1768471200000, 'requests', 13, 0);
INSERT INTO usage_days ("time", "subscription_seq", "period_start", "meter", "whole", "billionths") VALUES (1768435200000, 1, 1768471200000, 'requests', 13, 0);
INSERT INTO requests ("seq", "id", "account_seq", "deployment_seq", "version_seq", "is_failure", "time", "status", "method", "path", "route", "consumer", "request_id", "entry", "bytes") VALUES (1, 'req_0V8MevgG4FWLg1rcq7QHsVxm', 1, 1, 1, 0, 1768471200000, 200, 'GET', '/hello/jo', '/hello/{name}', 'acme', 'c6e99000-2370-4894-8ba3-f6fd151cff9c', '{"durationMs":14.88,"decisions":[{"policy":"keys","outcome":"passed","type":"api-key","ms":5.404},{"policy":"quota","outcome":"passed","type":"quota","ms":4.535},{"policy":"limit","outcome":"passed","type":"rate-limit","ms":0.472}],"ip":"127.0.0.1","consumerId":"csmr_0V8MevgG4FViRqn4kbD4QLwq","keyId":"key_0V8MevgG4FVkwWq7r8QmfVN1","target":{"kind":"handler","module":"modules/hello.ts","ms":4.124,"attempts":1}}', 822);
INSERT INTO request_sizes ("deployment_seq", "is_failure", "bytes") VALUES (1, 0, 822);
INSERT INTO feed_cursors ("reader", "position", "snapshot", "target") VALUES ('audit log', 26, NULL, NULL);
INSERT INTO feed_cursors ("reader", "position", "snapshot", "target") VALUES ('webhooks', 26, NULL, NULL);
INSERT INTO audit_chains ("account_seq", "account", "count", "hash", "sealed_on", "anchor", "anchor_hash", "oldest_on", "signed_count", "head") VALUES (1, 'acct_0V8MevgG4FVcK72pXSeGFkcz', 25, '6b5e42a50cdfc89ffdc2e2fbc44b5c2dcb0eebd59c7cca94b1c369af4e3b424b', 1768471200000, 0, '0000000000000000000000000000000000000000000000000000000000000000', 1768471200000, 0, NULL);
INSERT INTO audit_keys ("id", "public_key", "private_key", "created_on") VALUES ('55eaa585677a266f', 'S8F2lPGQCmJeqrLD8XCNRxEvsSRifsx5AZGgrUvjUQE', X'4fe8a503afd5210d7470c3ba263b1433a37cad302e6f0cd17246bdd54faf8be8d5029a55d0748891a1537b7269a5ae8ff89c29488f260b6c1b610496040364d61efed8ca1776d2f9ebe6e25f4f9445023beae77fa978cdc3a44f7cc3194c25a4f52b3e5133e3bfa14cbbaf56bc7ae81c2df530f9e98148d13bfb15dbeee073be96f1067c471864018aee23b3694349bdb4e49ec925c164', 1768471200000);
INSERT INTO webhook_timers ("name", "reached_time", "reached_seq") VALUES ('key.expired', 1768471200000, 9007199254740991);
INSERT INTO webhook_timers ("name", "reached_time", "reached_seq") VALUES ('key.expiring 1 days', 1768557600000, 9007199254740991);
INSERT INTO webhook_timers ("name", "reached_time", "reached_seq") VALUES ('key.expiring 7 days', 1769076000000, 9007199254740991);
INSERT INTO webhook_timers ("name", "reached_time", "reached_seq") VALUES ('subscription.trial_ending', 1768730400000, 9007199254740991);
INSERT INTO audit_segments ("account_seq", "number", "count", "lowest_id", "highest_id", "earliest", "latest", "hashes", "entries", "sealed_on") VALUES (1, 1, 2, 'audt_0V8MevgG4FVdKX6KYNGIld8e', 'audt_0V8MevgG4FVfNEGUVvyaXaBw', 1768471200000, 1768471200000, X'00000000000000000000000000000000000000000000000000000000000000008fd0663ca710dde3862f74a46d45208b5ece90700352e48267e3914ca4f552de48ad074429bc832c1b73ea041f097730d96567b1eab5eefa96f64aea1e294e7c', X'7b226964223a22617564745f3056384d65766747344656644b58364b594e47496c643865222c2274696d65223a22323032362d30312d31355431303a30303a30302e3030305a222c22616374696f6e223a226163636f756e742e63726561746564222c226163746f72223a7b2274797065223a2273797374656d222c226964223a2273797374656d227d2c227265736f75726365223a7b2274797065223a226163636f756e74222c226964223a22616363745f3056384d65766747344656634b37327058536547466b637a222c226e616d65223a2264656661756c74227d2c226368616e676573223a5b7b22706f696e746572223a22222c226166746572223a7b226964223a22616363745f3056384d65766747344656634b37327058536547466b637a222c226e616d65223a2264656661756c74222c22637265617465644f6e223a22323032362d30312d31355431303a30303a30302e3030305a222c22757064617465644f6e223a22323032362d30312d31355431303a30303a30302e3030305a227d7d5d7d0a7b226964223a22617564745f3056384d65766747344656664e4547555676796158614277222c2274696d65223a22323032362d30312d31355431303a30303a30302e3030305a222c22616374696f6e223a22746f6b656e2e63726561746564222c226163746f72223a7b2274797065223a2273797374656d222c226964223a2273797374656d227d2c227265736f75726365223a7b2274797065223a22746f6b656e222c226964223a22746f6b6e5f3056384d65766747344656656f4c337252515251524c6665222c226e616d65223a22544f4c4c474154455f41444d494e5f544f4b454e227d2c226368616e676573223a5b7b22706f696e746572223a22222c226166746572223a7b226964223a22746f6b6e5f3056384d65766747344656656f4c337252515251524c6665222c22726f6c65223a2261646d696e222c22637265617465644f6e223a22323032362d30312d31355431303a30303a30302e3030305a222c226e616d65223a22544f4c4c474154455f41444d494e5f544f4b454e227d7d5d7d', 1768471200000);
INSERT INTO audit_segments ("account_seq", "number", "count", "lowest_id", "highest_id", "earliest", "latest", "hashes", "entries", "sealed_on") VALUES (1, 3, 22, 'audt_0V8MevgG4FVhXgIiTX8lGh2L', 'audt_0V8MevgG4FWF9aTLh6d7auH6', 1768471200000, 1768471200000, X'48ad074429bc832c1b73ea041f097730d96567b1eab5eefa96f64aea1e294e7cc4e37edff3095ba6a74c25c0d6f98188f98bd5d1802c9dd1e4de324d0c5d6d5640b1f3e68bf26d3ba0e98b506d2e5bb06c1238c91d9434fce5e9357680807b1781759f21bcecb9a261540ab98b6fdd76a98f3f807f67da9d04909fff5c079cb61ada348524d1d3b1a5a16ea6d1023d8d8858b18d3c5c06b9affe4f7bd075040820016132d93994c6c7f401a024e073a8e4d1e1f4d6ca22925fad2f828343dcc64de014f44046d7b50c8a394f6637af82e14ae5212f1046d4051fb2255cce3795909e3d4ef2b4b42230f49b07c02bf02f595d1582b4340ac97e466428b8a2c50dc345fdfa109ba75939540940a030c3582815030821497f129bed20a3822a883afcd4a6b923de7ad5721d00ea6c38a41338cd8477807d8e8f1cc719f9aef704bb2cbdf17aae7621f489e9dddd8a70d37add6db501af64cb91cce00e3e5f595fc6cfea389ca9b3d18d2de18a0f69603c9e447d9c12ca7f7fbb5e877723fa4ebae91f06aa56d819d22b7e7780cfa955ef61beb7620678df757db98a8483db4bdce4c221b5d613569d920ba237922654536ed30c63db8a55ade085dfa64e37a6125ab4b3be97c9f5f0a7d2758718a3efbafb85d974abd6732a297a904d8a739507934fedfb1135a952470c92ef847704a10ffa222d3dc4f0fa0961dad42b02b5109a74ddf610c1f7dd7d96522f17862ed08a14c1be22da0df5dad7110842e0510a1b1a93db70f8ecee83bbac79b5e9869c7d5a22124e54dc0e72825fb1c2cf4be147e0385ce87d370c6740877599fcf1d295f64fe717c936704e47a3a6e321a2cf76d7ea2aae3e4bcf8da0352ba700ab7986b2ab5dc75580191550bfc71313e401a263db896345a036af700a2d4af26d10b77aa4786a17c70b60a26a5475ed856eb6e2876276d84d68d6b54d71761dce4e37b96f44025a87a7f4721678d267b91fd0139e6f8e206722b0d56f0c329448e0e1dbafa6b57f5ae059be30b912ddbbe93c', X'28b52ffd60f832254c007a8bf8193e5047db363033331311f08881d0d5ce2c42d0e8bcc5770b05b5501bb6914e91535d3a0ca97ec4d78f88f80ff61af11fd1835ed96e912e1f7aa36c5421176a9b01850191016fc99689094cf38282a4e0aa10484081071034e000030e2ce0008268d25785206bd705b802f26bd776e10a40b003d02817390df3f9b5fdda352e57d7e422a7bdc2dc83c8b9e6d9b5b75c93e1b69f3e730f22b727d73076649d965e27de073dd7f758ce67e9e3ef990e6599a9a63f73cc35ee2dec17181089d9b896a92f2454666d9cbdb56d7de18825a9959db588864c2c00c868909191b14d43b8a6010191dbd96f7b3f1a67c9dc7291b3f843f4e51a37692e72184afa2c22f316d7fc966991fbeafae5a94c7bc9a65cf34072d73817b9ec354d5d987b4040e4f64fda2bd8352e22400488409de8228751ae71993e7d0bb99d927c1543f739b9ce37a5995f8c1243afef22971fdafeed42536e41151297c78f4b5b649249b3e0fb38dbaefd996b32dc83c30162e2e0e111692438704c121a201088896bd7b8972012098984249390ebb5e5d21aa7df72692e728f6534f72072d9955ff3cf3082f616bc5d17397d511a76d7b80a082102841184118c9327be081fe440c745ee2d4a738d83389586aa2e98508f6941858261364c978f540ae840cb9bbbc865ca3d08d27c734acf9399fe7c62fcea73b58f3148981c3c212630a05a7d5aa85a89dee7d2ed8b509eef6627beeb388419cbc874919c4a8a5c2cf8bd58aecb674fcc0e75687acef051f8dc072d9def4a943eebd5617e2e43a5b84387731960485a85b45550dc4b334905b5396ea153677548ce37b3db77319deffde37328b1ad923622185213972373551adb3e917d220be153a5339f39a37c97d6fbeaccf34dbff349103f10da88b154780553981a5943e442d3242c2ceed088b864247bc999173bfef7de57a173dffd39df74f0f3dc3a90446d946428cc428d7068eb5c188c34ca9871ae557a59aafeacd3f92c84f34957522cb383828c457d028ac478435b118ecaa578545c36e6e2ca8891db99b7687abbb06b1a48187f9c35e2fae4271d5c5fae793ee8a37c909421473e54f95f3e43c8bc655221715d6247aa84985855b5e93da16daff257d7b56353d9eb9f302ac3fbb36baa6ad391d310fb330ac3bc6baa7424c70f6465ad0f3e907df59df9f27f7ed263ad84d6c6070ac992a819bda06058326fc9bc251376372614121828127e572e456edf4dc1f68a6b3232208c91c3b8e51a49e53a7b0de3d05e610d2e72d55fafe4bc573e90742594df8cd7df943fdffc289ff4d2cd8e95de632ac39e47bc53a22664fac2004af10ad35e61140f0cdb05068353de2aaa566d2e7d7ec0ee9ac7ef18a2b8bef4f73cb13e0be5f92cc4f3d11a2529d63af18022866244a264008787a2596fd254f6da5bd7663138e88886011e0c108882f5f54853824e7ee084fe207eea8311cee7640c9f67bf34dea9808a30c85c228e062a0d2029100a1e2432082b8151a667529ef840984236ce5a1f3ec889f649e8990f42b9bef9314ab966d7fee24c5cb8ff97c6a518220553d130c0018a0ba437301cc7a1b03ba4ce8d92ff3f0b59fbe483e7bb4ff3abcf4b724ec7a22c8f5da19a923d1674266300f51a75d1d4abdb66131cb467901720a4b8cbe2808a76b75d516e7dae12649d6931f6fa9e0aed9b909d2fe2989f43219bb343d68511bec22cc7bc00974546a102694c6aa3152a61266d4daeddaa3c1515a370992c90cd804c76497fe3532f95a44c2774de33fdbe270690c7848285fe81f0e3f84be8e179ebb332ce07effce7d7fef331effd59ce8ec07a6d677682cd69862a90895b861c238df1ad93a9f3e8c5f63d59ce0773fe274d3ca3bc716f0eb25f15b641d27165cbf5c9824a02c703c463b230d18090444c34fd96be32eaa2bf82b567f727dffb2dd7b8868747e3c111e122f70ebb2a1bbfc5956151a429b7a208bb2a3b8a264d4dd355b9c6338fa8b2cd354e536e512a21295e6971a54f3a6f9fcf9f8f4a4a9f85f82527567ba533a5a729b71e7655b67e2b7355d8e7ebb02820d3827d123e37b27f766510cdef79c67be5f3acc5f5c5ebf33934e57b201ce1c436677eddcaf65c4d09b6e25582850383a940d9e096a02a381a125ce06dc1a9706661d25455510a1ae6757655b04ed07ebfc41b171dec0d67de217bebd2f6865de3a6b61fe33d766599aaa2e9cb7291cb4caf79a629a81ce3f567ae7198ca17953dd6b8bf446e6f9a6bdb350d1a1010b99d1fda2b8c4a3a2796f721e87990b4f5bdff7c1643e8c99b65bd913aef6e7b816a4430178963b2b893c5fbeeed54548d8126a8b10d31c81022222237225250301d21858410029d6566071208922c8a70108720188610812142420484104390800808113842a073ea0123460031cc2b30a46d87c535452c71411e804c889d22cb3b7d5625e63dd777abe7a2a2dbc5b233759303b1532b4cda9c0741bcacf1ea28b872351bc72c65d93235b0105cb184acc4ec43b0a9f37c0de453756a7f4ac8964c93dbd259e68100ff970ba94bc0e70e9aa735dcc5e0ed35eec70f5108965c7b775714f8362b81ad720e1087a52fe55296090388e4115bd221980d2301c5db304790bf8d5130506ccfe8b14a22c7d6b49e425235e2928133472ac020f639e6d70d96dcd15066a5a201c8f29208e5f2fd49fea8170654d5c65c371d3611ce8be8728911e2fa3a7ec5fc932053ed121a017a45c50ad644e5add56a79594e97a79539443f86ba3cc3070e7ff11b21606309784140757d22594e3be813dd27e1cc043a2d49904be87896678a07ab3ce9edc78adb2f82731a6c95c6514cf74cfc5c3fa1c8718fd89fce42f14e98789479c988bec3882dfa4bfb162e1b339748a856d98b84d6a77eeca0d2ef4f0bf19113e645b75f4746644ebe3ee067641d2de0352098a5cf2c15b46f1b41fab6dc0f9c634afb6204a25373b39a5fd0101a4b793005e52f1a87e1cf653b7799694bac4941d072f6620afc94e3cbd7714ee6b3f4b11345407db8ca1222eeb30894d4b7a68b6af85ae2024683d0c4326cc9f6282a21aa507ddd44043977125a33730e0001a26477c078806f674a6a53cd278676b58588ec5e7c9ab16db3bda4f1faf523851230f31503eccc8776a3c3e3c8fc91e1448b601858b41acf3678e10f47f6fd4243315b8a54f0e943bb62e0c4827999ec62faf71413087a27dddba2280da6f08170c7346b9b7715667c4fe012b476f4339d7d9ab9cad075e91214de409c79b523f6930a4b3c3317957db0c62a96abaead90ee855db9a42478903898b0bd3940687ff7af8b204a2c99622ab9743f0bc9258557b84646324f22a18ecae7a042fca207a409089d9b9eea4e52aff33635614b00a21ab907de738824651ca2163c6712d856a30a', 1768471200000);
INSERT INTO audit_segments ("account_seq", "number", "count", "lowest_id", "highest_id", "earliest", "latest", "hashes", "entries", "sealed_on") VALUES (1, 25, 1, 'audt_0V8MevgG4FWJaF7LYEGQl6qL', 'audt_0V8MevgG4FWJaF7LYEGQl6qL', 1768471200000, 1768471200000, X'139e6f8e206722b0d56f0c329448e0e1dbafa6b57f5ae059be30b912ddbbe93c6b5e42a50cdfc89ffdc2e2fbc44b5c2dcb0eebd59c7cca94b1c369af4e3b424b', X'7b226964223a22617564745f3056384d657667473446574a6146374c594547516c36714c222c2274696d65223a22323032362d30312d31355431303a30303a30302e3030305a222c22616374696f6e223a226465706c6f796d656e742e737563636565646564222c226163746f72223a7b2274797065223a2273797374656d222c226964223a2273797374656d227d2c227265736f75726365223a7b2274797065223a226465706c6f796d656e74222c226964223a2273686f702d6d61696e2d66343233623963222c226e616d65223a2273686f702d6d61696e2d66343233623963227d2c226368616e676573223a5b7b22706f696e746572223a22222c226166746572223a7b226e616d65223a2273686f702d6d61696e2d66343233623963222c226c6162656c223a226d61696e222c2275726c506172616d65746572223a226d61696e222c22637265617465644f6e223a22323032362d30312d31355431303a30303a30302e3030305a222c22757064617465644f6e223a22323032362d30312d31355431303a30303a30302e3030305a222c226c6f6767696e674964223a2264656661756c743a3a73686f703a3a6d61696e3a3a66343233623963222c226163636f756e744e616d65223a2264656661756c74222c2270726f6a6563744e616d65223a2273686f70222c227374617465223a2253544152544544222c226d657373616765223a22222c226272616e63684e616d65223a226d61696e222c2261637469766556657273696f6e223a312c22656e7669726f6e6d656e7454797065223a2250524f44554354494f4e222c2276657273696f6e223a317d7d5d7d', 1768471200000);
INSERT INTO audit_topics ("account_seq", "topic", "number") VALUES (1, 'shop-main-f423b9c', 3);
INSERT INTO audit_topics ("account_seq", "topic", "number") VALUES (1, 'shop-main-f423b9c', 25);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount", "observed") VALUES (1, 60000, 0, 1768471200000, '', 'expired', 1, 0);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount", "observed") VALUES (1, 60000, 0, 1768471200000, '', 'not_found', 1, 0);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount", "observed") VALUES (1, 60000, 0, 1768471200000, '', 'valid', 2, 0);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount", "observed") VALUES (1, 60000, 1, 1768471200000, '', 'not_found', 1, 0);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount", "observed") VALUES (1, 60000, 1, 1768471200000, 'acme', 'expired', 1, 0);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount", "observed") VALUES (1, 60000, 1, 1768471200000, 'acme', 'valid', 2, 0);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount", "observed") VALUES (1, 3600000, 0, 1768471200000, '', 'expired', 1, 0);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount", "observed") VALUES (1, 3600000, 0, 1768471200000, '', 'not_found', 1, 0);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount", "observed") VALUES (1, 3600000, 0, 1768471200000, '', 'valid', 2, 0);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount", "observed") VALUES (1, 3600000, 1, 1768471200000, '', 'not_found', 1, 0);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount", "observed") VALUES (1, 3600000, 1, 1768471200000, 'acme', 'expired', 1, 0);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount", "observed") VALUES (1, 3600000, 1, 1768471200000, 'acme', 'valid', 2, 0);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount", "observed") VALUES (1, 86400000, 0, 1768435200000, '', 'expired', 1, 0);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount", "observed") VALUES (1, 86400000, 0, 1768435200000, '', 'not_found', 1, 0);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount", "observed") VALUES (1, 86400000, 0, 1768435200000, '', 'valid', 2, 0);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount", "observed") VALUES (1, 86400000, 1, 1768435200000, '', 'not_found', 1, 0);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount", "observed") VALUES (1, 86400000, 1, 1768435200000, 'acme', 'expired', 1, 0);
INSERT INTO verifications ("bucket_seq", "step", "detail", "time", "consumer", "result", "amount", "observed") VALUES (1, 86400000, 1, 1768435200000, 'acme', 'valid', 2, 0);
INSERT INTO deployment_sites ("deployment_seq", "artifact_hash", "contents", "pack") VALUES (1, 'b3e8b1814b42ac89e61a93c15597f77156ff99cfc7cff977742120d884cc229e', X'1f8b08000000000000038590c14ec33010447f05cd794b62221ac9f78a2397dea21c4cb34d0c8e13d96ea964f9df915d28420871dd3733bbb311569df5a8825e2c6444d0c13024f6ec03086776be10081006f607a7d7ab16208c273db087ec7a82e3233bb60786ec228c7a610389e7955d09f720b00d4e177dc4aac6bc67b9f16ae4b099d8986563d5cca05bc6d36e7f571552c58c120833876919ae1084558509123f55a94f7d2204e5460e3eb7fb9d942b17feedde5dd4bc9a7cc0c9bed9e5dd428a9408476df2ed11da0e7cb97ff5f90b5d4da26e7afa1cce036427ea861eda9efe2ef765164d4ddb7fa425b27d6c496cdb3ea50f10bc40e8b1010000', X'1f8b08000000000000031dca410a80201445d1adc81b4b0b701dcda241e8333fc537546c10ed3d6c780ff7c1211ae0903b4b17deb068d24ec261666db008acbec8d524ebc044531859a89e264733ae09169a032bdcb25a246e4174ffebfd002927eef6620000001f8b0800000000000003535608492d2ee102009614cf58070000001f8b080000000000000395544d4fdc3010fd2bee5c3691dc700fda030504eaa142c0ad46c84a2689b5899db527856d94ff5e8d931476452b71dab13df33efce21d61676c0939b81ebd26e32c4820432d420e37d78fe2acc1b67567a3d51d4e20a1c45078d3c7ce8f3bac2b3140fef3494283ba34b65e566f14f9081d52e398f8e6fa1124f49a1ac8e1146b87875bd4257a1e69960a2e066a9c37bf57bdbdc7cabc420edf507bf4022606f4ba4342cfe4233020e4f38f04c3da23a50413ee713f188f25e4e40794108a063bcd8c74e8792a9037b666547cd55d1fefe67aa9a627091e43ef6c585d93f635d29b9bb5554288c5aca8d5b61e74cd58c5e05b9050b8725d89cd380ebe9da663888d504a5921bede8acdd125e462b13e8e3b3c4cd306267944f15dffd20f31b87744ce0612ab78b115fa451b121552d1240a3e54a0408a9125cc61847c5e09a18e5351900b05c7a21448ee9da4b2537aae2cf3bb16b3d6d5c9aa220ba4690872d1f2779bf09592343d3ff57577a0267e038b27d3f5cef3dc7ec040415965df195cb7b31a295975ffcbe77cbef8dc2e363f6775369b2adb7b63e9d4e4336b96c71ed3538337eecd5caf8b9dae5174da5876b6984d9455a4a0ea48c15c1ab75616e9ac21ea799df24c35d82202242947a7c8e35e0af45ee45bc19dd90f7ce117818112c5af9323ffcfd7604dcbc064aa88f265cb3b33b4a25e5b5324e87d6c9916be6c7ed3d903a7707a994c767a9971da6338167a85951e5aba6c0d5acaae5ce271ff29292556e8f9feb36fae3c6497ad0b98c4638e428a67a6322ebb475d5eb42de7173b634bd55176c7b1b6361e3cc44c2f63a4f31f4612034d959d607a9aa63fc19415566b0500001f8b0800000000000003558dbd0ac2401084fb7d8a8114a790983e9d42d0d2c2d2620f5d4cf0f2e3e60ed4e3de5d2269d2cdcc37cc6438d617948d383794b1b79d24229eb31883ba94568889b20c67abb6132f3a1115e0993036a3f54d8ec96bdb3f72a8bc42ab72df56a8dfb61b9d54e045f1ee3fb33822669e1aba057530ebd7a5627025a038c1ec836f066dbfd6b7435fe120564511e3533e299979897e17e80e82d2000000');
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
