import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Requests to deployments with their outcome: the access log. */
export const requests: Migration = {
  name: "0010-requests",
  statements: ({ seq, sortedText, integer, withoutRowid }) => [
    // No foreign keys: requests are written asynchronously, and their deployment may have been deleted.
    `CREATE TABLE requests (
      seq ${seq},
      id ${sortedText} NOT NULL,
      account_seq ${integer} NOT NULL,
      deployment_seq ${integer} NOT NULL,
      version_seq ${integer} NOT NULL,
      is_failure ${integer} NOT NULL,
      time ${integer} NOT NULL,
      status ${integer} NOT NULL,
      method text NOT NULL,
      path text NOT NULL,
      route text,
      consumer text,
      request_id text NOT NULL,
      entry text NOT NULL,
      bytes ${integer} NOT NULL
    )`,
    // Each index costs a fifth of an insert, so there is none on the id alone. Lookups include the account.
    "CREATE UNIQUE INDEX requests_of_account ON requests (account_seq, id)",
    "CREATE INDEX requests_of_deployment ON requests (deployment_seq, id)",
    "CREATE INDEX requests_by_outcome ON requests (deployment_seq, is_failure, id)",
    "CREATE INDEX requests_by_request_id ON requests (account_seq, request_id)",
    // Failures and successes have separate bounds, so that a flood of one does not evict the other.
    `CREATE TABLE request_sizes (
      deployment_seq ${integer} NOT NULL,
      is_failure ${integer} NOT NULL,
      bytes ${integer} NOT NULL,
      PRIMARY KEY (deployment_seq, is_failure)
    ) ${withoutRowid}`,
    `CREATE TABLE omitted_requests (
      deployment_seq ${integer} NOT NULL,
      minute ${integer} NOT NULL,
      account_seq ${integer} NOT NULL,
      successes ${integer} NOT NULL,
      failures ${integer} NOT NULL,
      PRIMARY KEY (deployment_seq, minute)
    ) ${withoutRowid}`,
    "CREATE INDEX omitted_requests_of_account ON omitted_requests (account_seq, minute)",
  ],
};
