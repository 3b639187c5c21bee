import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/**
 * The counted list of a metering bucket's subscriptions, see counted-lists.ts: deleting a bucket reports their number.
 */
export const subscriptionCounts: Migration = {
  name: "0023-subscription-counts",
  statements: () => [
    `INSERT INTO list_blocks (scope, list, block, shard, size)
      SELECT metering_buckets.id, 'subscriptions', subscriptions.seq / 4096, 0, COUNT(*)
      FROM subscriptions JOIN metering_buckets ON metering_buckets.seq = subscriptions.bucket_seq
      GROUP BY metering_buckets.id, subscriptions.seq / 4096`,
  ],
};
