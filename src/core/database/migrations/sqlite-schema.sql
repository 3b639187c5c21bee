-- Written by `npm run generate` from the migrations. Do not edit.

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
      created_on integer NOT NULL, created_by text, trusted_issuer_seq integer REFERENCES trusted_issuers ON DELETE CASCADE, scope text,
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
      updated_on integer NOT NULL, has_lookalike_keys integer NOT NULL DEFAULT 0, on_leak text NOT NULL DEFAULT 'mark', token_issuers text,
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
      updated_on integer NOT NULL, words_version integer NOT NULL DEFAULT 0, is_suspended integer NOT NULL DEFAULT 0, suspension_reason text,
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
      created_on integer NOT NULL, scopes text, version integer NOT NULL DEFAULT 1, issuer text,
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
      expires_on integer NOT NULL, scopes text,
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
      updated_on integer NOT NULL, is_enabled integer NOT NULL DEFAULT 1, permissions text, allowed_ips text, rate_limit text, metadata text, last_used_on integer, leak text,
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
      
    , details text, state text, topics text, count integer NOT NULL DEFAULT 1, pack blob);

CREATE TABLE metering_buckets (
      seq integer PRIMARY KEY AUTOINCREMENT,
      id text NOT NULL,
      account_seq integer NOT NULL REFERENCES accounts,
      version integer NOT NULL,
      created_on integer NOT NULL,
      updated_on integer NOT NULL, name text, test_clock integer, key_bucket text,
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
      updated_on integer NOT NULL, price text, rates text, features text, description text, is_public integer, list_position integer, rollover text,
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
      updated_on integer NOT NULL, renews_on integer NOT NULL DEFAULT 0, bills_on integer, blocks_on integer, payment text, billing text, has_credits integer NOT NULL DEFAULT 0, expires_on integer,
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
      consumed_billionths integer NOT NULL, is_unchecked integer NOT NULL DEFAULT 0, announced_percent integer NOT NULL DEFAULT 0, announced_max text, version integer NOT NULL DEFAULT 0,
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
      billionths integer NOT NULL, voided_on integer,
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
      updated_on integer NOT NULL, is_staged integer NOT NULL DEFAULT 0, is_preview_only integer NOT NULL DEFAULT 0, author text, note text, is_limited integer NOT NULL DEFAULT 0,
      CONSTRAINT deployment_builds_id_key UNIQUE (id)
    );

CREATE INDEX deployment_builds_by_state ON deployment_builds (state, seq);

CREATE INDEX deployment_builds_of_deployment ON deployment_builds (deployment_seq, state);

CREATE TABLE deployment_sources (
      seq integer PRIMARY KEY AUTOINCREMENT,
      deployment_seq integer NOT NULL REFERENCES deployments ON DELETE CASCADE,
      created_on integer NOT NULL
    , is_limited integer NOT NULL DEFAULT 0);

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
      created_on integer NOT NULL, is_staged integer NOT NULL DEFAULT 0, source_seq integer, author text, note text,
      CONSTRAINT deployment_versions_deployment_seq_number_key UNIQUE (deployment_seq, number)
    );

CREATE TABLE deployment_logs (
      seq integer PRIMARY KEY,
      id text NOT NULL,
      deployment_seq integer NOT NULL,
      time integer NOT NULL,
      kind text NOT NULL,
      entry text NOT NULL
    , bytes integer NOT NULL DEFAULT 0);

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

CREATE UNIQUE INDEX metering_buckets_account_seq_name_key ON metering_buckets (account_seq, name);

CREATE TABLE plan_history (
      plan_seq integer NOT NULL,
      valid_until integer NOT NULL,
      bucket_seq integer NOT NULL REFERENCES metering_buckets,
      meters text NOT NULL, price text, rates text, rollover text,
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
      updated_on integer NOT NULL
    , name text);

CREATE UNIQUE INDEX webhooks_account ON webhooks (account_seq, id);

CREATE INDEX webhooks_due ON webhooks (next_due_on) WHERE next_due_on IS NOT NULL;

CREATE TABLE webhook_timers (
      name text NOT NULL PRIMARY KEY,
      reached_time integer NOT NULL,
      reached_seq integer NOT NULL
    ) WITHOUT ROWID;

CREATE INDEX api_keys_expiring ON api_keys (expires_on, seq) WHERE expires_on IS NOT NULL;

CREATE INDEX subscriptions_by_trial_end ON subscriptions (trial_end_date, seq) WHERE trial_end_date IS NOT NULL;

CREATE INDEX subscriptions_by_renewal ON subscriptions (renews_on);

