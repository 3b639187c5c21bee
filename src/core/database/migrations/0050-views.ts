import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Named filters of the console's lists. */
export const views: Migration = {
  name: "0050-views",
  statements: ({ seq, integer }) => [
    `CREATE TABLE views (
      seq ${seq},
      id text NOT NULL CONSTRAINT views_id_key UNIQUE,
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      name text NOT NULL,
      page text NOT NULL,
      search text NOT NULL,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT views_account_seq_name_key UNIQUE (account_seq, name)
    )`,
  ],
};
