import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Reports of leaked keys, and what a bucket does about them. */
export const leakedKeys: Migration = {
  name: "0103-leaked-keys",
  statements: () => [
    "ALTER TABLE key_buckets ADD COLUMN on_leak text NOT NULL DEFAULT 'mark'",
    "ALTER TABLE api_keys ADD COLUMN leak text",
  ],
};