CREATE INDEX usage_counters_unchecked ON usage_counters (subscription_seq, period_start, meter)
      WHERE is_unchecked = 1;

CREATE TABLE key_permissions (
      bucket_seq integer NOT NULL,
      permission text NOT NULL,
      key_seq integer NOT NULL REFERENCES api_keys ON DELETE CASCADE,
      PRIMARY KEY (bucket_seq, permission, key_seq)
    ) WITHOUT ROWID;

CREATE INDEX key_permissions_of_key ON key_permissions (key_seq);

CREATE INDEX api_keys_in_order ON api_keys (bucket_seq, seq);

CREATE INDEX api_keys_by_id ON api_keys (bucket_seq, id);

CREATE INDEX api_keys_by_suffix ON api_keys (bucket_seq, (substr(suffix, 8, 1) || substr(suffix, 7, 1) || substr(suffix, 6, 1) || substr(suffix, 5, 1) || substr(suffix, 4, 1) || substr(suffix, 3, 1) || substr(suffix, 2, 1) || substr(suffix, 1, 1)));

CREATE INDEX api_keys_by_creation ON api_keys (bucket_seq, created_on);

CREATE INDEX api_keys_by_last_use ON api_keys (bucket_seq, last_used_on, created_on);

CREATE INDEX api_keys_by_expiry ON api_keys (bucket_seq, expires_on) WHERE expires_on IS NOT NULL;

CREATE INDEX api_keys_disabled ON api_keys (bucket_seq, seq) WHERE is_enabled = 0;

CREATE INDEX consumers_by_id ON consumers (bucket_seq, id);

CREATE INDEX deployments_by_name ON deployments (account_seq, name);

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
      updated_on integer NOT NULL, is_limited integer NOT NULL DEFAULT 0,
      CONSTRAINT project_variables_account_seq_project_name_key UNIQUE (account_seq, project, name)
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
      expires_on integer NOT NULL, person_seq integer REFERENCES people ON DELETE CASCADE, method text NOT NULL DEFAULT 'token', ip text, ended_in text,
      CONSTRAINT sessions_hash_key UNIQUE (hash)
    );

CREATE INDEX sessions_of_token ON sessions (token_id, seq);

CREATE INDEX sessions_token ON sessions (token_seq);

CREATE INDEX sessions_account ON sessions (account_seq);

CREATE INDEX sessions_by_end ON sessions (expires_on);

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
      updated_on integer NOT NULL, mounts text,
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
      entries blob NOT NULL, sealed_on integer,
      PRIMARY KEY (account_seq, number)
    );

CREATE TABLE audit_topics (
      account_seq integer NOT NULL,
      topic text NOT NULL,
      number integer NOT NULL,
      PRIMARY KEY (account_seq, topic, number)
    ) WITHOUT ROWID;

CREATE TABLE webhook_removals (account_seq integer PRIMARY KEY);

CREATE TABLE "webhook_messages" (
            seq integer PRIMARY KEY AUTOINCREMENT,
            account_seq integer NOT NULL,
            id text NOT NULL,
            type text NOT NULL,
            body text NOT NULL,
            created_on integer NOT NULL,
            CONSTRAINT webhook_messages_account_seq_id_key UNIQUE (account_seq, id)
          );

CREATE TABLE "webhook_deliveries" (
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

CREATE TABLE "webhook_attempts" (
            delivery_seq integer NOT NULL REFERENCES "webhook_deliveries" ON DELETE CASCADE,
            number integer NOT NULL,
            started_on integer NOT NULL,
            duration_ms integer NOT NULL,
            status integer,
            error text,
            response text,
            PRIMARY KEY (delivery_seq, number)
          ) WITHOUT ROWID;

CREATE INDEX webhook_messages_by_age ON webhook_messages (created_on);

CREATE INDEX webhook_messages_of_account ON webhook_messages (account_seq, created_on);

CREATE UNIQUE INDEX webhook_deliveries_in_order ON webhook_deliveries (webhook_seq, id);

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_seq, due_on) WHERE due_on IS NOT NULL;

CREATE INDEX webhook_deliveries_of_message ON webhook_deliveries (message_seq);

CREATE INDEX plans_by_label ON plans (bucket_seq, label);

CREATE TABLE key_uses (
      block integer PRIMARY KEY,
      times blob NOT NULL
    );

CREATE INDEX omitted_requests_by_minute ON omitted_requests (minute);

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
      expires_on integer NOT NULL, estimate text NOT NULL DEFAULT '0', used_on integer NOT NULL DEFAULT 0,
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
      updated_on integer NOT NULL
    , client_secret blob);

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
      expires_on integer NOT NULL
    , manager_seq integer REFERENCES managers ON DELETE CASCADE, mailbox text, issuer text);

