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
      CONSTRAINT tokens_hash_key UNIQUE (hash)
    );
CREATE UNIQUE INDEX tokens_account ON tokens (account_seq, id);
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
      CONSTRAINT consumers_bucket_seq_name_key UNIQUE (bucket_seq, name)
    );
CREATE INDEX consumers_in_order ON consumers (bucket_seq, seq);
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
      CONSTRAINT managers_consumer_seq_sub_key UNIQUE (consumer_seq, sub)
    );
CREATE INDEX managers_by_email ON managers (bucket_seq, email_key, consumer_seq);
CREATE TABLE manager_invites (
      seq integer PRIMARY KEY,
      id text NOT NULL,
      bucket_seq integer NOT NULL,
      consumer_seq integer NOT NULL REFERENCES consumers ON DELETE CASCADE,
      email text NOT NULL,
      email_key text NOT NULL,
      created_on integer NOT NULL,
      expires_on integer NOT NULL,
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
      CONSTRAINT api_keys_bucket_seq_hash_key UNIQUE (bucket_seq, hash),
      CONSTRAINT api_keys_consumer_seq_id_key UNIQUE (consumer_seq, id)
    );
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
      data text
      
    );
CREATE TABLE metering_buckets (
      seq integer PRIMARY KEY AUTOINCREMENT,
      id text NOT NULL,
      account_seq integer NOT NULL REFERENCES accounts,
      version integer NOT NULL,
      created_on integer NOT NULL,
      updated_on integer NOT NULL,
      CONSTRAINT metering_buckets_account_seq_id_key UNIQUE (account_seq, id)
    );
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
      CONSTRAINT plans_bucket_seq_id_key UNIQUE (bucket_seq, id),
      CONSTRAINT plans_bucket_seq_external_id_key UNIQUE (bucket_seq, external_id)
    );
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
      CONSTRAINT subscriptions_bucket_seq_id_key UNIQUE (bucket_seq, id)
    );
CREATE INDEX subscriptions_in_order ON subscriptions (bucket_seq, seq);
CREATE INDEX subscriptions_by_customer ON subscriptions (bucket_seq, customer_key, seq);
CREATE INDEX subscriptions_by_external_id ON subscriptions (bucket_seq, external_id, seq);
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
      PRIMARY KEY (subscription_seq, period_start, meter)
    ) WITHOUT ROWID;
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
      CONSTRAINT deployment_builds_id_key UNIQUE (id)
    );
CREATE INDEX deployment_builds_by_state ON deployment_builds (state, seq);
CREATE INDEX deployment_builds_of_deployment ON deployment_builds (deployment_seq, state);
CREATE TABLE deployment_sources (
      seq integer PRIMARY KEY AUTOINCREMENT,
      deployment_seq integer NOT NULL REFERENCES deployments ON DELETE CASCADE,
      created_on integer NOT NULL
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
      CONSTRAINT deployment_versions_deployment_seq_number_key UNIQUE (deployment_seq, number)
    );
