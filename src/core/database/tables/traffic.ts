import type { Generated } from "kysely";

declare module "../../../platform/storage/tables.ts" {
  interface Tables {
    /** Requests to deployments by minute, hour and day; see analytics/traffic.ts. */
    traffic: {
      /** In milliseconds: a minute, an hour or a day. */
      step: number;
      time: number;
      /** 0: by version and status alone, 1: by route too, 2: by route and consumer too, 3: by key and consumer too. */
      detail: number;
      account_seq: number;
      deployment_seq: number;
      /** Its number. */
      version: number;
      /** In detail 3 the id of the key. */
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
    /** How much of a rate limit was used in a window; on SQLite only windows of a minute and longer. */
    rate_limits: {
      /** Deployment, policy and length of the window. */
      scope: string;
      /** Who is counted. */
      subject: string;
      window_start: number;
      ends_on: number;
      used: number;
    };
  }
}
