import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** The counted lists of keys by permission and by their consumer's tags, named as in areas/keys/key-lists.ts. */
export const keyCounts: Migration = {
  name: "0026-key-counts",
  statements: ({ json }) => [
    `INSERT INTO list_blocks (scope, list, block, shard, size)
      SELECT key_buckets.id, 'keys permission ' || permission, key_seq / 4096, 0, COUNT(*)
      FROM key_permissions JOIN key_buckets ON key_buckets.seq = key_permissions.bucket_seq
      GROUP BY key_buckets.id, permission, key_seq / 4096`,
    `INSERT INTO list_blocks (scope, list, block, shard, size)
      SELECT key_buckets.id, 'keys [' || ${json("consumer_tags.name")} || ',' || ${json("consumer_tags.value")} || ']',
        api_keys.seq / 4096, 0, COUNT(*)
      FROM consumer_tags JOIN key_buckets ON key_buckets.seq = consumer_tags.bucket_seq
        JOIN api_keys ON api_keys.consumer_seq = consumer_tags.consumer_seq
      GROUP BY key_buckets.id, consumer_tags.name, consumer_tags.value, api_keys.seq / 4096`,
  ],
};
