import type { Reads } from "../../../../platform/storage/storage.ts";

/** Counters and events of one meter of one subscription in one period. */
export interface UsageComparison {
  subscription_id: string;
  period_start: number;
  meter: string;
  counted_events: number;
  counted_whole: number;
  counted_billionths: number;
  stored_events: number;
  stored_whole: number;
  stored_billionths: number;
}

export interface UsedPeriod {
  subscription_seq: number;
  period_start: number;
  /** The total of all meters, as counted. */
  events: number;
  meters: number;
}

/**
 * Returns the periods of some subscriptions that have counters or events. Only the first event of each period is read,
 * because there may be millions.
 */
export function usedPeriods(reads: Reads, subscriptionSeqs: number[], from: number, to: number): Promise<UsedPeriod[]> {
  const chosen = `(${subscriptionSeqs.map(() => "?").join(", ")})`;
  return reads.all(
    `WITH RECURSIVE stored(subscription_seq, period_start) AS (
      SELECT seq, (SELECT MIN(period_start) FROM usage_events
        WHERE usage_events.subscription_seq = subscriptions.seq AND usage_events.period_start >= ?)
      FROM subscriptions WHERE seq IN ${chosen}
      UNION ALL
      SELECT subscription_seq, (SELECT MIN(later.period_start) FROM usage_events AS later
        WHERE later.subscription_seq = stored.subscription_seq AND later.period_start > stored.period_start)
      FROM stored WHERE period_start < ?)
    SELECT subscription_seq, period_start, CAST(SUM(events) AS bigint) AS events, CAST(SUM(meters) AS bigint) AS meters FROM (
      SELECT subscription_seq, period_start, events, 1 AS meters FROM usage_counters
        WHERE subscription_seq IN ${chosen} AND period_start >= ? AND period_start < ?
      UNION ALL
      SELECT subscription_seq, period_start, 0, 0 FROM stored WHERE period_start < ?
    ) AS used GROUP BY subscription_seq, period_start`,
    [from, ...subscriptionSeqs, to, ...subscriptionSeqs, from, to, to],
  );
}

type PeriodPlace = Pick<UsedPeriod, "subscription_seq" | "period_start">;

/**
 * Returns the counters and events of some periods; with `after`, only events with a later `seq`. One statement, so that
 * a counter and its events are from the same snapshot. Events that retention removed count as stored.
 */
export function compareCounters(
  reads: Reads,
  periods: PeriodPlace[],
  after: number | undefined = undefined,
): Promise<UsageComparison[]> {
  const places = `(subscription_seq, period_start) IN
    (VALUES ${Array(periods.length).fill("(CAST(? AS bigint), CAST(? AS bigint))").join(", ")})`;
  const parameters = periods.flatMap(({ subscription_seq, period_start }) => [subscription_seq, period_start]);
  return reads.all(
    `SELECT subscriptions.id AS subscription_id, period_start, meter,
      CAST(SUM(counted_events) AS bigint) AS counted_events,
      CAST(SUM(counted_whole) AS bigint) + CAST(SUM(counted_billionths) AS bigint) / 1000000000 AS counted_whole,
      CAST(SUM(counted_billionths) AS bigint) % 1000000000 AS counted_billionths,
      CAST(SUM(stored_events) AS bigint) AS stored_events,
      CAST(SUM(stored_whole) AS bigint) + CAST(SUM(stored_billionths) AS bigint) / 1000000000 AS stored_whole,
      CAST(SUM(stored_billionths) AS bigint) % 1000000000 AS stored_billionths
    FROM (
      SELECT subscription_seq, period_start, meter,
        events AS counted_events, whole AS counted_whole, billionths AS counted_billionths,
        removed_events AS stored_events, removed_whole AS stored_whole, removed_billionths AS stored_billionths
      FROM usage_counters WHERE ${places}
      UNION ALL
      SELECT subscription_seq, period_start, meter, 0, 0, 0, events, whole, billionths FROM removed_usage
        WHERE ${places}
      UNION ALL
      SELECT subscription_seq, period_start, meter, 0, 0, 0, 1, whole, billionths FROM usage_events
        WHERE ${places} ${after === undefined ? "" : "AND seq > ?"}
    ) AS both_sides JOIN subscriptions ON subscriptions.seq = both_sides.subscription_seq
    GROUP BY subscriptions.id, period_start, meter`,
    [...parameters, ...parameters, ...parameters, ...(after === undefined ? [] : [after])],
  );
}

/** Returns the `seq` of the last event of a period, or 0. */
export async function lastEventOf(reads: Reads, period: PeriodPlace): Promise<number> {
  const sql = "SELECT MAX(seq) AS last FROM usage_events WHERE subscription_seq = ? AND period_start = ?";
  const row = await reads.one<{ last: number | null }>(sql, [period.subscription_seq, period.period_start]);
  return row?.last ?? 0;
}

/** The sums of some events of a meter. */
interface EventSums {
  subscription_id: string;
  meter: string;
  events: number;
  whole: number;
  billionths: number;
  last: number;
}

/** Returns the sums of the next events of a period by meter, in the order of `seq`. */
export function eventSums(
  reads: Reads,
  { subscription_seq, period_start }: PeriodPlace,
  { after, last, limit }: { after: number; last: number; limit: number },
): Promise<EventSums[]> {
  return reads.all(
    `SELECT subscriptions.id AS subscription_id, meter, COUNT(*) AS events, SUM(whole) AS whole,
      SUM(billionths) AS billionths, MAX(events.seq) AS last
    FROM (
      SELECT seq, subscription_seq, meter, whole, billionths FROM usage_events
      WHERE subscription_seq = ? AND period_start = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?
    ) AS events JOIN subscriptions ON subscriptions.seq = events.subscription_seq
    GROUP BY subscriptions.id, meter`,
    [subscription_seq, period_start, after, last, limit],
  );
}
