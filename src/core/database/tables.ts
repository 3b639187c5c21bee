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
      version: number;
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
    idempotency_keys: {
      credential: string;
      key: string;
      fingerprint: Uint8Array;
      /** Status, headers and body of the first answer, sealed: answers may hold keys. */
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
    /** Names of the encryption keys that stored values are sealed under. */
    encryption_keys: {
      name: string;
      created_on: number;
    };
  }
}
