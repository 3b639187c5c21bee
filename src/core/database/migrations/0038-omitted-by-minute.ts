import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Live request streams read the counts of the last minutes of all deployments at once. */
export const omittedByMinute: Migration = {
  name: "0038-omitted-by-minute",
  statements: () => ["CREATE INDEX omitted_requests_by_minute ON omitted_requests (minute)"],
};