CREATE INDEX portal_sessions_by_portal ON portal_sessions (portal_seq);

CREATE INDEX portal_sessions_by_consumer ON portal_sessions (consumer_seq);

CREATE INDEX portal_sessions_by_expiry ON portal_sessions (expires_on);

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
      updated_on integer NOT NULL, invited_id text, invited_email text, invited_by text,
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

CREATE INDEX sessions_person ON sessions (person_seq);

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
      expires_on integer NOT NULL
    , path text);

CREATE INDEX sign_ins_of_mailbox ON sign_ins (audience, email_key, created_on);

CREATE INDEX sign_ins_of_address ON sign_ins (address_group, created_on);

CREATE INDEX sign_ins_by_end ON sign_ins (expires_on);

CREATE UNIQUE INDEX webhooks_account_seq_name_key ON webhooks (account_seq, name);

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

CREATE INDEX portal_sessions_by_manager ON portal_sessions (manager_seq);

CREATE TABLE portal_proofs (
      seq integer PRIMARY KEY AUTOINCREMENT,
      hash blob NOT NULL CONSTRAINT portal_proofs_hash_key UNIQUE,
      portal_seq integer NOT NULL REFERENCES portals ON DELETE CASCADE,
      mailbox text NOT NULL,
      expires_on integer NOT NULL
    , issuer text, subject text);

CREATE INDEX portal_proofs_by_portal ON portal_proofs (portal_seq);

CREATE INDEX portal_proofs_by_expiry ON portal_proofs (expires_on);

CREATE TABLE portal_sign_ups (
      seq integer PRIMARY KEY AUTOINCREMENT,
      portal_seq integer NOT NULL REFERENCES portals ON DELETE CASCADE,
      consumer_seq integer NOT NULL CONSTRAINT portal_sign_ups_consumer_seq_key UNIQUE
        REFERENCES consumers ON DELETE CASCADE,
      email text NOT NULL,
      label text,
      created_on integer NOT NULL
    , is_returning integer NOT NULL DEFAULT 0);

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

CREATE INDEX subscriptions_by_billing ON subscriptions (bills_on) WHERE bills_on IS NOT NULL;

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
      updated_on integer NOT NULL, secret_key blob, webhook_secret blob,
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
      updated_on integer NOT NULL, spend_cap text, credit_limit text, top_up text, tax_status text,
      CONSTRAINT customers_bucket_seq_customer_key_key UNIQUE (bucket_seq, customer_key)
    );

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
      updated_on integer NOT NULL, from_credits text NOT NULL DEFAULT '0', written_off text NOT NULL DEFAULT '0', collection_state text, collection_url text, collected text, refunded text NOT NULL DEFAULT '0', refund_state text, netted text NOT NULL DEFAULT '0', line_credits text NOT NULL DEFAULT '{}', purchase_id text, tax_behavior text, disputed text NOT NULL DEFAULT '0', recorded_on integer,
      CONSTRAINT invoices_bucket_seq_id_key UNIQUE (bucket_seq, id)
    );

CREATE INDEX invoices_in_order ON invoices (bucket_seq, seq);

CREATE INDEX invoices_of_customer ON invoices (bucket_seq, customer_key, seq);

CREATE INDEX invoices_of_subscription ON invoices (bucket_seq, subscription_id, seq);

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

CREATE INDEX tokens_of_trusted_issuer ON tokens (trusted_issuer_seq);

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
      updated_on integer NOT NULL
    , purchase_id text, rollover_seq integer);

CREATE INDEX grants_of_customer ON grants (bucket_seq, customer_key, seq);

CREATE INDEX grants_by_expiry ON grants (expires_on) WHERE expires_on IS NOT NULL AND ended_on IS NULL;

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
      applied_paid text NOT NULL, prepaid text NOT NULL DEFAULT '0', applied_prepaid text NOT NULL DEFAULT '0', written_off text NOT NULL DEFAULT '0', applied_written_off text NOT NULL DEFAULT '0', written_off_last text NOT NULL DEFAULT '0',
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
      generation integer NOT NULL, payment_method text, session_id text, sync_on integer, sync_until integer, wakes integer NOT NULL DEFAULT 0, lease text, lease_until integer,
      PRIMARY KEY (bucket_seq, customer_key)
    ) WITHOUT ROWID;

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
      updated_on integer NOT NULL
    , wakes integer NOT NULL DEFAULT 0, paid_with text, charging integer NOT NULL DEFAULT 0, void_on integer, requested integer NOT NULL DEFAULT 0, performed integer NOT NULL DEFAULT 0, recorded text NOT NULL DEFAULT '0', payment_intent text, refund_events integer NOT NULL DEFAULT 0, refunds_read integer NOT NULL DEFAULT 0, credited_before text NOT NULL DEFAULT '0') WITHOUT ROWID;