CREATE TABLE deployment_logs (
      seq integer PRIMARY KEY,
      id text NOT NULL,
      deployment_seq integer NOT NULL,
      time integer NOT NULL,
      kind text NOT NULL,
      entry text NOT NULL
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
INSERT INTO migrations ("name", "applied_on") VALUES ('0001-foundation', 1768471200000);
INSERT INTO migrations ("name", "applied_on") VALUES ('0002-metering', 1768471200000);
INSERT INTO migrations ("name", "applied_on") VALUES ('0003-deployments', 1768471200000);
INSERT INTO migrations ("name", "applied_on") VALUES ('0004-rate-limits', 1768471200000);
INSERT INTO accounts ("seq", "id", "name", "version", "created_on", "updated_on") VALUES (1, 'acct_0V8MevgGQIIp00GzH3CKLldy', 'default', 1, 1768471200000, 1768471200000);
INSERT INTO tokens ("seq", "id", "account_seq", "role", "name", "hash", "expires_on", "last_used_on", "created_on") VALUES (1, 'tokn_0V8MevgGQIIqkNJxVSPDcYb5', 1, 'admin', 'TOLLGATE_ADMIN_TOKEN', X'69e0f808545ab84a30114604cedae05edfe2a570dbe3b6bbfcc6dc3b56eb1d7d', NULL, 1768471200000, 1768471200000);
INSERT INTO tokens ("seq", "id", "account_seq", "role", "name", "hash", "expires_on", "last_used_on", "created_on") VALUES (2, 'tokn_0V8MevgGQIJ4S51eIUCFnpBm', 1, 'reader', 'dashboard', X'5dcf18e84515ed6e7d3c7a491f0434d54320cf65eadce4bfe03fe661474ece30', NULL, NULL, 1768471200000);
INSERT INTO key_buckets ("seq", "id", "account_seq", "name", "description", "tags", "is_retrievable", "key_prefix", "version", "created_on", "updated_on") VALUES (1, 'bckt_0V8MevgGQIIrzbBRdzslBUgX', 1, 'main', NULL, NULL, 1, 'tg', 1, 1768471200000, 1768471200000);
INSERT INTO consumers ("seq", "id", "bucket_seq", "name", "description", "tags", "metadata", "version", "created_on", "updated_on") VALUES (1, 'csmr_0V8MevgGQIIsigQp7fAE1P6I', 1, 'acme', NULL, '{"region":"eu"}', '{"plan":"gold","nested":{"text":"it''s \"quoted\"\nand long: äöü 😀"}}', 1, 1768471200000, 1768471200000);
INSERT INTO consumers ("seq", "id", "bucket_seq", "name", "description", "tags", "metadata", "version", "created_on", "updated_on") VALUES (2, 'csmr_0V8MevgGQIIzTUpmkJK0BhC2', 1, 'beta', NULL, NULL, NULL, 1, 1768471200000, 1768471200000);
INSERT INTO consumer_tags ("bucket_seq", "name", "value", "consumer_seq") VALUES (1, 'region', 'eu', 1);
INSERT INTO managers ("seq", "id", "bucket_seq", "consumer_seq", "sub", "email", "email_key", "created_on") VALUES (1, 'mngr_0V8MevgGQIIxUMjeh4TybTI4', 1, 1, 'auth|jo', 'jo@example.com', 'jo@example.com', 1768471200000);
INSERT INTO manager_invites ("seq", "id", "bucket_seq", "consumer_seq", "email", "email_key", "created_on", "expires_on") VALUES (1, 'mngi_0V8MevgGQIIyNKtTLxcDZVdq', 1, 1, 'kim@example.com', 'kim@example.com', 1768471200000, 1769076000000);
INSERT INTO api_keys ("seq", "id", "bucket_seq", "consumer_seq", "hash", "suffix", "sealed", "description", "expires_on", "version", "created_on", "updated_on") VALUES (1, 'key_0V8MevgGQIItJVN9iSncr1o7', 1, 1, X'7cd72fdfd8b347a665d29dbc67c89b693f9eddee59e36a4ab1ec2197771a8e53', '70b2c304', X'4fe8a50387e738684d64ec27a6981d05924e8118b3ea799a6468066e06e3c428136fc09ca02d563cfabcf39f209d0cb9fb6f06c0b0888c3778d849ee695f9a366691f16e17ec1549085b7553', 'generated', NULL, 1, 1768471200000, 1768471200000);
INSERT INTO api_keys ("seq", "id", "bucket_seq", "consumer_seq", "hash", "suffix", "sealed", "description", "expires_on", "version", "created_on", "updated_on") VALUES (2, 'key_0V8MevgGQIIulUtfCRmtCwuI', 1, 1, X'fec03ca1d61f2502b9e60496092d12d55dc7665b23ddc3306477e78c1b957699', 'er-1234', X'4fe8a50329659030b5e9d47ba82705d5c81c737d0e841a37b21a6cfc523b675fcfe86e088529b33fbb87b07439ab433fe1b4fac86c39423f5125ec749b', NULL, NULL, 1, 1768471200000, 1768471200000);
INSERT INTO api_keys ("seq", "id", "bucket_seq", "consumer_seq", "hash", "suffix", "sealed", "description", "expires_on", "version", "created_on", "updated_on") VALUES (3, 'key_0V8MevgGQIIvuJE7R4bW1xUF', 1, 1, X'671b9f4dc6e03fadb3046ab16587e4416765b2dab3df2ded3086dfaec1e06839', 'a16a1eee', X'4fe8a503027ee679b6b1b402ed0135cb57f0e7b2442800628f91b210cd5ba45d81af4dcd43cd493b1081c6cc1c9edf7449285113959678482da697e24972b7e2114cf0d6dd589c8ea12211fe', 'expired', 1768471199000, 1, 1768471200000, 1768471200000);
INSERT INTO api_keys ("seq", "id", "bucket_seq", "consumer_seq", "hash", "suffix", "sealed", "description", "expires_on", "version", "created_on", "updated_on") VALUES (4, 'key_0V8MevgGQIJ0niMkbMgSSYTT', 1, 1, X'91409ed57dcd0b17d697a63f8b6ed05389b1d07da863bc78d4ea7dd50ba2108f', 'b8b2e82c', X'4fe8a503de96119c9acb96c9bfb4a3f6c7b502e641fa803ca6ced64befc1a17546600814a6f36b876ff3bc8d11a961397d695fe38b8b23a012787fa32172377bd20f877e1fdfd90879cf998f', 'once', NULL, 1, 1768471200000, 1768471200000);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('bckt_0V8MevgGQIIrzbBRdzslBUgX', '', 0, 0, 2);
INSERT INTO list_blocks ("scope", "list", "block", "shard", "size") VALUES ('bckt_0V8MevgGQIIrzbBRdzslBUgX', '["region","eu"]', 0, 0, 1);
INSERT INTO idempotency_keys ("credential", "key", "fingerprint", "answer", "created_on") VALUES ('tokn_0V8MevgGQIIqkNJxVSPDcYb5', 'released', X'fb0da8380c915c6c412f57d77e8d28fed4223ef15ef2816e47717e8f7ea27902', X'4fe8a5030b06b37194be9c4511a6ee34c45dc4241b7c3256d0398860948d072f4c69d9245d6ab50b1cf46e179a1021f03a7d0637363e6a248794ba26a68c76c7631bc8fed1bc52dd47e5336bfa485ef3b49ce12a20e7fb15e5cf2a703e91aa9c7fe8c9d3db522ce871c61063fd1377ca76e351077677ba43dc7d4e59cc4be1e8f7d70e4e8f7e01534f95a3489bda956c9b7afc9dfddde55b123818bcb2b5001429e99c64f22912ec910cbff58c5c56af71a16dc65de4a0cfa2cfe0bea5ca96274007f13da938d112b319514b3856a08b0d06bf52e14c0813e25d7083d00dc9fb8f1775cd5dbda58bcd953635ebfaea77493078f985433efd776463f26e448a9efb74368bb8564c7885ee3052129a6a0b09931592f521c20b8b694026e60cd4e2147c82473a808b56343c242ba9711aa611c738c49e2b09b4a8d65804c893d8dca1fa42e9e954fb4cd5369b6dbcfe98fef5f79b1354413e6b1e92b70d374e9e3f7151', 1768471200000);
INSERT INTO encryption_keys ("name", "created_on") VALUES ('4fe8a503', 1768471200000);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data") VALUES (1, 1768471200000, 'local', NULL, 'system', 'account.created', 'acct_0V8MevgGQIIp00GzH3CKLldy', NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data") VALUES (2, 1768471200000, 'local', 1, 'tokn_0V8MevgGQIIqkNJxVSPDcYb5', 'bucket.created', 'bckt_0V8MevgGQIIrzbBRdzslBUgX', '{"name":"main"}');
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data") VALUES (3, 1768471200000, 'local', 1, 'tokn_0V8MevgGQIIqkNJxVSPDcYb5', 'consumer.created', 'csmr_0V8MevgGQIIsigQp7fAE1P6I', NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data") VALUES (4, 1768471200000, 'local', 1, 'tokn_0V8MevgGQIIqkNJxVSPDcYb5', 'key.created', 'csmr_0V8MevgGQIIsigQp7fAE1P6I', '{"keyIds":["key_0V8MevgGQIItJVN9iSncr1o7"]}');
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data") VALUES (5, 1768471200000, 'local', 1, 'tokn_0V8MevgGQIIqkNJxVSPDcYb5', 'key.created', 'csmr_0V8MevgGQIIsigQp7fAE1P6I', '{"keyIds":["key_0V8MevgGQIIulUtfCRmtCwuI"]}');
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data") VALUES (6, 1768471200000, 'local', 1, 'tokn_0V8MevgGQIIqkNJxVSPDcYb5', 'key.created', 'csmr_0V8MevgGQIIsigQp7fAE1P6I', '{"keyIds":["key_0V8MevgGQIIvuJE7R4bW1xUF"]}');
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data") VALUES (7, 1768471200000, 'local', 1, 'tokn_0V8MevgGQIIqkNJxVSPDcYb5', 'key.created', 'csmr_0V8MevgGQIIsigQp7fAE1P6I', '{"keyIds":["key_0V8MevgGQIIwKCqxMUqtddbk"]}');
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data") VALUES (8, 1768471200000, 'local', 1, 'tokn_0V8MevgGQIIqkNJxVSPDcYb5', 'key.deleted', 'key_0V8MevgGQIIwKCqxMUqtddbk', '{"bucketSeq":1,"hash":"dtTW3ZzMbnOox16VhDxx8Q7/FWbEbyFtFS/FKc29Egk="}');
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data") VALUES (9, 1768471200000, 'local', 1, 'tokn_0V8MevgGQIIqkNJxVSPDcYb5', 'manager.created', 'mngr_0V8MevgGQIIxUMjeh4TybTI4', '{"consumerId":"csmr_0V8MevgGQIIsigQp7fAE1P6I"}');
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data") VALUES (10, 1768471200000, 'local', 1, 'tokn_0V8MevgGQIIqkNJxVSPDcYb5', 'manager-invite.created', 'mngi_0V8MevgGQIIyNKtTLxcDZVdq', '{"consumerId":"csmr_0V8MevgGQIIsigQp7fAE1P6I"}');
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data") VALUES (11, 1768471200000, 'local', 1, 'tokn_0V8MevgGQIIqkNJxVSPDcYb5', 'consumer.created', 'csmr_0V8MevgGQIIzTUpmkJK0BhC2', NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data") VALUES (12, 1768471200000, 'local', 1, 'tokn_0V8MevgGQIIqkNJxVSPDcYb5', 'key.created', 'csmr_0V8MevgGQIIsigQp7fAE1P6I', '{"keyIds":["key_0V8MevgGQIJ0niMkbMgSSYTT"]}');
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data") VALUES (13, 1768471200000, 'local', 1, 'tokn_0V8MevgGQIIqkNJxVSPDcYb5', 'metering-bucket.created', 'mtr_0V8MevgGQIJ15RZ6ec6c6hPb', NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data") VALUES (14, 1768471200000, 'local', 1, 'tokn_0V8MevgGQIIqkNJxVSPDcYb5', 'plan.created', 'plan_0V8MevgGQIJ2XwHLJpiXQkdy', '{"bucketId":"mtr_0V8MevgGQIJ15RZ6ec6c6hPb"}');
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data") VALUES (15, 1768471200000, 'local', 1, 'tokn_0V8MevgGQIIqkNJxVSPDcYb5', 'subscription.created', 'sbsc_0V8MevgGQIJ37pIcdR9HFfCb', '{"bucketId":"mtr_0V8MevgGQIJ15RZ6ec6c6hPb","customerKey":"acme"}');
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data") VALUES (16, 1768471200000, 'local', 1, 'tokn_0V8MevgGQIIqkNJxVSPDcYb5', 'usage.recorded', 'mtr_0V8MevgGQIJ15RZ6ec6c6hPb', '{"events":1}');
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data") VALUES (17, 1768471200000, 'local', 1, 'tokn_0V8MevgGQIIqkNJxVSPDcYb5', 'token.created', 'tokn_0V8MevgGQIJ4S51eIUCFnpBm', NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data") VALUES (18, 1768471200000, 'local', 1, 'tokn_0V8MevgGQIIqkNJxVSPDcYb5', 'deployment.created', 'shop-main-fefe2b8', NULL);
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data") VALUES (19, 1768471200000, 'local', 1, 'tokn_0V8MevgGQIIqkNJxVSPDcYb5', 'deployment.upload-requested', 'shop-main-fefe2b8', '{"statusId":"9399a7f6-8f77-41cf-922d-0243c57160ca"}');
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data") VALUES (20, 1768471200000, 'local', 1, 'system', 'deployment.build-queued', 'shop-main-fefe2b8', '{"statusId":"9399a7f6-8f77-41cf-922d-0243c57160ca"}');
INSERT INTO changes ("seq", "at", "origin", "account_seq", "actor", "kind", "subject", "data") VALUES (21, 1768471200000, 'local', 1, 'system', 'deployment.activated', 'shop-main-fefe2b8', '{"deploymentSeq":1,"accountName":"default","versionSeq":1,"artifactHash":"89925ba1dd6fb3aee181b6737b72a64163a436cb176d13dd1971a7057e329b22"}');
INSERT INTO metering_buckets ("seq", "id", "account_seq", "version", "created_on", "updated_on") VALUES (1, 'mtr_0V8MevgGQIJ15RZ6ec6c6hPb', 1, 1, 1768471200000, 1768471200000);
INSERT INTO plans ("seq", "id", "bucket_seq", "external_id", "label", "meters", "trial_days", "trial_end_status", "is_trial_collect_payment", "version", "created_on", "updated_on") VALUES (1, 'plan_0V8MevgGQIJ2XwHLJpiXQkdy', 1, 'price-1', 'Gold', '{"requests":{"label":"Requests","max":100}}', NULL, NULL, NULL, 1, 1768471200000, 1768471200000);
INSERT INTO subscriptions ("seq", "id", "bucket_seq", "status", "renewal_strategy", "region", "customer_key", "external_id", "customer_external_id", "quota_reset_anchor", "metadata", "trial_end_status", "trial_start_date", "trial_end_date", "next_billing_cycle", "product_key", "allowance_period", "allowance", "version", "created_on", "updated_on") VALUES (1, 'sbsc_0V8MevgGQIJ37pIcdR9HFfCb', 1, 'active', 'monthly', 'europe-west4', 'acme', 'sub_1', 'cus_1', 1768471200000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 1768471200000, 1768471200000);
INSERT INTO subscription_plans ("subscription_seq", "position", "plan_seq") VALUES (1, 0, 1);
INSERT INTO usage_counters ("subscription_seq", "period_start", "meter", "events", "whole", "billionths", "removed_events", "removed_whole", "removed_billionths", "consumed_whole", "consumed_billionths") VALUES (1, 1768471200000, 'requests', 1, 7, 0, 0, 0, 0, 6, 0);
INSERT INTO usage_events ("seq", "bucket_seq", "source", "event_id", "part", "subscription_seq", "time", "period_start", "received_on", "meter", "whole", "billionths") VALUES (1, 1, 'gateway', 'event-2', 0, 1, 1768471200000, 1768471200000, 1768471200000, 'requests', 7, 0);
INSERT INTO deployments ("seq", "account_seq", "name", "project", "branch", "code", "message", "active_version_seq", "source_seq", "version", "created_on", "updated_on") VALUES (1, 1, 'shop-main-fefe2b8', 'shop', 'main', 'fefe2b8', '', 1, 1, 3, 1768471200000, 1768471200000);
INSERT INTO deployment_builds ("seq", "id", "deployment_seq", "state", "upload_hash", "upload_until", "source_seq", "steps", "result", "worker", "worker_until", "attempts", "version", "created_on", "updated_on") VALUES (1, '9399a7f6-8f77-41cf-922d-0243c57160ca', 1, 'succeeded', X'1d0aea44728667ed372735fa06e1eee1882e9fb167d409b48c90e537142f9334', 1768474800000, 1, '{"upload":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.000Z","finishedOn":"2026-01-15T10:00:00.000Z"},"unpack":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.000Z","finishedOn":"2026-01-15T10:00:00.020Z"},"validate":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.020Z","finishedOn":"2026-01-15T10:00:00.881Z"},"build":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.881Z","finishedOn":"2026-01-15T10:00:01.021Z"},"start":{"status":"SUCCESS","startedOn":"2026-01-15T10:00:00.000Z","finishedOn":"2026-01-15T10:00:00.000Z"}}', '{"success":true,"durationMs":1295,"artifact":{"sha256":"89925ba1dd6fb3aee181b6737b72a64163a436cb176d13dd1971a7057e329b22","bytes":1087},"routes":1,"warnings":[],"errors":[]}', NULL, 1768471260000, 1, 7, 1768471200000, 1768471200000);
INSERT INTO deployment_sources ("seq", "deployment_seq", "created_on") VALUES (1, 1, 1768471200000);
INSERT INTO deployment_source_chunks ("source_seq", "position", "data") VALUES (1, 0, X'1f8b0800000000000003ed56516f9b3010ce737ec5c94fad9650931432655b5fa74e9ab465d31e3655950bd7c40bd8d4364da288ff5ed9901450da3d6c4d3589ef01c3ddf9ee333a7fb6cc50b08c7bbfb514bd1702a5343c3f073b524adb23f56948c10f4693701cd2d01f01f5fd2098408ff68e805c1ba67af4af6bb517f79f60db0720b26c02320532f67c8f9281b572712bc9146c040031dc246823bea3362e0080dca3d25c0a6bf6491fa07013336616fa71e6d90293449e6d054bb1d89b01c81c4ded138028d499141add6497ab72644cb1140d2aebf9b5b7436db28bb3252c19370e9a3eee685a6e6d8fc2bb9c2b8cc9148ccab1e5d5d10253d6205a79cc2673d5b4515cccedfa1f51f40fbd5fd5d6b41e1a99247366b0959b2c9888135436752ae33c415dfe42cfe8067592c984471cdb3f05802c71d38c052077b934ac6d4c78ca4d9dfa55bf4dbb1cedb3e817afddaf1dfe2d763df89207c01ff49f8641d0d6ff4960fdbd23a0d3ff868e549aedf4a326d53ba963191f2e71b357112233c3a5a8c702909b3c5a3a6d2729e3823475a43a3a4a353a50a22953cf15b8b48a4d52a3aee98fb79ff17efef1ebe5273f98fd0c310aa370f1e5a6a676647f7e34b4d66a3f6a63edfe53ca57312ea5f20063c50c0e4beff3b4ebc528a535722b2e62b9fa869114b17587f448e2db3e605e63fffb13bfb5ff47e320ecf6ff3180eb4c2a0331deb23c3170723d8559d9a50388a430b83653d882bb8069eb8ba48adf97379e0194e30514a7f0e10204ae60565de14e88eb2820f06697c72b9378f67276faee28abebd0a143870ebd27f0005f2036d000120000');
INSERT INTO deployment_artifacts ("deployment_seq", "hash", "data") VALUES (1, '89925ba1dd6fb3aee181b6737b72a64163a436cb176d13dd1971a7057e329b22', '{"format":1,"environment":{},"policies":{"keys":{"type":"api-key","options":{"bucket":"main","header":"authorization","scheme":"Bearer","allowAnonymous":false}},"quota":{"type":"quota","options":{"bucketId":"mtr_0V8MevgGQIJ15RZ6ec6c6hPb","meters":{"requests":1},"statuses":["1xx","2xx","3xx","4xx"],"overQuota":"reject"}},"limit":{"type":"rate-limit","options":{"by":"consumer","requests":1000,"windowSeconds":60}}},"routes":[{"path":"/hello/{name}","method":"GET","target":{"handler":"modules/hello.ts"},"policies":["keys","quota","limit"],"timeoutSeconds":30}],"code":"var __defProp = Object.defineProperty;\nvar __export = (target, all) => {\n  for (var name in all)\n    __defProp(target, name, { get: all[name], enumerable: true });\n};\n\n// project:modules/hello.ts\nvar hello_exports = {};\n__export(hello_exports, {\n  default: () => hello_default\n});\nvar hello_default = (_, context) => new Response(\"hello \" + context.params.name);\n\n// all-modules.js\nvar all_modules_default = { \"modules/hello.ts\": hello_exports };\nexport {\n  all_modules_default as default\n};\n"}');
INSERT INTO deployment_versions ("seq", "id", "deployment_seq", "number", "build_id", "artifact_hash", "artifact_bytes", "routes", "created_on") VALUES (1, 'vrsn_0V8MevgGQIJ6b7aaxE1cWSSX', 1, 1, '9399a7f6-8f77-41cf-922d-0243c57160ca', '89925ba1dd6fb3aee181b6737b72a64163a436cb176d13dd1971a7057e329b22', 1087, 1, 1768471200000);
INSERT INTO deployment_logs ("seq", "id", "deployment_seq", "time", "kind", "entry") VALUES (1, 'log_0V8MevgGQIJ5dbhYacRec3p7', 1, 1768471200000, 'build', '{"level":"info","message":"Build 9399a7f6-8f77-41cf-922d-0243c57160ca began."}');
INSERT INTO deployment_logs ("seq", "id", "deployment_seq", "time", "kind", "entry") VALUES (2, 'log_0V8MevgGQIJ7lcHmGUiLNz4l', 1, 1768471200000, 'build', '{"level":"info","message":"Built version 1: 1 routes, 1087 bytes."}');
INSERT INTO deployment_logs ("seq", "id", "deployment_seq", "time", "kind", "entry") VALUES (3, 'log_0V8MevgGQIJ86LzOaLfgHta4', 1, 1768471200000, 'build', '{"level":"info","message":"Version 1 is live."}');
INSERT INTO deployment_logs ("seq", "id", "deployment_seq", "time", "kind", "entry") VALUES (4, 'log_0V8MevgGQIJ9afjvCmANr49M', 1, 1768471200000, 'access', '{"level":"info","message":"GET /hello/jo 200","requestId":"3a93f6ed-5a67-45f6-8fbd-5793d8b2c7b4","method":"GET","path":"/hello/jo","route":"/hello/{name}","status":200,"durationMs":32.133,"consumer":"acme"}');
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('accounts', 2);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('tokens', 3);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('key_buckets', 1);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('consumers', 2);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('metering_buckets', 1);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('plans', 1);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('subscriptions', 1);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('deployments', 1);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('deployment_builds', 1);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('deployment_sources', 1);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('deployment_versions', 1);
COMMIT;
