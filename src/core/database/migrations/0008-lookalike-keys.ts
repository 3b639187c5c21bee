import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/**
 * Buckets with a supplied key in the generated format that has another checksum. There, a wrong checksum does not prove
 * that a key is invalid.
 */
export const lookalikeKeys: Migration = {
  name: "0008-lookalike-keys",
  statements: ({ integer }) => [`ALTER TABLE key_buckets ADD COLUMN has_lookalike_keys ${integer} NOT NULL DEFAULT 0`],
};
