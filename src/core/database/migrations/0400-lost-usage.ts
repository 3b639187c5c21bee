import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** The estimated usage of open holds, which counts if their node is killed, and the time at which it counts. */
export const lostUsage: Migration = {
  name: "0400-lost-usage",
  statements: ({ integer }) => [
    "ALTER TABLE quota_holds ADD COLUMN estimate text NOT NULL DEFAULT '0'",
    `ALTER TABLE quota_holds ADD COLUMN used_on ${integer} NOT NULL DEFAULT 0`,
  ],
};
