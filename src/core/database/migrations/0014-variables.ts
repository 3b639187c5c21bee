import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Variables of gateway projects. A plain variable has a value, a secret has an encrypted value. */
export const variables: Migration = {
  name: "0014-variables",
  statements: ({ seq, integer, bytes }) => [
    `CREATE TABLE project_variables (
      seq ${seq},
      id text NOT NULL,
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      project text NOT NULL,
      name text NOT NULL,
      environments text NOT NULL,
      value text,
      sealed ${bytes},
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT project_variables_account_seq_project_name_key UNIQUE (account_seq, project, name)
    )`,
  ],
};
