import type { Minor } from "../../../lib/money.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { marksOf } from "../../metering/counters/usage-marks.ts";
import type { Subscription } from "../../metering/subscriptions/subscriptions.ts";
import type { CreditUses } from "../credits/use-store.ts";
import { costOf, hasBilledMeters, overageIn, type SegmentOverage } from "./overage-lines.ts";
import { openSegment, recentSegmentsOf, type SegmentRow } from "./segment-store.ts";

/** The overage of the open segment. Empty if nothing is billed. */
export async function currentOverage(reads: Reads, { row }: Subscription): Promise<SegmentOverage[]> {
  const segment = await openSegment(reads, row.seq);
  if (!segment || !hasBilledMeters(segment)) return [];
  return overageIn(reads, row.seq, segment, undefined, await marksOf(reads, row.seq));
}

/** The cost of a period before its open segment. */
export async function costBefore(
  reads: Reads,
  subscriptionSeq: number,
  open: SegmentRow,
  uses: CreditUses,
): Promise<Minor> {
  const segments = await recentSegmentsOf(reads, subscriptionSeq, open.period_start);
  const marks = await marksOf(reads, subscriptionSeq);
  let sum = 0n;
  for (const [index, segment] of segments.entries()) {
    if (segment.seq === open.seq || segment.period_start !== open.period_start || !hasBilledMeters(segment)) continue;
    for (const overage of await overageIn(reads, subscriptionSeq, segment, segments[index + 1], marks))
      sum += costOf(overage, uses).cost;
  }
  return sum;
}
