import type { Generated } from "kysely";

declare module "../../../platform/storage/tables.ts" {
  interface Tables {
    /** Requests to deployments by minute, hour and day; see analytics/traffic.ts. */
    traffic: {
      /** The length of the interval in milliseconds: a minute, an hour or a day. */
      step: number;
      time: number;
      /** 0: by version and status only, 1: by route too, 2: by route and consumer, 3: by key and consumer, 4: by client and consumer, 5: by tool and consumer, 6: by the consumer's id, 7: by policy in `observe` and consumer. */
      detail: number;
      account_seq: number;
      deployment_seq: number;
      /** The version number. */
      version: number;
      /** In detail 3 the id of the key, in detail 4 the name of the client, in detail 5 that of the tool, in detail 6 the id of the consumer, in detail 7 the name of the policy. */
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
    /** Requests to models by minute, hour and day; see analytics/model-usage-writer.ts. */
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
    /** The same by consumer. */
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
    /** Calls of verify-key by minute, hour and day; see analytics/verification-writer.ts. */
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
    /** Requests to deployments. Successes (status below 400) and failures have separate bounds. */
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
    /** The used part of a rate limit in a window. On SQLite only windows of a minute and longer. */
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
  }
}
