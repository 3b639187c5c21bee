import type { Generated } from "kysely";

/**
 * Both engines hold the same columns: times are milliseconds since 1970, booleans 0 or 1, JSON its compact
 * text. `seq` is the internal key and the order of creation; `id` is what the world sees.
 */
declare module "../../platform/storage/tables.ts" {
  interface Tables {
    accounts: {
      seq: Generated<number>;
      id: string;
      name: string;
      version: number;
      created_on: number;
      updated_on: number;
    };
    tokens: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      role: string;
      name: string | null;
      hash: Uint8Array;
      expires_on: number | null;
      last_used_on: number | null;
      created_on: number;
    };
    /** Who is signed in with a browser. */
    sessions: {
      seq: Generated<number>;
      id: string;
      hash: Uint8Array;
      /** Null for the operator's. */
      account_seq: number | null;
      token_seq: number | null;
      /** The id of the token, or `operator`. */
      token_id: string;
      token_hash: Uint8Array;
      created_on: number;
      last_used_on: number;
      expires_on: number;
    };
    key_buckets: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      name: string;
      description: string | null;
      tags: string | null;
      is_retrievable: number;
      key_prefix: string;
      /** 1 from the first supplied key on that has the generated shape with another checksum. */
      has_lookalike_keys: Generated<number>;
      version: number;
      created_on: number;
      updated_on: number;
    };
    consumers: {
      seq: Generated<number>;
      id: string;
      bucket_seq: number;
      name: string;
      description: string | null;
      tags: string | null;
      metadata: string | null;
      version: number;
      created_on: number;
      updated_on: number;
    };
    /** The tags of consumers once more, by value, for filtering. */
    consumer_tags: {
      bucket_seq: number;
      name: string;
      value: string;
      consumer_seq: number;
    };
    managers: {
      seq: Generated<number>;
      id: string;
      bucket_seq: number;
      consumer_seq: number;
      sub: string;
      email: string | null;
      /** Lower case, for looking up. */
      email_key: string | null;
      created_on: number;
    };
    manager_invites: {
      seq: Generated<number>;
      id: string;
      bucket_seq: number;
      consumer_seq: number;
      email: string;
      email_key: string;
      created_on: number;
      expires_on: number;
    };
    api_keys: {
      seq: Generated<number>;
      id: string;
      bucket_seq: number;
      consumer_seq: number;
      /** SHA-256 of the value. */
      hash: Uint8Array;
      /** The last characters, for the masked form. */
      suffix: string;
      /** The sealed value, in retrievable buckets only. */
      sealed: Uint8Array | null;
      description: string | null;
      expires_on: number | null;
      is_enabled: Generated<number>;
      /** A JSON array; null where it has none. */
      permissions: string | null;
      /** A JSON array; null where every address is good. */
      allowed_ips: string | null;
      /** `{requests, windowSeconds}` as JSON. */
      rate_limit: string | null;
      metadata: string | null;
      last_used_on: number | null;
      version: number;
      created_on: number;
      updated_on: number;
    };
    /** The permissions of keys once more, for filtering. */
    key_permissions: {
      bucket_seq: number;
      permission: string;
      key_seq: number;
    };
    /** Work over more than fits into a request. */
    jobs: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      /** Who started it. */
      actor: string;
      kind: string;
      /** What to do, as JSON; its shape depends on the kind. */
      input: string;
      state: string;
      /** How far it is: what that counts depends on the kind. */
      position: number;
      done: number;
      failed: number;
      total: number;
      /** Which node runs it, and until when that may be believed. */
      worker: string | null;
      worker_until: number | null;
      created_on: number;
      updated_on: number;
    };
    metering_buckets: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      name: string | null;
      version: number;
      created_on: number;
      updated_on: number;
    };
    plans: {
      seq: Generated<number>;
      id: string;
      bucket_seq: number;
      external_id: string;
      label: string;
      meters: string;
      trial_days: number | null;
      trial_end_status: string | null;
      is_trial_collect_payment: number | null;
      version: number;
      created_on: number;
      updated_on: number;
    };
    subscriptions: {
      seq: Generated<number>;
      id: string;
      bucket_seq: number;
      /** As it was set; what it reads as depends on the time, see metering/status.ts. */
      status: string;
      renewal_strategy: string;
      region: string;
      customer_key: string;
      external_id: string;
      customer_external_id: string;
      quota_reset_anchor: number;
      metadata: string | null;
      trial_end_status: string | null;
      trial_start_date: number | null;
      trial_end_date: number | null;
      next_billing_cycle: number | null;
      product_key: string | null;
      /** The period in which a prorated change of plans counts, by its start, and what each meter allows in it. */
      allowance_period: number | null;
      allowance: string | null;
      /** When its next period begins; 0 and -1 where that is still to be worked out, see webhooks/renewals.ts. */
      renews_on: Generated<number>;
      version: number;
      created_on: number;
      updated_on: number;
    };
    /** What a plan allowed until it was changed or deleted. */
    plan_history: {
      plan_seq: number;
      valid_until: number;
      bucket_seq: number;
      meters: string;
    };
    /** What a subscription's plans were, and what was prorated, until that changed. */
    subscription_history: {
      subscription_seq: number;
      valid_until: number;
      /** In their order, as a JSON array. */
      plan_seqs: string;
      allowance_period: number | null;
      allowance: string | null;
    };
    subscription_plans: {
      subscription_seq: number;
      position: number;
      plan_seq: number;
    };
    usage_counters: {
      subscription_seq: number;
      period_start: number;
      meter: string;
      events: number;
      whole: number;
      billionths: number;
      /** The share of events that retention has removed. */
      removed_events: number;
      removed_whole: number;
      removed_billionths: number;
      consumed_whole: number;
      consumed_billionths: number;
      /** 1 from a write on until its thresholds are compared, see webhooks/thresholds.ts. */
      is_unchecked: Generated<number>;
      /** The highest threshold that was announced, and of which max. */
      announced_percent: Generated<number>;
      announced_max: string | null;
    };
    usage_events: {
      seq: Generated<number>;
      bucket_seq: number;
      source: string;
      event_id: string;
      /** Which of the event's meters this row is for, from 0. */
      part: number;
      subscription_seq: number;
      time: number;
      period_start: number;
      received_on: number;
      meter: string;
      whole: number;
      billionths: number;
    };
    /** What was used in an hour of a period, events and consumed quotas together; see metering/usage-series.ts. */
    usage_hours: {
      time: number;
      subscription_seq: number;
      period_start: number;
      meter: string;
      whole: number;
      billionths: number;
    };
    /** The same by day. The days of a period add up to its counter. */
    usage_days: {
      time: number;
      subscription_seq: number;
      period_start: number;
      meter: string;
      whole: number;
      billionths: number;
    };
    /** Requests to deployments by minute, hour and day; see analytics/traffic.ts. */
    traffic: {
      /** In milliseconds: a minute, an hour or a day. */
      step: number;
      time: number;
      /** 0: by version and status alone, 1: by route too, 2: by consumer too. */
      detail: number;
      account_seq: number;
      deployment_seq: number;
      /** Its number. */
      version: number;
      route: string;
      status: number;
      consumer: string;
      requests: number;
      rejected: number;
      errors: number;
      bytes_in: number;
      bytes_out: number;
      /** A LatencyHistogram. */
      latency: Uint8Array;
    };
    /** Deployments that have rows in `traffic`, so that those of deleted ones are found. */
    traffic_deployments: {
      deployment_seq: number;
      account_seq: number;
    };
    project_variables: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      project: string;
      name: string;
      /** A JSON array of `production`, `preview` and names of branches. */
      environments: string;
      /** Null for a secret. */
      value: string | null;
      /** Null for a plain variable. */
      sealed: Uint8Array | null;
      version: number;
      created_on: number;
      updated_on: number;
    };
    /** Only where it is not `main`. */
    production_branches: { account_seq: number; project: string; branch: string };
    deployments: {
      seq: Generated<number>;
      account_seq: number;
      /** Also the host name under which it is reached. */
      name: string;
      project: string;
      branch: string;
      /** The hex digits that end the name. */
      code: string;
      message: string;
      active_version_seq: number | null;
      /** What `deploy` builds again. */
      source_seq: number | null;
      version: number;
      created_on: number;
      updated_on: number;
    };
    deployment_builds: {
      seq: Generated<number>;
      /** The status id, and the name of the archive. */
      id: string;
      deployment_seq: number;
      state: string;
      /** Of the secret in the upload address; null where the source was there already. */
      upload_hash: Uint8Array | null;
      upload_until: number;
      source_seq: number | null;
      steps: string;
      result: string | null;
      /** Who is at it, and until when that may be believed. */
      worker: string | null;
      worker_until: number | null;
      attempts: number;
      version: number;
      created_on: number;
      updated_on: number;
    };
    deployment_sources: {
      seq: Generated<number>;
      deployment_seq: number;
      created_on: number;
    };
    deployment_source_chunks: {
      source_seq: number;
      position: number;
      data: Uint8Array;
    };
    deployment_artifacts: {
      deployment_seq: number;
      /** SHA-256 of the data, in hex. */
      hash: string;
      data: string;
    };
    deployment_versions: {
      seq: Generated<number>;
      id: string;
      deployment_seq: number;
      /** From 1, in the order of building. */
      number: number;
      build_id: string;
      artifact_hash: string;
      artifact_bytes: number;
      routes: number;
      created_on: number;
    };
    deployment_logs: {
      seq: Generated<number>;
      id: string;
      deployment_seq: number;
      time: number;
      kind: string;
      entry: string;
      /** About what the line takes in storage. */
      bytes: number;
    };
    /** What the lines of a deployment take together. */
    deployment_log_sizes: {
      deployment_seq: number;
      bytes: number;
    };
    /** Requests to deployments, the successes (status below 400) and failures of each within a bound of their own. */
    requests: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      deployment_seq: number;
      version_seq: number;
      /** 1 or 0. */
      is_failure: number;
      time: number;
      status: number;
      method: string;
      path: string;
      route: string | null;
      consumer: string | null;
      request_id: string;
      /** The rest, as JSON. */
      entry: string;
      /** About what the row takes in storage. */
      bytes: number;
    };
    request_sizes: {
      deployment_seq: number;
      is_failure: number;
      bytes: number;
    };
    /** How many requests were over the rate and are not kept, by minute. */
    omitted_requests: {
      deployment_seq: number;
      /** Its beginning, in milliseconds. */
      minute: number;
      account_seq: number;
      successes: number;
      failures: number;
    };
    idempotency_keys: {
      credential: string;
      key: string;
      fingerprint: Uint8Array;
      /** Status, headers and body of the first response, sealed: responses may hold keys. */
      answer: Uint8Array;
      created_on: number;
    };
    /** How much of a rate limit was used in a window; only where several nodes share it. */
    rate_limits: {
      /** Deployment, policy and length of the window. */
      scope: string;
      /** Who is counted. */
      subject: string;
      window_start: number;
      ends_on: number;
      used: number;
    };
    /** The last batch that each writer of counters has written, see batch-writer.ts. */
    written_batches: {
      writer: string;
      number: number;
      written_on: number;
    };
    /** The sealed part of the audit log; what is not sealed yet is in `changes`. */
    audit_entries: {
      account_seq: number;
      id: string;
      /** From 1, in the order of the account's chain. */
      number: number;
      time: number;
      action: string;
      /** Ids of who did it, of the resource, and of what that belongs to. */
      actor: string;
      resource_type: string;
      resource: string;
      parent: string | null;
      /** All of it, in canonical JSON: what the hash is over. */
      entry: string;
      hash: string;
    };
    /** The chain of an account's entries: its head, and the anchor that trimming left. */
    audit_chains: {
      account_seq: number;
      account: string;
      count: number;
      hash: string;
      sealed_on: number;
      /** The last entry that was trimmed, 0 if none was. */
      anchor: number;
      anchor_hash: string;
      /** Time of the oldest entry that is left. */
      oldest_on: number | null;
      signed_count: number;
      /** The head that was signed last, with its signature. */
      head: string | null;
    };
    /** Ed25519 keys that heads are signed with; the private half is sealed. */
    audit_keys: {
      id: string;
      public_key: string;
      private_key: Uint8Array;
      created_on: number;
    };
    webhooks: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      url: string;
      /** Patterns of event types, as a JSON array. */
      events: string;
      description: string | null;
      is_enabled: number;
      /** Why it was disabled where nobody asked for it. */
      disabled_reason: string | null;
      /** Sealed. */
      secret: Uint8Array;
      /** The one before a rotation, which signs too until its time ends. */
      previous_secret: Uint8Array | null;
      previous_until: number | null;
      /** The first failed attempt since the last success. */
      failing_since: number | null;
      /** No delivery is due before this; null where none is pending. */
      next_due_on: number | null;
      version: number;
      created_on: number;
      updated_on: number;
    };
    webhook_messages: {
      seq: Generated<number>;
      account_seq: number;
      /** Derived from what caused it, so that a cause gives one message however often it is read. */
      id: string;
      type: string;
      /** The bytes that are signed and sent. */
      body: string;
      created_on: number;
    };
    webhook_deliveries: {
      seq: Generated<number>;
      id: string;
      webhook_seq: number;
      message_seq: number;
      /** The `webhook-id` header: the message's, or one of its own after a replay with new ids. */
      message_id: string;
      type: string;
      status: string;
      attempts: number;
      /** How many attempts of the present schedule were made. */
      schedule_step: number;
      /** When it is to be attempted next; while a node is at it, when its lease ends. Null once it is finished. */
      due_on: number | null;
      /** The attempt under way. */
      lease: string | null;
      created_on: number;
      finished_on: number | null;
    };
    webhook_attempts: {
      delivery_seq: number;
      number: number;
      started_on: number;
      duration_ms: number;
      status: number | null;
      error: string | null;
      /** The first 4 KiB of the response's body. */
      response: string | null;
    };
    webhook_timers: {
      name: string;
      reached_time: number;
      reached_seq: number;
    };
    /** Claims of hosts for deployments; those that are not `pending` own their host and are routed. */
    domains: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      /** In lower case ASCII, without a trailing dot. */
      host: string;
      /** Stays when the deployment is deleted: a new one of the same branch has the same name. */
      deployment_name: string;
      /** `pending`, `active` or `failing`. */
      status: string;
      /** When a pending claim is removed; null for the others. */
      expires_on: number | null;
      /** Since when the proof is missing from DNS; null unless `failing`. */
      failing_since: number | null;
      is_proof_seen: number;
      is_route_seen: number;
      /** What the last check found wrong, see domains/finding.ts. */
      finding: string | null;
      checked_on: number | null;
      /** While a node is at it, when its lease ends. */
      next_check_on: number;
      /** How many checks the present status has seen, for the back-off. */
      checks: number;
      version: number;
      created_on: number;
      updated_on: number;
    };
    /** Certificates that are ordered from an authority, by the host they are for. */
    certificates: {
      host: string;
      /** PEM, the leaf first. Null until the first was issued. */
      chain: string | null;
      /** PEM, sealed. */
      private_key: Uint8Array | null;
      issued_on: number | null;
      /** When to order it next: for the first time, again after a failure, or to renew it. */
      due_on: number;
      /** In a row. */
      failures: number;
      /** Why the last order failed; null after a success. */
      error: string | null;
      /** The order under way. */
      lease: string | null;
      lease_ends_on: number | null;
    };
    /** The installation's account at each authority. */
    acme_accounts: {
      directory: string;
      /** PEM, sealed. */
      private_key: Uint8Array;
      created_on: number;
    };
    /** What authorities may ask for over plain HTTP, from any node. */
    acme_challenges: {
      token: string;
      key_authorization: string;
      created_on: number;
    };
    /** Names of the encryption keys that stored values are sealed under. */
    encryption_keys: {
      name: string;
      /** When a server last started with it as its first key. */
      created_on: number;
    };
  }
}
