import type { Generated } from "kysely";

declare module "../../../platform/storage/tables.ts" {
  interface Tables {
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
      /** While a node checks it, when its lease expires. */
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
    /** What authorities may request over plain HTTP, from any node. */
    acme_challenges: {
      token: string;
      key_authorization: string;
      created_on: number;
    };
  }
}
