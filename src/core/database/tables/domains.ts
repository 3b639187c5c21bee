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
      /** While a node is at it, when its lease ends. */
      next_check_on: number;
      /** How many checks the present status has seen, for the back-off. */
      checks: number;
      version: number;
      created_on: number;
      updated_on: number;
    };
  }
}
