import type { Migration } from "../../../platform/storage/migrations/migration.ts";
import { idAtTimeInSql, idTimeInSql, timeTextInSql } from "../id-times.ts";

const hour = 60 * 60 * 1000;

/** The rows of a chain from this one to the end, and from the beginning to this one. */
const toTheEnd = "OVER (PARTITION BY account_seq ORDER BY number ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)";
const fromTheBeginning = "OVER (PARTITION BY account_seq ORDER BY number ROWS UNBOUNDED PRECEDING)";

/**
 * Earlier versions took the times of some ids and audit entries from the clocks of test buckets, and all later ids of
 * the process came after those.
 *
 * Requests get ids of their own time. Sealed entries cannot be changed: their segments get the time of sealing, which
 * retention uses, if it differs from the time of the entries. It is estimated from the ids, which are in the order of the
 * chain, except those that are ahead of a later one or of the last seal. Lists are ordered by number instead of by id.
 */
export const futureIds: Migration = {
  name: "0320-future-ids",
  statements: ({ bytes, integer }) => [
    `UPDATE requests SET id = ${idAtTimeInSql("req", "id", "time")}
      WHERE substr(id, 5, 8) > ${timeTextInSql(`time + ${hour}`)}`,
    `ALTER TABLE audit_segments ADD COLUMN sealed_on ${integer}`,
    `UPDATE audit_segments SET sealed_on = estimates.estimate FROM (${estimates(bytes)}) AS estimates
      WHERE estimates.account_seq = audit_segments.account_seq AND estimates.number = audit_segments.number
        AND abs(estimates.estimate - audit_segments.latest) > ${hour}`,
    `UPDATE audit_chains SET oldest_on = (SELECT coalesce(segments.sealed_on, latest) FROM audit_segments AS segments
        WHERE segments.account_seq = audit_chains.account_seq AND number > anchor ORDER BY number LIMIT 1)
      WHERE oldest_on IS NOT NULL`,
    "DROP INDEX audit_segments_by_id",
    "CREATE UNIQUE INDEX audit_segments_by_ids ON audit_segments (account_seq, highest_id, lowest_id)",
    `ALTER TABLE portal_deleted_keys ADD COLUMN key_created_on ${integer}`,
    // No key was created after the last seal, except in the last seconds.
    `UPDATE portal_deleted_keys SET key_created_on = ${idTimeInSql("key", "key_id", { bytes })}`,
    `UPDATE portal_deleted_keys SET key_created_on = (SELECT max(sealed_on) FROM audit_chains)
      WHERE key_created_on > (SELECT max(sealed_on) FROM audit_chains)`,
    "CREATE INDEX api_keys_of_consumer ON api_keys (consumer_seq, seq)",
    "CREATE INDEX webhook_deliveries_by_seq ON webhook_deliveries (webhook_seq, seq)",
  ],
};

function estimates(bytes: string): string {
  const segments = `SELECT audit_segments.account_seq, number, latest, audit_chains.sealed_on AS end_on,
      ${idTimeInSql("audt", "highest_id", { bytes })} AS id_time
    FROM audit_segments JOIN audit_chains ON audit_chains.account_seq = audit_segments.account_seq`;
  const judged = `SELECT account_seq, number, latest, end_on,
      CASE WHEN id_time <= end_on + 60000 AND id_time <= min(id_time) ${toTheEnd} THEN id_time END AS right_time
    FROM (${segments}) AS segments`;
  // The time of an entry may be that of a test bucket too, but not if it is between those of right ids.
  const candidates = `SELECT account_seq, number, end_on, coalesce(right_time,
      CASE WHEN latest >= coalesce(max(right_time) ${fromTheBeginning}, 0) THEN latest END) AS candidate
    FROM (${judged}) AS judged`;
  const lowest = `SELECT account_seq, number, end_on, min(candidate) ${toTheEnd} AS candidate
    FROM (${candidates}) AS candidates`;
  return `SELECT account_seq, number, CASE WHEN candidate < end_on THEN candidate ELSE end_on END AS estimate
    FROM (${lowest}) AS lowest`;
}
