import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Projects whose production branch is not `main`. */
export const productionBranch: Migration = {
  name: "0006-production-branch",
  statements: ({ integer }) => [
    `CREATE TABLE production_branches (
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      project text NOT NULL,
      branch text NOT NULL,
      PRIMARY KEY (account_seq, project)
    )`,
  ],
};
