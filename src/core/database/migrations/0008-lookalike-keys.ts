import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Which buckets hold a supplied key that looks generated but has another checksum: there the checksum decides nothing. */
export const lookalikeKeys: Migration = {
  name: "0008-lookalike-keys",
  statements: ({ integer }) => [`ALTER TABLE key_buckets ADD COLUMN has_lookalike_keys ${integer} NOT NULL DEFAULT 0`],
};