CREATE INDEX stripe_invoices_due ON stripe_invoices (next_on) WHERE next_on IS NOT NULL;

CREATE INDEX stripe_invoices_by_id ON stripe_invoices (account_seq, mode, stripe_id);

CREATE TABLE stripe_events (
      account_seq integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
      mode text NOT NULL,
      event_id text NOT NULL,
      received_on integer NOT NULL,
      PRIMARY KEY (account_seq, mode, event_id)
    ) WITHOUT ROWID;

CREATE INDEX stripe_events_by_time ON stripe_events (received_on);

CREATE INDEX stripe_customers_due ON stripe_customers (sync_on) WHERE sync_on IS NOT NULL;

CREATE INDEX stripe_customers_by_id ON stripe_customers (stripe_id);

CREATE INDEX managers_by_sub ON managers (bucket_seq, sub);

CREATE TABLE checkouts (
      hash blob NOT NULL PRIMARY KEY,
      bucket_seq integer NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
      customer_key text NOT NULL,
      return_url text NOT NULL,
      expires_on integer NOT NULL
    , cancel_url text) WITHOUT ROWID;

CREATE INDEX checkouts_by_expiry ON checkouts (expires_on);

CREATE INDEX checkouts_by_bucket ON checkouts (bucket_seq);

CREATE INDEX invoices_by_finalization ON invoices (bucket_seq, finalized_on, seq);

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
      rules text NOT NULL
    , key_created_on integer);

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

CREATE INDEX checkouts_of_customer ON checkouts (bucket_seq, customer_key);

CREATE INDEX customers_capped ON customers (bucket_seq, customer_key)
     WHERE spend_cap IS NOT NULL OR credit_limit IS NOT NULL;

CREATE TABLE scheduled_plans (
      subscription_seq integer NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
      position integer NOT NULL,
      plan_seq integer NOT NULL REFERENCES plans,
      PRIMARY KEY (subscription_seq, position)
    ) WITHOUT ROWID;

CREATE INDEX scheduled_plans_by_plan ON scheduled_plans (plan_seq);

CREATE INDEX invoices_waiting ON invoices (bucket_seq, seq) WHERE status = 'draft' AND finalizes_on IS NULL;

CREATE INDEX stripe_invoices_by_payment ON stripe_invoices (account_seq, mode, payment_intent)
       WHERE payment_intent IS NOT NULL;

CREATE TABLE segment_marks (
      subscription_seq integer NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
      period_start integer NOT NULL,
      segment_seq integer NOT NULL,
      time integer NOT NULL,
      meter text NOT NULL,
      whole integer NOT NULL,
      billionths integer NOT NULL, last_event integer,
      PRIMARY KEY (subscription_seq, period_start, segment_seq, meter)
    ) WITHOUT ROWID;

CREATE UNIQUE INDEX audit_segments_by_ids ON audit_segments (account_seq, highest_id, lowest_id);

CREATE INDEX api_keys_of_consumer ON api_keys (consumer_seq, seq);

CREATE INDEX webhook_deliveries_by_seq ON webhook_deliveries (webhook_seq, seq);

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
      expires_on integer
    , consent text);

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
      updated_on integer NOT NULL, backfill_to integer,
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

CREATE INDEX pack_purchases_by_expiry ON pack_purchases (expires_on)
       WHERE state = 'open' AND expires_on IS NOT NULL;

CREATE INDEX grants_of_purchase ON grants (bucket_seq, purchase_id) WHERE purchase_id IS NOT NULL;

CREATE INDEX customers_with_top_up ON customers (bucket_seq, customer_key) WHERE top_up IS NOT NULL;

CREATE TABLE consumer_words (
      bucket_seq integer NOT NULL,
      word text NOT NULL,
      consumer_seq integer NOT NULL,
      PRIMARY KEY (bucket_seq, word, consumer_seq)
    ) WITHOUT ROWID;

CREATE INDEX consumers_without_words ON consumers (seq) WHERE words_version <> version;

CREATE INDEX invoices_by_number ON invoices (bucket_seq, number);

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

CREATE INDEX grants_of_rollover ON grants (rollover_seq) WHERE rollover_seq IS NOT NULL;

CREATE TABLE customer_dues (
      bucket_seq integer NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
      customer_key text NOT NULL,
      due integer NOT NULL,
      PRIMARY KEY (bucket_seq, customer_key)
    ) WITHOUT ROWID;

