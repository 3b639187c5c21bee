import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** The number of writes of a usage counter, by which caches recognize a total that arrives late. Totals may decrease. */
export const counterVersions: Migration = {
  name: "0335-counter-versions",
  statements: ({ integer }) => [`ALTER TABLE usage_counters ADD COLUMN version ${integer} NOT NULL DEFAULT 0`],
};
