import type { Generated } from "kysely";

declare module "../../../platform/storage/tables.ts" {
  interface Tables {
    /** Claims of hosts for deployments. A claim that is not `pending` owns its host, and its requests are routed. */
    domains: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      /** In lower case ASCII, without a trailing dot. */
      host: string;
      /** Kept when the deployment is deleted: a new deployment of the same branch has the same name. */
      deployment_name: string;
      /**
       * JSON, see domains/mounts.ts. If null, the deployment serves all paths. Otherwise `deployment_name` is that of
       * the mount at `/`, or of the first one: the host that the CNAME record leads to.
       */
      mounts: string | null;
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
  }
}