CREATE INDEX customer_dues_in_order ON customer_dues (bucket_seq, due DESC, customer_key);

CREATE INDEX invoices_open ON invoices (bucket_seq, customer_key, seq) WHERE status = 'open';

CREATE INDEX invoices_late ON invoices (bucket_seq, seq) WHERE status = 'open' AND failed_on IS NOT NULL;

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

CREATE INDEX invoices_paid ON invoices (bucket_seq, paid_on, seq) WHERE paid_on IS NOT NULL;

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

CREATE INDEX customers_in_order ON customers (bucket_seq, seq);

CREATE INDEX invoices_by_recording ON invoices (bucket_seq, (COALESCE(recorded_on, finalized_on)), seq);

INSERT INTO migrations (name, applied_on) VALUES
  ('0001-foundation', 0),
  ('0002-metering', 0),
  ('0003-deployments', 0),
  ('0004-rate-limits', 0),
  ('0005-log-sizes', 0),
  ('0006-production-branch', 0),
  ('0007-metering-history', 0),
  ('0008-lookalike-keys', 0),
  ('0009-analytics', 0),
  ('0010-requests', 0),
  ('0011-audit', 0),
  ('0012-webhooks', 0),
  ('0013-key-fields', 0),
  ('0014-variables', 0),
  ('0020-sessions', 0),
  ('0021-domains', 0),
  ('0022-certificates', 0),
  ('0023-subscription-counts', 0),
  ('0024-audit-segments', 0),
  ('0025-webhook-removal', 0),
  ('0026-key-counts', 0),
  ('0027-plan-labels', 0),
  ('0028-key-uses', 0),
  ('0029-sorted-domains', 0),
  ('0030-packed-changes', 0),
  ('0033-audit-ends', 0),
  ('0038-omitted-by-minute', 0),
  ('0050-views', 0),
  ('0060-canaries', 0),
  ('0065-quota-holds', 0),
  ('0070-mounts', 0),
  ('0075-verifications', 0),
  ('0080-changes-by-transaction', 0),
  ('0090-portals', 0),
  ('0095-people', 0),
  ('0096-mail', 0),
  ('0100-webhook-names', 0),
  ('0101-configuration', 0),
  ('0102-version-sources', 0),
  ('0103-leaked-keys', 0),
  ('0120-deployment-sites', 0),
  ('0125-portal-people', 0),
  ('0130-billing', 0),
  ('0150-trusted-issuers', 0),
  ('0160-version-authors', 0),
  ('0180-grants', 0),
  ('0181-caps', 0),
  ('0190-stripe', 0),
  ('0191-stripe-methods', 0),
  ('0200-portal-provider', 0),
  ('0210-purchases', 0),
  ('0220-revenue', 0),
  ('0221-billing-mail', 0),
  ('0260-stripe-charges', 0),
  ('0264-stripe-customer-leases', 0),
  ('0265-checkout-cancel-urls', 0),
  ('0267-refunds', 0),
  ('0270-portal-deleted-keys', 0),
  ('0271-portal-invite-mails', 0),
  ('0272-portal-former-customers', 0),
  ('0274-capped-customers', 0),
  ('0277-scheduled-plans', 0),
  ('0278-waiting-drafts', 0),
  ('0280-stripe-refunds', 0),
  ('0285-stripe-credited-before', 0),
  ('0290-fee-returns', 0),
  ('0300-segment-marks', 0),
  ('0310-limited-builds', 0),
  ('0312-invited-ids', 0),
  ('0313-explicit-invitations', 0),
  ('0320-future-ids', 0),
  ('0335-counter-versions', 0),
  ('0345-metering-holds', 0),
  ('0365-model-usage', 0),
  ('0370-oauth', 0),
  ('0380-exports', 0),
  ('0400-lost-usage', 0),
  ('0401-model-consumers', 0),
  ('0410-oauth-consents', 0),
  ('0411-sign-in-paths', 0),
  ('0440-credit-packs', 0),
  ('0450-prepaid-rates', 0),
  ('0451-voided-events', 0),
  ('0460-taxes', 0),
  ('0480-search-words', 0),
  ('0500-rollover', 0),
  ('0530-customer-dues', 0),
  ('0540-late-invoices', 0),
  ('0570-event-partitions', 0),
  ('0600-payments', 0),
  ('0610-disputes', 0),
  ('0620-usage-rankings', 0),
  ('0621-customer-counts', 0),
  ('0630-prepaid-order', 0),
  ('0640-customers-key-bucket', 0),
  ('0650-suspended-consumers', 0),
  ('0660-recorded-invoices', 0);
