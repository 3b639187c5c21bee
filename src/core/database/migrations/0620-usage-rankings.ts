import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/**
 * The subscriptions of large metering buckets by the used share of their quotas, for lists in that order. Rankings are
 * computed in the background and replaced as a whole.
 */
export const usageRankings: Migration = {
  name: "0620-usage-rankings",
  statements: ({ integer, withoutRowid }) => [
    `CREATE TABLE usage_rankings (
      bucket_seq ${integer} PRIMARY KEY REFERENCES metering_buckets ON DELETE CASCADE,
      ranked_on ${integer},
      previous_ranked_on ${integer},
      bucket_clock ${integer},
      size ${integer} NOT NULL,
      next_on ${integer} NOT NULL,
      lease_until ${integer} NOT NULL
    ) ${withoutRowid}`,
    `CREATE TABLE usage_ranking_blocks (
      bucket_seq ${integer} NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
      ranked_on ${integer} NOT NULL,
      block ${integer} NOT NULL,
      last_share ${integer} NOT NULL,
      ranks text NOT NULL,
      PRIMARY KEY (bucket_seq, ranked_on, block)
    )`,
    "CREATE INDEX usage_ranking_blocks_by_share ON usage_ranking_blocks (bucket_seq, ranked_on, last_share, block)",
  ],
};
