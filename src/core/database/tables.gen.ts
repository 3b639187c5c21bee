// Written by scripts/generate-tables.ts from core/database/migrations.
import type { Generated } from "kysely";

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
    /** Identity providers whose tokens are exchanged for tokens of this server, such as those of CI services. */
    trusted_issuers: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      issuer: string;
      /** Null for the default, which depends on the public URL. */
      audience: string | null;
      subject: string;
      /** JSON: patterns by name. */
      claims: string | null;
      role: string;
      project: string | null;
      /** JSON: a list. */
      environments: string;
      branch_claim: string | null;
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
      /** The id of the person who created it. Null for a token, the operator and the server. */
      created_by: string | null;
      /** Of a token that was exchanged for one of a trusted issuer. */
      trusted_issuer_seq: number | null;
      /** JSON: the trusted issuer, and the project, environments and branch that the token is limited to. */
      scope: string | null;
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
      version: number;
      created_on: number;
      updated_on: number;
      /** 1 once the bucket has a supplied key in the generated format with another checksum. */
      has_lookalike_keys: Generated<number>;
      /** What happens to a key that is reported as leaked: `mark` or `disable`. */
      on_leak: Generated<string>;
      /** A JSON array of TokenIssuer, or null. */
      token_issuers: string | null;
    };
    /** No cascade from bucket to consumer, so that a race cannot delete a bucket that contains consumers. */
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
      is_suspended: Generated<number>;
      suspension_reason: string | null;
      display_name: string | null;
    };
    /** The tags of consumers by value, for filtering. */
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
      /** In lower case, for look-ups. */
      email_key: string | null;
      created_on: number;
      /** Separated by spaces. Null: all scopes. */
      scopes: string | null;
      version: Generated<number>;
      /** The identity provider that has confirmed `sub`. */
      issuer: string | null;
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
      /** Of the manager that it becomes. */
      scopes: string | null;
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
      /** The encrypted value, in retrievable buckets only. */
      sealed: Uint8Array | null;
      description: string | null;
      expires_on: number | null;
      version: number;
      created_on: number;
      updated_on: number;
      is_enabled: Generated<number>;
      /** A JSON array, or null. */
      permissions: string | null;
      /** A JSON array. Null if every address is allowed. */
      allowed_ips: string | null;
      /** `{requests, windowSeconds}` as JSON. */
      rate_limit: string | null;
      metadata: string | null;
      /** A later use may be in `key_uses`. */
      last_used_on: number | null;
      /** `{reportedOn, source, url?}` as JSON, if the value was reported as leaked. */
      leak: string | null;
    };
    idempotency_keys: {
      credential: string;
      key: string;
      fingerprint: Uint8Array;
      /** Status, headers and body of the first response, encrypted because responses may contain keys. */
      answer: Uint8Array;
      created_on: number;
    };
    /** Names of the encryption keys of stored values. */
    encryption_keys: {
      name: string;
      /** When a server last started with this key as its first. */
      created_on: number;
    };
    metering_buckets: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      version: number;
      created_on: number;
      updated_on: number;
      name: string | null;
      /** The time in a test bucket. Null in others, which have the time of the server. */
      test_clock: number | null;
      /** The name of the key bucket whose consumers are its customers. Null: consumers of any. */
      key_bucket: string | null;
      /** When the recurring fees of the next month are stored. Null: they were never, as in test buckets. */
      recurring_on: number | null;
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
      /** JSON, like `rates`, `rollover` and `features`. */
      price: string | null;
      rates: string | null;
      features: string | null;
      description: string | null;
      is_public: number | null;
      list_position: number | null;
      rollover: string | null;
    };
    /** A deleted subscription whose late usage is awaited has `former_bucket_seq` instead of `bucket_seq`: no query of a bucket finds it. */
    subscriptions: {
      seq: Generated<number>;
      id: string;
      /** Null of a deleted subscription, which no query of a bucket finds. */
      bucket_seq: number;
      /** The status as it was set. The current status depends on the time, see metering/status.ts. */
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
      /** The start of the period in which a prorated change of plans applies, and the maximum of each meter in it. */
      allowance_period: number | null;
      allowance: string | null;
      version: number;
      created_on: number;
      updated_on: number;
      /** When the next period begins. 0 and -1 if that is not computed yet, see webhooks/renewals.ts. */
      renews_on: Generated<number>;
      /** When the next step of billing is due. Null if none is. */
      bills_on: number | null;
      /** From when on the status reads `unpaid`. Null if no payment is overdue. */
      blocks_on: number | null;
      /** JSON: the state of its payments. Null if it was never billed. */
      payment: string | null;
      /** JSON: fees that are charged, and changes at the period's end. Null if it was never billed. */
      billing: string | null;
      /** 1 if grants or caps of the customer may change its limits. */
      has_credits: Generated<number>;
      /** When a purchase that is not paid expires. Null if it is paid, and for other subscriptions. */
      expires_on: number | null;
      /** The bucket that it was deleted from, until its late usage is billed. */
      former_bucket_seq: number | null;
    };
    /** No cascade from plan to subscription, so that a race cannot delete a plan that has subscriptions. */
    subscription_plans: {
      subscription_seq: number;
      position: number;
      plan_seq: number;
    };
    /**
     * Amounts are two integers, see lib/amount.ts. The sums of all events, of removed events and of consumed quotas are
     * stored separately, so that the first two can be compared with the events at any time.
     */
    usage_counters: {
      subscription_seq: number;
      period_start: number;
      meter: string;
      events: number;
      whole: number;
      billionths: number;
      /** The sum of the events that retention has removed. */
      removed_events: number;
      removed_whole: number;
      removed_billionths: number;
      consumed_whole: number;
      consumed_billionths: number;
      /** 1 from a write until its thresholds are checked, see webhooks/thresholds.ts. */
      is_unchecked: Generated<number>;
      /** The highest threshold that was announced, and its maximum. */
      announced_percent: Generated<number>;
      announced_max: string | null;
      /** Increases with each change of the total, which may decrease. */
      version: Generated<number>;
    };
    /**
     * One row for each meter of an event. The first row (part 0) shows whether the event is a duplicate. There are no
     * foreign keys, because PostgreSQL checks one per row, and the counter that every event raises has one already.
     */
    usage_events: {
      seq: Generated<number>;
      bucket_seq: number;
      source: string;
      event_id: string;
      /** The index of the event's meter, from 0. */
      part: number;
      subscription_seq: number;
      time: number;
      period_start: number;
      received_on: number;
      meter: string;
      whole: number;
      billionths: number;
      /** When it was taken back. Its amounts are 0 since then. */
      voided_on: number | null;
    };
    /** The name is also a host name, so it is unique over all accounts. */
    deployments: {
      seq: Generated<number>;
      account_seq: number;
      /** Also the host name of the deployment. */
      name: string;
      project: string;
      branch: string;
      /** The hexadecimal digits at the end of the name. */
      code: string;
      message: string;
      active_version_seq: number | null;
      /** The version that `deploy` builds again. */
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
      /** The hash of the secret in the upload address. Null if the source already existed. */
      upload_hash: Uint8Array | null;
      upload_until: number;
      source_seq: number | null;
      steps: string;
      result: string | null;
      /** The node that runs the build, and when its lease expires. */
      worker: string | null;
      worker_until: number | null;
      attempts: number;
      version: number;
      created_on: number;
      updated_on: number;
      /** 1 if the version gets no traffic when it is built. */
      is_staged: Generated<number>;
      /** 1 if the build must not become production, nor change the production branch. */
      is_preview_only: Generated<number>;
      /** The actor that requested the build, as JSON, and its description of the version. */
      author: string;
      note: string | null;
      /** 1 if the caller's access was limited, or that of the caller who uploaded the source. */
      is_limited: Generated<number>;
    };
    deployment_sources: {
      seq: Generated<number>;
      deployment_seq: number;
      created_on: number;
      /** 1 if a caller with limited access uploaded or promoted it. */
      is_limited: Generated<number>;
    };
    /** In chunks, so that no process has to hold an archive in memory. */
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
      /** The number from 1, in the order of builds. */
      number: number;
      build_id: string;
      artifact_hash: string;
      artifact_bytes: number;
      routes: number;
      created_on: number;
      /** 1 until it is live for the first time, if it was built without traffic. */
      is_staged: Generated<number>;
      source_seq: number | null;
      author: string;
      note: string | null;
    };
    /** No foreign key: lines are written asynchronously, and their deployment may have been deleted. */
    deployment_logs: {
      seq: Generated<number>;
      id: string;
      deployment_seq: number;
      time: number;
      kind: string;
      entry: string;
      /** The approximate size of the line in storage. */
      bytes: Generated<number>;
    };
    /**
     * The total of requests that all nodes admitted in a window.
     * The used part of a rate limit in a window. On SQLite only windows of a minute and longer.
     */
    rate_limits: {
      /** Deployment, policy and length of the window, and `sliding` if the limit is. */
      scope: string;
      /** The identifier that is counted, such as a key. */
      subject: string;
      window_start: number;
      /** When the row is no longer needed: at the end of the window, for a sliding limit a window later. */
      ends_on: number;
      used: number;
    };
    /**
     * The total size of the lines of a deployment.
     * No foreign key, like the lines: rows of deleted deployments are found and removed by it.
     */
    deployment_log_sizes: {
      deployment_seq: number;
      bytes: number;
    };
    /** Projects whose production branch is not `main`. */
    production_branches: {
      account_seq: number;
      project: string;
      branch: string;
    };
    /**
     * Former limits and prices of a plan that was changed or deleted.
     * No foreign key to the plan: its former limits apply to past periods after it was deleted.
     */
    plan_history: {
      plan_seq: number;
      valid_until: number;
      bucket_seq: number;
      meters: string;
      price: string | null;
      rates: string | null;
      rollover: string | null;
    };
    /** Former plans and prorations of a subscription. */
    subscription_history: {
      subscription_seq: number;
      valid_until: number;
      /** The plans in order, as a JSON array. */
      plan_seqs: string;
      allowance_period: number | null;
      allowance: string | null;
    };
    /**
     * The last written batch of each counter writer, see batch-writer.ts.
     * The last batch of each writer is sufficient: a writer has at most one batch of unknown outcome.
     */
    written_batches: {
      writer: string;
      number: number;
      written_on: number;
    };
    /**
     * Requests to deployments by minute, hour and day; see analytics/traffic.ts.
     * The time is the first column: old rows are a range at the front, and new ones are written next to each other.
     */
    traffic: {
      /** The length of the interval in milliseconds: a minute, an hour or a day. */
      step: number;
      time: number;
      /**
       * 0: by version and status only, 1: by route too, 2: by route and consumer, 3: by key and consumer, 4: by client and
       * consumer, 5: by tool and consumer, 6: by the consumer's id, 7: by policy in `observe` and consumer.
       */
      detail: number;
      account_seq: number;
      deployment_seq: number;
      /** The version number. */
      version: number;
      /**
       * In detail 3 the id of the key, in detail 4 the name of the client, in detail 5 that of the tool, in detail 6 the id
       * of the consumer, in detail 7 the name of the policy.
       */
      route: string;
      status: number;
      consumer: string;
      requests: number;
      rejected: number;
      errors: number;
      /** Requests that a policy in `observe` would have rejected. */
      observed: number;
      bytes_in: number;
      bytes_out: number;
      /** A LatencyHistogram. */
      latency: Uint8Array;
    };
    /** Deployments that have rows in `traffic`, so that rows of deleted ones can be found. */
    traffic_deployments: {
      deployment_seq: number;
      account_seq: number;
    };
    /**
     * Usage in an hour of a period, of events and consumed quotas together; see metering/usage-series.ts.
     * The time is the first column here too. So there is no foreign key, which would need an index by subscription.
     */
    usage_hours: {
      time: number;
      subscription_seq: number;
      period_start: number;
      meter: string;
      whole: number;
      billionths: number;
    };
    /** Usage by day. The days of a period add up to its counter. */
    usage_days: {
      time: number;
      subscription_seq: number;
      period_start: number;
      meter: string;
      whole: number;
      billionths: number;
    };
    /**
     * Requests to deployments with their outcome: the access log. Successes (status below 400) and failures have separate
     * bounds.
     * No foreign keys: requests are written asynchronously, and their deployment may have been deleted.
     */
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
      /** Further fields as JSON. */
      entry: string;
      /** The approximate size of the row in storage. */
      bytes: number;
    };
    /** Failures and successes have separate bounds, so that a flood of one does not evict the other. */
    request_sizes: {
      deployment_seq: number;
      is_failure: number;
      bytes: number;
    };
    /** The number of requests per minute that exceeded the rate and were not recorded. */
    omitted_requests: {
      deployment_seq: number;
      /** The start of the minute in milliseconds. */
      minute: number;
      account_seq: number;
      successes: number;
      failures: number;
    };
    /** The chain of an account's entries: its head, and the anchor that remains after trimming. */
    audit_chains: {
      account_seq: number;
      account: string;
      count: number;
      hash: string;
      sealed_on: number;
      /** The number of the last trimmed entry, or 0. */
      anchor: number;
      anchor_hash: string;
      /** When the oldest remaining segment was sealed. */
      oldest_on: number | null;
      signed_count: number;
      /** The last signed head with its signature. */
      head: string | null;
    };
    /** Ed25519 keys that sign heads. The private key is encrypted. */
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
      /** Why the server disabled it. Null if a user did. */
      disabled_reason: string | null;
      /** Encrypted. */
      secret: Uint8Array;
      /** The former secret, which also signs until it expires. */
      previous_secret: Uint8Array | null;
      previous_until: number | null;
      /** The time of the first failed attempt since the last success. */
      failing_since: number | null;
      /** No delivery is due before this time. Null if none is pending. */
      next_due_on: number | null;
      version: number;
      created_on: number;
      updated_on: number;
      name: string | null;
    };
    /** The position of each scan for events that are due to time. */
    webhook_timers: {
      name: string;
      reached_time: number;
      reached_seq: number;
    };
    /** The permissions of keys, for filtering. */
    key_permissions: {
      bucket_seq: number;
      permission: string;
      key_seq: number;
    };
    /**
     * Jobs that are too large for one request.
     * No foreign key to the bucket: a job whose bucket was deleted has nothing left to do.
     */
    jobs: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      /** The actor that started the job. */
      actor: string;
      kind: string;
      /** The parameters as JSON. Their shape depends on the kind. */
      input: string;
      state: string;
      /** The progress. Its unit depends on the kind. */
      position: number;
      done: number;
      failed: number;
      total: number;
      /** The node that runs the job, and when its lease expires. */
      worker: string | null;
      worker_until: number | null;
      created_on: number;
      updated_on: number;
    };
    /** Variables of gateway projects. A plain variable has a value, a secret has an encrypted value. */
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
      /** 1 if a caller with limited access set it last. */
      is_limited: Generated<number>;
    };
    /** People, in any number of accounts. */
    people: {
      seq: Generated<number>;
      id: string;
      /** For display. */
      email: string;
      /** The address in lower case, for sign-in by mail. Null if the identity provider has not verified it. */
      email_key: string | null;
      /** The identity at the identity provider: its issuer and `sub`. */
      issuer: string | null;
      subject: string | null;
      signed_in_on: number | null;
      created_on: number;
      updated_on: number;
    };
    /**
     * Browser sessions. A session is deleted with its token. The operator has no token row, so that session ends when it
     * expires.
     */
    sessions: {
      seq: Generated<number>;
      id: string;
      hash: Uint8Array;
      /** The only account of the session. Null for the operator, and for all accounts of a person. */
      account_seq: number | null;
      token_seq: number | null;
      /** The id of the token or the person, or `operator`. */
      token_id: string;
      /** Of a person, the hash of the session, which is no token's. */
      token_hash: Uint8Array;
      created_on: number;
      last_used_on: number;
      expires_on: number;
      person_seq: number | null;
      /** How the person or program signed in: `token`, `invitation`, `mail` or `oidc`. */
      method: Generated<string>;
      ip: string | null;
      /** The `seq` of accounts in which it has ended, with a comma before and after each. */
      ended_in: string | null;
    };
    /**
     * Custom domains of deployments. Any number of accounts may claim a host; at most one owns it. A claim that is not
     * `pending` owns its host, and its requests are routed.
     */
    domains: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      /** In lower case ASCII, without a trailing dot. */
      host: string;
      /** Kept when the deployment is deleted: a new deployment of the same branch has the same name. */
      deployment_name: string;
      /** `pending`, `active` or `failing`. */
      status: string;
      /** When a pending claim is removed; null for the others. */
      expires_on: number | null;
      /** Since when the proof is missing from DNS. Null unless `failing`. */
      failing_since: number | null;
      is_proof_seen: number;
      is_route_seen: number;
      /** The error of the last check, see domains/finding.ts. */
      finding: string | null;
      checked_on: number | null;
      /** The expiry of the lease while a node checks the domain. */
      next_check_on: number;
      /** The number of checks in the current status, for the backoff. */
      checks: number;
      version: number;
      created_on: number;
      updated_on: number;
      /**
       * JSON, see domains/mounts.ts. If null, the deployment serves all paths. Otherwise `deployment_name` is that of the
       * mount at `/`, or of the first one: the host that the CNAME record leads to.
       */
      mounts: string | null;
    };
    /** Certificates that are ordered from an authority, by the host they are for. */
    certificates: {
      host: string;
      /** PEM, the leaf first. Null until the first was issued. */
      chain: string | null;
      /** PEM, sealed. */
      private_key: Uint8Array | null;
      issued_on: number | null;
      /** When to order next: for the first time, after a failure, or to renew. */
      due_on: number;
      /** The number of consecutive failures. */
      failures: number;
      /** The error of the last order. Null after a success. */
      error: string | null;
      /** The order in progress. */
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
    /** Challenge responses that authorities request over plain HTTP, from any node. */
    acme_challenges: {
      token: string;
      key_authorization: string;
      created_on: number;
    };
    /**
     * The sealed part of the audit log. A row contains the entries of an account that were sealed in one pass. Unsealed
     * entries are in `changes`.
     * No reference to the account: its log is kept after its deletion until it expires.
     */
    audit_segments: {
      account_seq: number;
      /** The number of the first entry, from 1 in the order of the account's chain. */
      number: number;
      count: number;
      /** The range of entry ids. Their order may differ from that of the chain. */
      lowest_id: string;
      highest_id: string;
      earliest: number;
      latest: number;
      /** The hash before the first entry, then one hash of each entry or one of `entries` as a whole, 32 bytes each. */
      hashes: Uint8Array;
      /** The JSON texts, one per line. Compressed with zstd unless they are short. */
      entries: Uint8Array;
      sealed_on: number;
    };
    /** Segments by the ids that their entries concern: resources and their parents. */
    audit_topics: {
      account_seq: number;
      topic: string;
      /** The number of the segment. */
      number: number;
    };
    /**
     * Deleted accounts whose messages are still to be removed.
     * Messages of a deleted account are removed in batches. A foreign key to the account would remove them all in one
     * transaction. SQLite drops a foreign key by copying the table and the tables that reference it.
     */
    webhook_removals: {
      account_seq: number;
    };
    webhook_messages: {
      seq: Generated<number>;
      account_seq: number;
      /** Derived from the cause, so that a change gives one message however often it is read. */
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
      /** The `webhook-id` header: the message's id, or another one after a replay with new ids. */
      message_id: string;
      type: string;
      status: string;
      attempts: number;
      /** The number of attempts in the current schedule. */
      schedule_step: number;
      /** When it is attempted next; during an attempt, when the lease expires. Null once it is finished. */
      due_on: number | null;
      /** The attempt in progress. */
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
    /**
     * When the keys of a block of `seq` values were last used, if that is later than `last_used_on`; see
     * areas/api-keys/keys/uses/use-store.ts.
     */
    key_uses: {
      block: number;
      /** Seconds in four bytes each, the highest first. 0 if there is none. */
      times: Uint8Array;
    };
    /** Named filters of the console's lists. */
    views: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      name: string;
      page: string;
      search: string;
      version: number;
      created_on: number;
      updated_on: number;
    };
    /** The canary release of a deployment: the running one, or the last one. */
    deployment_canaries: {
      deployment_seq: number;
      id: string;
      version_seq: number;
      version_number: number;
      live_version_seq: number;
      live_version_number: number;
      weight: number;
      live_weight: number;
      sticky_by: string | null;
      /** JSON. Null if it is never aborted automatically. */
      abort: string | null;
      started_on: number;
      updated_on: number;
      /** Null while it runs. */
      ended_on: number | null;
      outcome: string | null;
    };
    /** The requests of both versions of the canary release, from its start and by second. */
    canary_counts: {
      deployment_seq: number;
      is_canary: number;
      /** When the second began. 0 for the total since the start. */
      second: number;
      requests: number;
      errors: number;
      /** A LatencyHistogram. Only in the total. */
      latency: Uint8Array | null;
    };
    /** The amounts that each node holds from quotas, so that other nodes count them; see counting/quotas/published-holds.ts. */
    quota_holds: {
      /** The name of the node's batch writer. */
      writer: string;
      subscription_seq: number;
      period_start: number;
      meter: string;
      /** In billionths. */
      amount: string;
      expires_on: number;
      /** What counts if the node is killed, in billionths, and when it was used. */
      estimate: Generated<string>;
      used_on: Generated<number>;
    };
    /**
     * Calls of verify-key by minute, hour and day; see analytics/verification-writer.ts.
     * The bucket is the first column: the rows of a deleted bucket are one range.
     */
    verifications: {
      bucket_seq: number;
      /** The length of the interval in milliseconds: a minute, an hour or a day. */
      step: number;
      /** 0: by result only, 1: by consumer too. */
      detail: number;
      time: number;
      /** Empty for values that are no key of the bucket, and in detail 0. */
      consumer: string;
      /** `valid`, or the code of a rejection. */
      result: string;
      amount: number;
      /** The part of them that was valid only because the caller observes. */
      observed: number;
    };
    /** Portals of key buckets, hand-offs to them, and the sessions of customers. */
    portals: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      bucket_seq: number;
      /** The name in the portal's host. */
      name: string;
      /** A custom domain instead of that host. */
      host: string | null;
      is_enabled: number;
      /** JSON: the fields that no query selects by. */
      settings: string;
      logo: Uint8Array | null;
      logo_type: string | null;
      version: number;
      created_on: number;
      updated_on: number;
      /** Of the identity provider in the settings, encrypted. */
      client_secret: Uint8Array | null;
    };
    /** Codes that open a session once. */
    portal_handoffs: {
      seq: Generated<number>;
      hash: Uint8Array;
      portal_seq: number;
      consumer_seq: number;
      subject: string;
      /** Separated by spaces. */
      scopes: string;
      return_url: string | null;
      /** JSON: the actor who views the portal as the customer. Null for the customer's own people. */
      viewer: string | null;
      expires_on: number;
    };
    portal_sessions: {
      seq: Generated<number>;
      id: string;
      hash: Uint8Array;
      portal_seq: number;
      consumer_seq: number;
      subject: string;
      scopes: string;
      return_url: string | null;
      viewer: string | null;
      created_on: number;
      expires_on: number;
      /** The manager who signed in, whose scopes the session has. Null for hand-offs. */
      manager_seq: number | null;
      /** The address that was proven. Null for hand-offs, and if the identity provider has verified none. */
      mailbox: string | null;
      /** The identity provider that the manager signed in with. */
      issuer: string | null;
    };
    members: {
      seq: Generated<number>;
      account_seq: number;
      person_seq: number;
      name: string | null;
      role: string;
      /** JSON, if the role is limited to projects. */
      projects: string | null;
      /** `invited` or `active`. */
      state: string;
      /** Where the role comes from: `invitation` or `claim`. */
      source: string;
      invitation_hash: Uint8Array | null;
      /** The end of the invitation. */
      expires_on: number | null;
      version: number;
      created_on: number;
      updated_on: number;
      /** The id of the member until the person accepts, if the person was known before. It must not reveal that. */
      invited_id: string | null;
      /** The address as it was written in the invitation. */
      invited_email: string | null;
      /** The name of the person or the token that sent the invitation. */
      invited_by: string | null;
    };
    /** A removed member is not readmitted by a claim until an invitation deletes the row. */
    removed_members: {
      account_seq: number;
      person_seq: number;
      removed_on: number;
    };
    /** The queue of mail, and what was sent lately. */
    mails: {
      seq: Generated<number>;
      id: string;
      /** The account in whose name it is sent. Null if it is about no single account. */
      account_seq: number | null;
      /** The recipient, once known. */
      person_seq: number | null;
      /** Selects the function that composes it. */
      kind: string;
      recipient: string;
      /** The id of what it is about. */
      subject_id: string;
      /** `queued`, `sent`, `failed` or `expired`. */
      state: string;
      attempts: number;
      /** The time of the next attempt, or of the end of a node's lease. */
      due_on: number;
      lease: string | null;
      last_error: string | null;
      created_on: number;
      /** It is not sent from this time on. */
      expires_on: number | null;
      ended_on: number | null;
    };
    /** Sign-ins by mail. */
    sign_ins: {
      seq: Generated<number>;
      id: string;
      /** The site: `console`. */
      audience: string;
      email_key: string;
      /** The network of the client address. */
      address_group: string;
      browser_hash: Uint8Array;
      /** Null until a mail is sent, and for an unknown address. */
      link_hash: Uint8Array | null;
      code_hash: Uint8Array | null;
      attempts: number;
      used_on: number | null;
      created_on: number;
      expires_on: number;
      /** The page of the site on which it was started. Null for the start page. */
      path: string | null;
    };
    /** Plans of configuration changes, and what applies created. */
    configuration_plans: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      /** The actor that planned it. */
      created_by: string;
      /** The name that marks what the plan creates. */
      owner: string | null;
      is_pruning: number;
      /** The steps as returned by the API, as JSON. Without secrets. */
      steps: string;
      /** What each step writes, encrypted because it may contain secrets. Null once the plan is applied or has expired. */
      inputs: Uint8Array | null;
      applied_on: number | null;
      expires_on: number;
      created_on: number;
    };
    /** Which apply created a resource. The mark of a deleted resource has no effect: ids are not reused. */
    configuration_marks: {
      account_seq: number;
      resource_id: string;
      owner: string;
    };
    /** The reference and the guides of each artifact. */
    deployment_sites: {
      deployment_seq: number;
      artifact_hash: string;
      /** SiteContents as JSON, gzipped. */
      contents: Uint8Array;
      /** The files of the site, one after the other. */
      pack: Uint8Array;
    };
    /** People who have proven who they are, and have not used that yet: to choose a customer, or to sign up. */
    portal_proofs: {
      seq: Generated<number>;
      hash: Uint8Array;
      portal_seq: number;
      /** In lower case. Empty if the identity provider has verified none. */
      mailbox: string;
      expires_on: number;
      issuer: string | null;
      subject: string | null;
    };
    /** Customers who created their account themselves. */
    portal_sign_ups: {
      seq: Generated<number>;
      portal_seq: number;
      consumer_seq: number;
      email: string;
      created_on: number;
      /** Whether the person had an account before: then there is no trial. */
      is_returning: Generated<number>;
    };
    portal_access_requests: {
      seq: Generated<number>;
      id: string;
      portal_seq: number;
      /** In lower case. A person has one request. */
      mailbox: string;
      label: string | null;
      note: string | null;
      /** `pending`, `approved` or `denied`. */
      state: string;
      consumer_name: string | null;
      version: number;
      created_on: number;
      updated_on: number;
    };
    billing_profiles: {
      account_seq: number;
      /** JSON. */
      profile: string;
      version: number;
      created_on: number;
      updated_on: number;
    };
    payment_providers: {
      account_seq: number;
      /** `live` or `test`. */
      mode: string;
      type: string;
      version: number;
      created_on: number;
      updated_on: number;
      /** Of Stripe, encrypted. */
      secret_key: Uint8Array | null;
      webhook_secret: Uint8Array | null;
    };
    /** The last number of each series of an account. */
    number_series: {
      account_seq: number;
      series: string;
      last: number;
    };
    customers: {
      seq: Generated<number>;
      bucket_seq: number;
      customer_key: string;
      email: string | null;
      legal_name: string | null;
      /** JSON. */
      address: string | null;
      tax_ids: string | null;
      currency: string | null;
      payment_method: string | null;
      version: number;
      created_on: number;
      updated_on: number;
      /** JSON. */
      spend_cap: string | null;
      credit_limit: string | null;
      /** JSON. */
      top_up: string | null;
      /** `taxable`, `reverse-charge` or `exempt`. Null: taxable. */
      tax_status: string | null;
      /** In a metering bucket with a key bucket: the id of its consumer, which may have been deleted. */
      consumer_id: string | null;
    };
    /**
     * A part of a quota period in which a subscription has the same terms.
     * The segments of a deleted subscription are deleted with its counters; its invoices stay.
     */
    billing_segments: {
      seq: Generated<number>;
      subscription_seq: number;
      /** `billed`, `trial` or `idle`. */
      kind: string;
      period_start: number;
      period_end: number;
      starts_on: number;
      /** Null while it is the current one. */
      ends_on: number | null;
      /** JSON. */
      terms: string;
      /** JSON: the billed overage of each meter in minor units. */
      billed: string;
    };
    /** Invoices, and credit notes, which have `corrects_id`. Amounts are in minor units. */
    invoices: {
      seq: Generated<number>;
      id: string;
      bucket_seq: number;
      customer_key: string;
      /** Not a reference: invoices outlive subscriptions. */
      subscription_id: string | null;
      corrects_id: string | null;
      status: string;
      number: string | null;
      currency: string;
      /** JSON copies of the billing profile and the customer. Null for a draft. */
      seller: string | null;
      buyer: string | null;
      /** JSON. */
      lines: string;
      subtotal: string;
      tax: string;
      total: string;
      amount_due: string;
      /** The sum of its credit notes. */
      credited: string;
      /** When a draft is finalized. Null if it is not a draft. */
      finalizes_on: number | null;
      finalized_on: number | null;
      due_on: number | null;
      /** When its payment failed and was announced. */
      failed_on: number | null;
      paid_on: number | null;
      payment_reference: string | null;
      version: number;
      created_on: number;
      updated_on: number;
      /** What paid grants pay of it; of a draft, what they paid as usage occurred. */
      from_credits: Generated<string>;
      /** What a cap removes from its overage. */
      written_off: Generated<string>;
      /** How far a provider has come that collects it. Null if none does. */
      collection_state: string | null;
      /** Where the customer pays at the provider. */
      collection_url: string | null;
      /**
       * What was paid with the payment method or outside of Tollgate. Null until it is paid, and of older rows. Of a credit
       * note, what it returns of that.
       */
      collected: string | null;
      /** What is returned to the payment method; of a credit note, its part of that. */
      refunded: Generated<string>;
      /** Of a credit note that is refunded: `pending`, `succeeded` or `failed`. */
      refund_state: string | null;
      /** What later invoices credit of its fees, with tax. It is not a part of `credited`. */
      netted: Generated<string>;
      /** JSON: what was credited of each line, with tax. What is missing of `credited` and `netted` concerns all lines. */
      line_credits: Generated<string>;
      /** The purchase of a credit pack that it sells. Such an invoice, and its credit notes, have no subscription. */
      purchase_id: string | null;
      /** `exclusive` or `inclusive`. Null: that of the profile when it is finalized; of older invoices, exclusive. */
      tax_behavior: string | null;
      /** What the customer's bank demands back of its payment. It is not a part of `credited`. */
      disputed: Generated<string>;
      /** The server's time when it was finalized: that may be later than it was due. Null of older rows. */
      recorded_on: number | null;
    };
    /** What a customer may use or pay with. Amounts are billionths of a meter's unit or minor units of a currency. */
    grants: {
      seq: Generated<number>;
      id: string;
      bucket_seq: number;
      customer_key: string;
      /** Either a meter or a currency. */
      meter: string | null;
      currency: string | null;
      /** `promotional`, `prepaid` or `paid`. */
      funding: string;
      priority: number;
      amount: string;
      balance: string;
      effective_on: number;
      expires_on: number | null;
      /** When it expired or was voided. */
      ended_on: number | null;
      voided_on: number | null;
      reason: string | null;
      /** The invoice that it is the rest of. */
      invoice_id: string | null;
      version: number;
      created_on: number;
      updated_on: number;
      /** The purchase of the credit pack that it comes from. */
      purchase_id: string | null;
      /** The rollover whose units it has. */
      rollover_seq: number | null;
    };
    /** The ledger of grants. Rows never change. */
    grant_entries: {
      seq: Generated<number>;
      id: string;
      grant_seq: number;
      /** `granted`, `consumed`, `expired`, `voided`, `refunded`, `restored` or `adjusted`. */
      kind: string;
      amount: string;
      balance: string;
      /** The start of the hour in which usage was paid. */
      hour: number | null;
      subscription_id: string | null;
      meter: string | null;
      invoice_id: string | null;
      created_on: number;
    };
    /**
     * What grants pay of a meter's usage: in a segment if it is billed, otherwise, with segment 0, in a period. Usage up to
     * `seen` and cost up to `cost` are decided.
     */
    credit_uses: {
      subscription_seq: number;
      period_start: number;
      segment_seq: number;
      meter: string;
      seen: string;
      covered: string;
      cost: string;
      /** Money that reduces the cost before tax: of promotional and prepaid grants. */
      promotional: string;
      paid: string;
      /** The parts that invoices show already. */
      applied_promotional: string;
      applied_paid: string;
      /** The parts of `promotional` and `applied_promotional` that come from prepaid grants. */
      prepaid: Generated<string>;
      applied_prepaid: Generated<string>;
      /** The cost under a prepaid rate that no money covered. */
      written_off: Generated<string>;
      applied_written_off: Generated<string>;
      /** The part of `written_off` that was written off since money last paid. */
      written_off_last: Generated<string>;
    };
    /** Customers with grants or caps. */
    customer_credits: {
      bucket_seq: number;
      customer_key: string;
      /** Raised by each change of grants and of what they pay. */
      revision: number;
      /** When usage is next compared with credits. Null if there are none. */
      checks_on: number | null;
    };
    /** What customers with caps owe for the overage of a period. */
    spend_periods: {
      subscription_seq: number;
      period_start: number;
      owed: string;
      written_off: string;
      applied: string;
      threshold: number;
      is_over: number;
      cap: string | null;
      /**
       * The caps that a period had before its present one, as a JSON array of `{until, cap}` in minor units. Null if its caps changed
       * before this was stored.
       */
      former_caps: string | null;
    };
    /** Money that a customer owes and that is too little to be collected, in minor units. The next invoice has it. */
    carried_amounts: {
      bucket_seq: number;
      customer_key: string;
      currency: string;
      amount: string;
    };
    /** The customers at Stripe. */
    stripe_customers: {
      bucket_seq: number;
      customer_key: string;
      /** Null until it is known that it was created. */
      stripe_id: string | null;
      began_on: number;
      generation: number;
      /** The id of the default payment method. */
      payment_method: string | null;
      /** The checkout whose payment method became the default one. */
      session_id: string | null;
      /** When to compare it with the customer at Stripe. */
      sync_on: number | null;
      /** Until when a page of Stripe may be used. */
      sync_until: number | null;
      /** Raised when there is a reason to compare, such as an event, also during a comparison. */
      wakes: Generated<number>;
      lease: string | null;
      lease_until: number | null;
    };
    /** How far the collection of an invoice by Stripe has come. */
    stripe_invoices: {
      invoice_seq: number;
      account_seq: number;
      /** `live` or `test`. */
      mode: string;
      customer_id: string | null;
      /** When the invoice was first requested from Stripe: from then on it may exist there. */
      began_on: number | null;
      stripe_id: string | null;
      stripe_status: string | null;
      /** What is due at Stripe, in its minor units. */
      amount: string | null;
      /** The number of payment attempts that were processed. */
      attempts: number;
      /** Part of idempotency keys: another one after a response that would be repeated. */
      generation: number;
      failures: number;
      error: string | null;
      /** When to continue. Null if nothing remains to do. */
      next_on: number | null;
      lease: string | null;
      lease_until: number | null;
      created_on: number;
      updated_on: number;
      /** Raised when there is a reason to continue, such as an event, also during an attempt. */
      wakes: Generated<number>;
      /** The payment method of the last attempt. */
      paid_with: string | null;
      /** 1 from before a charge until its outcome is known. Bank debits take days. */
      charging: Generated<number>;
      /** When it was decided to void the invoice at Stripe. Ours is void once Stripe confirms it. */
      void_on: number | null;
      /** How often a payment was requested. */
      requested: Generated<number>;
      /** The request of the last attempt. */
      performed: Generated<number>;
      /** The money that Stripe took and our books have, as the payment of the invoice or as a grant. */
      recorded: Generated<string>;
      /** The payment that Stripe took. */
      payment_intent: string | null;
      /** How many events about refunds or credit notes arrived, and after how many they were read. */
      refund_events: Generated<number>;
      refunds_read: Generated<number>;
      /** What credit notes had taken off our invoice before the one at Stripe was finalized. */
      credited_before: Generated<string>;
    };
    /** The events of Stripe that were processed. */
    stripe_events: {
      account_seq: number;
      mode: string;
      event_id: string;
      received_on: number;
    };
    /** Addresses where a customer enters a payment method and pays. */
    checkouts: {
      /** Of the token in the address. */
      hash: Uint8Array;
      bucket_seq: number;
      customer_key: string;
      return_url: string;
      expires_on: number;
      /** Without a payment. Null if it is the same address. */
      cancel_url: string | null;
    };
    /** Mail of test buckets, which is never sent. Mail that is due later has no text yet. */
    test_mails: {
      seq: Generated<number>;
      id: string;
      bucket_seq: number;
      kind: string;
      recipient: string;
      /** The bucket, and the invoice, or the subscription and the end of its access. */
      subject_id: string;
      due_on: number;
      /** 0 until it is due: then the texts are written. */
      is_written: number;
      subject: string | null;
      body_text: string | null;
      body_html: string | null;
    };
    /**
     * Of each customer, the newest key that they deleted in a portal.
     * The rules of the newest key that a customer deleted in a portal, which a new key gets.
     */
    portal_deleted_keys: {
      consumer_seq: number;
      key_id: string;
      /** JSON. */
      rules: string;
      key_created_on: number;
    };
    /**
     * Not deleted with the customer: the limit of a mailbox counts the mail of all customers.
     * The invitations that customers of portals sent by mail in the last day, which are limited.
     */
    portal_invite_mails: {
      seq: Generated<number>;
      portal_id: string;
      consumer_seq: number;
      /** In lower case. */
      mailbox: string;
      created_on: number;
      expires_on: number;
    };
    /** People who signed up to a portal and left, so that signing up again gives no second trial and no second quota. */
    portal_former_customers: {
      seq: Generated<number>;
      /** Of the portal's id and the mailbox. */
      hash: Uint8Array;
      left_on: number;
      expires_on: number;
    };
    /** The plans that subscriptions change to at the end of their period. A plan is not deleted as long as it is one. */
    scheduled_plans: {
      subscription_seq: number;
      position: number;
      plan_seq: number;
    };
    /**
     * The usage of a period before a segment, which begins at a time. Late events raise it.
     * Marks belong to segments instead of times: several changes of a subscription may have the same time.
     */
    segment_marks: {
      subscription_seq: number;
      period_start: number;
      segment_seq: number;
      time: number;
      meter: string;
      whole: number;
      billionths: number;
      /** The part of it without events. */
      consumed_whole: number;
      consumed_billionths: number;
      last_event: number;
    };
    /** Amounts that verify-key holds until they are settled or released, see areas/commerce/metering/takes. */
    metering_holds: {
      id: string;
      bucket_seq: number;
      subscription_seq: number;
      period_start: number;
      /** In the time of the bucket: when the usage is counted. */
      time: number;
      created_on: number;
      expires_on: number;
      on_expiry: "release" | "count";
      state: "open" | "expired" | "settled" | "released";
      /** The amounts that were held, in billionths by meter. */
      held: string;
      /** The amounts that the counters include now. */
      counted: string;
    };
    /**
     * Requests to models by minute, hour and day; see analytics/model-usage-writer.ts.
     * The deployment is the first column: the rows of a deleted one are one range.
     */
    model_usage: {
      deployment_seq: number;
      /** The length of the interval in milliseconds: a minute, an hour or a day. */
      step: number;
      time: number;
      /** The alias. */
      model: string;
      provider: string;
      /** Empty without a cost. */
      currency: string;
      requests: number;
      errors: number;
      estimated: number;
      input: number;
      cached: number;
      cache_write: number;
      output: number;
      /** In billionths of the currency's unit. */
      cost: number;
      charge: number;
      /** The responses with a body, and the sum of the times to their first bytes. */
      first_bytes: number;
      first_byte_ms: number;
    };
    /** The RSA keys that sign the access tokens of a portal. */
    oauth_keys: {
      seq: Generated<number>;
      /** The `kid` of its tokens. */
      id: string;
      portal_seq: number;
      /** A JWK. */
      public_key: string;
      /** PEM, encrypted. */
      private_key: Uint8Array;
      created_on: number;
      /** It is published before it signs, so that verifiers which cache the keys know it. */
      signs_from: number;
      /** Until when it verifies. Null until a successor exists. */
      expires_on: number | null;
    };
    oauth_clients: {
      seq: Generated<number>;
      /** The `client_id`, unless the client has a document. */
      id: string;
      portal_seq: number;
      /** The customer who created it. Null for clients of the operator, of documents and of registrations. */
      consumer_seq: number | null;
      /** `registered`, `service`, `document` or `dynamic`. */
      type: string;
      /** The `client_id` of a client with a metadata document. */
      document_url: string | null;
      name: string;
      /** JSON. */
      redirect_uris: string;
      secret_hash: Uint8Array | null;
      /**
       * The network that a dynamic client was registered from, or the id of the first customer who authorized one with a
       * document: their number is limited by it.
       */
      registered_from: string | null;
      version: number;
      created_on: number;
      updated_on: number;
      /** Of a dynamic client that no customer has authorized yet. */
      expires_on: number | null;
    };
    /** What a client may do for a consumer. A row that is deleted has ended. */
    oauth_authorizations: {
      seq: Generated<number>;
      id: string;
      portal_seq: number;
      consumer_seq: number;
      /** The manager who consented. Null for the person of a hand-off. */
      manager_seq: number | null;
      client_seq: number;
      /** Who consented, for lists. */
      subject: string;
      /** JSON: the permissions that were consented to. */
      granted: string;
      /** JSON: the permissions, addresses, rate limit and metadata that apply, those of a new key at the last token. */
      rules: string;
      /** The deployment of its tokens. Null for a service client, which may choose one for each token. */
      deployment: string | null;
      code_hash: Uint8Array | null;
      code_challenge: string | null;
      redirect_uri: string | null;
      code_expires_on: number | null;
      code_used_on: number | null;
      /** Encrypted. Refresh tokens are its MACs of their numbers, so that every old one is recognized. */
      refresh_secret: Uint8Array | null;
      /** The number of the refresh token that is valid. */
      refresh_number: number;
      /** When it was issued. */
      refreshed_on: number | null;
      created_on: number;
      /** Until its code was exchanged, the expiry of that. Null for service clients. */
      expires_on: number | null;
      /** JSON: who consented, and from where, until the code is exchanged. Null afterwards, and without a code. */
      consent: string | null;
    };
    /** Destinations to which closed hours are written. Hours are times in milliseconds. */
    exports: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      name: string;
      url: string;
      endpoint: string | null;
      region: string | null;
      /** The secret part of the credential, encrypted. */
      credential: Uint8Array | null;
      access_key_id: string | null;
      /** JSON: a list. */
      kinds: string;
      format: string;
      /** 1 or 0. */
      is_enabled: number;
      /** The first hour that was or will be written, without a backfill in progress. */
      first_hour: number;
      /** The next hour to write. */
      next_hour: number;
      /** The first and the next hour of the backfill in progress, which ends before `backfill_to`, or `first_hour`. */
      backfill_from: number | null;
      backfill_next: number | null;
      /** When the last hour was written. */
      written_on: number | null;
      last_error: string | null;
      failing_since: number | null;
      failures: number;
      /** The time of the next attempt after a failure. */
      attempt_on: number | null;
      /** The node that writes an hour. */
      lease: string | null;
      leased_until: number | null;
      version: number;
      created_on: number;
      updated_on: number;
      backfill_to: number | null;
    };
    /** Requests to models by consumer: more rows than `model_usage` has, and read only for consumers. */
    model_usage_consumers: {
      deployment_seq: number;
      /** The length of the interval in milliseconds: a minute, an hour or a day. */
      step: number;
      time: number;
      /** Empty without a consumer, or if it is none of a key bucket. */
      consumer_id: string;
      /** Empty without a consumer, `*` for all others if there are too many. */
      consumer: string;
      /** The alias. */
      model: string;
      provider: string;
      /** Empty without a cost. */
      currency: string;
      requests: number;
      errors: number;
      estimated: number;
      input: number;
      cached: number;
      cache_write: number;
      output: number;
      /** In billionths of the currency's unit. */
      cost: number;
      charge: number;
      /** The responses with a body, and the sum of the times to their first bytes. */
      first_bytes: number;
      first_byte_ms: number;
    };
    /** Credit that is offered for a price. Amounts are minor units, and for a meter billionths of its unit. */
    credit_packs: {
      seq: Generated<number>;
      id: string;
      bucket_seq: number;
      external_id: string;
      label: string;
      currency: string;
      price: string;
      /** Either a meter or a currency. */
      grant_meter: string | null;
      grant_currency: string | null;
      grant_amount: string;
      expires_in_days: number | null;
      is_public: number;
      position: number;
      version: number;
      created_on: number;
      updated_on: number;
    };
    /** Sales of credit packs, with the pack as it was. */
    pack_purchases: {
      seq: Generated<number>;
      id: string;
      bucket_seq: number;
      customer_key: string;
      pack_external_id: string;
      label: string;
      is_top_up: number;
      /** `open`, `paid`, `failed` or `canceled`. */
      state: string;
      currency: string;
      price: string;
      /** The price with tax. */
      total: string;
      grant_meter: string | null;
      grant_currency: string | null;
      grant_amount: string;
      expires_in_days: number | null;
      invoice_id: string;
      /** Null until it is paid. */
      grant_id: string | null;
      paid_on: number | null;
      /** Until when an open one can be paid. Null without a limit. */
      expires_on: number | null;
      /** When the provider was asked to stop its payment. It may be paid until the provider confirms that. */
      stopped_on: number | null;
      /** When the payment was refunded or disputed at the provider, and how much of the credit was used by then. */
      reversed_on: number | null;
      reversed_used: string | null;
      version: number;
      created_on: number;
      updated_on: number;
    };
    /** Words by which consumers are found. It may contain words of former versions. */
    consumer_words: {
      bucket_seq: number;
      word: string;
      consumer_seq: number;
    };
    /**
     * What a plan carries over of a meter's unused units at the end of a period. Amounts are billionths. Rows outlive
     * subscriptions, because invoices do.
     */
    rollovers: {
      seq: Generated<number>;
      bucket_seq: number;
      customer_key: string;
      subscription_id: string;
      period_start: number;
      period_end: number;
      plan_id: string;
      /** That of the plan. */
      label: string;
      meter: string;
      /** The most that this plan carries over. */
      maximum: string;
      /** The allowance of the period, of all plans. */
      allowance: string;
      /** Where the fee of the period was invoiced. Null if there was nothing to pay. */
      invoice_id: string | null;
      line: number | null;
      expires_on: number;
      /** The grant that it became. */
      grant_id: string | null;
      /** How much was granted, with later changes. Null before. */
      granted: string | null;
      /** When it expired, or its fee was returned. */
      ended_on: number | null;
    };
    /**
     * The sum of the open invoices of each customer that has some, for lists by amount due. All currencies are counted with
     * the same number of digits. Customers who owe nothing may have no row.
     */
    customer_dues: {
      bucket_seq: number;
      customer_key: string;
      /** In ten-thousandths, whatever the currencies are. */
      due: number;
    };
    /**
     * Usage events on PostgreSQL are partitioned by the time of receipt, see docs/decisions/event-partitions.md. A unique
     * constraint of a partitioned table must contain that time, so duplicates are found by a table of keys. The first start
     * makes the table a partition, with what was moved from SQLite.
     * The sums of dropped events that are not yet added to the removed sums of their counters.
     */
    removed_usage: {
      seq: Generated<number>;
      subscription_seq: number;
      period_start: number;
      meter: string;
      events: number;
      whole: number;
      billionths: number;
    };
    /** The last ranking of a large bucket, see metering/usage/rank-usage.ts. */
    usage_rankings: {
      bucket_seq: number;
      /** When it was begun. Null if none is complete yet. */
      ranked_on: number | null;
      /** The one before it, which is kept for lists that began with it. */
      previous_ranked_on: number | null;
      /** The time of a test bucket at which it was ranked. */
      bucket_clock: number | null;
      /** The number of ranked subscriptions. */
      size: number;
      /** When the next one is due. */
      next_on: number;
      /** Until when a node computes one. */
      lease_until: number;
    };
    /** Parts of rankings, of equal size except the last. */
    usage_ranking_blocks: {
      bucket_seq: number;
      ranked_on: number;
      block: number;
      /** The smallest share in it, in millionths. */
      last_share: number;
      /** JSON: the numbers of the subscriptions, and their shares in millionths. */
      ranks: string;
    };
    /** What customers would have been billed with other plans. The result is null until it is complete. */
    simulations: {
      seq: Generated<number>;
      id: string;
      bucket_seq: number;
      job_id: string;
      /** The request. */
      input: string;
      /** Null until the first customers are computed. */
      result: string | null;
      created_on: number;
    };
    /** A row for each customer and currency, in minor units. */
    simulation_customers: {
      simulation_seq: number;
      customer_key: string;
      currency: string;
      amount_before: number;
      amount_after: number;
      difference: number;
      /** The difference without its sign, by which customers are listed. */
      size: number;
      /** `exact`, `hour` or `day`. */
      exactness: string;
      limited_on: number | null;
      /** What was invoiced, if it differs from what was computed. */
      invoiced: number | null;
    };
    /** The fees of subscriptions at the end of each month. They outlive subscriptions, which take their segments with them. */
    recurring_fees: {
      bucket_seq: number;
      /** When it begins. */
      month: number;
      subscription_seq: number;
      plan_id: string;
      customer_key: string;
      currency: string;
      /** In minor units. */
      yearly: string;
    };
    /**
     * The beginnings ("^" before the word) and the ends of words in names of consumers: a word is found by its middle, and
     * with typos. A word is there once, however many consumers have it.
     */
    consumer_word_parts: {
      bucket_seq: number;
      part: string;
      word: string;
    };
    /** When the usage events of test buckets arrived, whose clocks stand still in between: those up to one, at this time. */
    clock_moves: {
      bucket_seq: number;
      last_event: number;
      /** The clock before it moved. 0 if it is not known, for events that arrived before this was stored. */
      test_clock: number;
    };
  }
}
