import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/**
 * Usage events on PostgreSQL are partitioned by the time of receipt, see docs/decisions/event-partitions.md. A unique
 * constraint of a partitioned table must contain that time, so duplicates are found by a table of keys. The partitions
 * are introduced while serving: the last table contains how far that is.
 */
export const eventPartitions: Migration = {
  name: "0570-event-partitions",
  statements: ({ reusableSeq, integer, onlyPostgres }) => [
    // The sums of dropped events that are not yet added to the removed sums of their counters.
    `CREATE TABLE removed_usage (
      seq ${reusableSeq},
      subscription_seq ${integer} NOT NULL,
      period_start ${integer} NOT NULL,
      meter text NOT NULL,
      events ${integer} NOT NULL,
      whole ${integer} NOT NULL,
      billionths ${integer} NOT NULL
    )`,
    "CREATE INDEX removed_usage_by_period ON removed_usage (subscription_seq, period_start)",
    ...onlyPostgres([
      // The digest is that of the event's source and id. No foreign key, as for events.
      `CREATE TABLE usage_event_keys (
        bucket_seq bigint NOT NULL,
        digest uuid NOT NULL,
        received_on bigint NOT NULL,
        PRIMARY KEY (bucket_seq, digest)
      )`,
      "CREATE INDEX usage_event_keys_by_receipt ON usage_event_keys (received_on)",
      // Events up to `filled_to`, by seq, have keys. `bound` is the end of the partition that the table of earlier
      // releases becomes. Events that were received before `removed_before` are about to be dropped, and not changed.
      `CREATE TABLE usage_event_storage (
        is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
        phase text NOT NULL,
        filled_to bigint NOT NULL,
        bound bigint,
        removed_before bigint NOT NULL
      )`,
      "INSERT INTO usage_event_storage (phase, filled_to, removed_before) VALUES ('filling', 0, 0)",
    ]),
  ],
};
