import type { Minor } from "../../../../lib/text/minor-units.ts";
import type { Period } from "../../../../lib/time/calendar.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { marksOf } from "../../metering/counters/usage-marks.ts";
import type { Subscription } from "../../subscriptions/subscriptions.ts";
import type { CreditUses } from "../credit-grants/use-store.ts";
import {
  type BillingSegmentRow,
  hasPricedMeters,
  openSegment,
  recentSegmentsOf,
  segmentKindAt,
  termsAt,
} from "../plan-terms/segments.ts";
import { costOf, overageIn, type SegmentOverage } from "./overage-lines.ts";

/** The overage of the current segment of a period. Empty if nothing is billed. */
export async function currentOverage(
  reads: Reads,
  subscription: Subscription,
  period: Period,
): Promise<SegmentOverage[]> {
  const { row } = subscription;
  const open = await openSegment(reads, row.seq);
  if (!open) return [];
  const segment = open.period_start === period.start ? open : await expectedSegment(reads, subscription, open, period);
  if (!hasPricedMeters(segment)) return [];
  return overageIn(reads, row.seq, segment, undefined, await marksOf(reads, row.seq));
}

/** The segment that the renewal will begin: a period has begun, and the step that is due then has not been done. */
async function expectedSegment(
  reads: Reads,
  subscription: Subscription,
  open: BillingSegmentRow,
  { start, end }: Period,
): Promise<BillingSegmentRow> {
  const terms = JSON.stringify(await termsAt(reads, subscription, start, start, undefined));
  const kind = segmentKindAt(subscription, start);
  return { ...open, seq: notStored, kind, period_start: start, period_end: end, starts_on: start, terms, billed: "{}" };
}

/** No row has this number, so no credits have paid for anything in it. 0 is that of meters that are not billed. */
const notStored = -1;

/** The cost of a period before its open segment. */
export async function costBefore(
  reads: Reads,
  subscriptionSeq: number,
  open: BillingSegmentRow,
  uses: CreditUses,
): Promise<Minor> {
  const segments = await recentSegmentsOf(reads, subscriptionSeq, open.period_start);
  const marks = await marksOf(reads, subscriptionSeq);
  let sum = 0n;
  for (const [index, segment] of segments.entries()) {
    if (segment.seq === open.seq || segment.period_start !== open.period_start || !hasPricedMeters(segment)) continue;
    for (const overage of await overageIn(reads, subscriptionSeq, segment, segments[index + 1], marks))
      sum += costOf(overage, uses).owed;
  }
  return sum;
}
