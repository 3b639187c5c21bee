import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** The total of requests that all nodes admitted in a window. */
export const rateLimits: Migration = {
  name: "0004-rate-limits",
  statements: ({ integer, withoutRowid }) => [
    `CREATE TABLE rate_limits (
      scope text NOT NULL,
      subject text NOT NULL,
      window_start ${integer} NOT NULL,
      ends_on ${integer} NOT NULL,
      used ${integer} NOT NULL,
      PRIMARY KEY (scope, subject, window_start)
    ) ${withoutRowid}`,
    "CREATE INDEX rate_limits_by_end ON rate_limits (ends_on)",
  ],
};
