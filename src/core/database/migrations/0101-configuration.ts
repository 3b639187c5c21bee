import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Plans of configuration changes, and what applies created. */
export const configuration: Migration = {
  name: "0101-configuration",
  statements: ({ seq, integer, bytes, withoutRowid }) => [
    `CREATE TABLE configuration_plans (
      seq ${seq},
      id text NOT NULL,
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      created_by text NOT NULL,
      owner text,
      is_pruning ${integer} NOT NULL,
      steps text NOT NULL,
      inputs ${bytes},
      applied_on ${integer},
      expires_on ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      CONSTRAINT configuration_plans_account_seq_id_key UNIQUE (account_seq, id)
    )`,
    `CREATE TABLE configuration_marks (
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      resource_id text NOT NULL,
      owner text NOT NULL,
      PRIMARY KEY (account_seq, resource_id)
    ) ${withoutRowid}`,
  ],
};
