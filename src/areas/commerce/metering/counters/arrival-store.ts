import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";

/** Before the clock of a test bucket moves: what was received until now has arrived at its present time. */
export function recordArrivals(transaction: WriteTransaction, { seq, test_clock }: MeteringBucket): Promise<void> {
  return transaction.run(
    `INSERT INTO clock_moves (bucket_seq, last_event, test_clock)
     SELECT CAST(? AS bigint), COALESCE(MAX(seq), 0), CAST(? AS bigint) FROM usage_events WHERE true
     ON CONFLICT (bucket_seq, last_event) DO NOTHING`,
    [seq, test_clock],
  );
}

const eventsAtOnce = 1_000;

/** A stored event's usage of a meter. */
export interface ArrivedUsage {
  seq: number;
  /** In the time of its bucket. */
  arrivedOn: number;
  time: number;
  meter: string;
  whole: number;
  billionths: number;
}

/** The events of a period that were not taken back, in the order of their arrival, in pieces. */
export async function* arrivalsIn(
  reads: Reads,
  { seq: bucketSeq, test_clock }: MeteringBucket,
  subscriptionSeq: number,
  periodStart: number,
): AsyncGenerator<ArrivedUsage> {
  const [arrival, parameters] =
    test_clock === null
      ? ["received_on", []]
      : [
          `COALESCE((SELECT COALESCE(NULLIF(test_clock, 0), usage_events.time) FROM clock_moves
             WHERE clock_moves.bucket_seq = ? AND last_event >= usage_events.seq ORDER BY last_event LIMIT 1), ?)`,
          [bucketSeq, test_clock],
        ];
  for (let after = 0; ; ) {
    const rows = await reads.all<ArrivedUsage>(
      `SELECT seq, ${arrival} AS "arrivedOn", time, meter, whole, billionths FROM usage_events
       WHERE subscription_seq = ? AND period_start = ? AND seq > ? AND voided_on IS NULL ORDER BY seq LIMIT ${eventsAtOnce}`,
      [...parameters, subscriptionSeq, periodStart, after],
    );
    yield* rows;
    if (rows.length < eventsAtOnce) return;
    after = rows.at(-1)!.seq;
  }
}
