import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Custom domains of deployments. Any number of accounts may claim a host; at most one owns it. */
export const domains: Migration = {
  name: "0021-domains",
  statements: ({ seq, integer }) => [
    `CREATE TABLE domains (
      seq ${seq},
      id text NOT NULL,
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      host text NOT NULL,
      deployment_name text NOT NULL,
      status text NOT NULL,
      expires_on ${integer},
      failing_since ${integer},
      is_proof_seen ${integer} NOT NULL,
      is_route_seen ${integer} NOT NULL,
      finding text,
      checked_on ${integer},
      next_check_on ${integer} NOT NULL,
      checks ${integer} NOT NULL,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT domains_host_key UNIQUE (account_seq, host)
    )`,
    "CREATE UNIQUE INDEX domains_owner ON domains (host) WHERE status <> 'pending'",
    "CREATE INDEX domains_by_id ON domains (account_seq, id)",
    "CREATE INDEX domains_by_check ON domains (next_check_on)",
  ],
};
