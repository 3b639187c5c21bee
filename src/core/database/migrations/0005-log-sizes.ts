import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** How much each deployment has logged, so that it can be bounded without adding up its lines. */
export const logSizes: Migration = {
  name: "0005-log-sizes",
  statements: ({ integer, withoutRowid }) => [
    // Lines from before count as nothing: they are gone within a week.
    `ALTER TABLE deployment_logs ADD COLUMN bytes ${integer} NOT NULL DEFAULT 0`,
    // No foreign key, as the lines have none: what is left of a deleted deployment is found by it and removed.
    `CREATE TABLE deployment_log_sizes (
      deployment_seq ${integer} NOT NULL PRIMARY KEY,
      bytes ${integer} NOT NULL
    ) ${withoutRowid}`,
  ],
};
