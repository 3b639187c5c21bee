import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** The size of each deployment's log, so that it can be bounded without adding up its lines. */
export const logSizes: Migration = {
  name: "0005-log-sizes",
  statements: ({ integer, withoutRowid }) => [
    // Existing lines are not counted: they are deleted within a week.
    `ALTER TABLE deployment_logs ADD COLUMN bytes ${integer} NOT NULL DEFAULT 0`,
    // No foreign key, like the lines: rows of deleted deployments are found and removed by it.
    `CREATE TABLE deployment_log_sizes (
      deployment_seq ${integer} NOT NULL PRIMARY KEY,
      bytes ${integer} NOT NULL
    ) ${withoutRowid}`,
  ],
};
