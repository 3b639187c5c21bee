import type { Reads } from "../../../platform/storage/storage.ts";
import { marksOf } from "../../metering/counters/usage-marks.ts";
import type { Subscription } from "../../metering/subscriptions/subscriptions.ts";
import { hasBilledMeters, overageIn, type SegmentOverage } from "./overage-lines.ts";
import { openSegment } from "./segment-store.ts";

/** The overage of the open segment. Empty if nothing is billed. */
export async function currentOverage(reads: Reads, { row }: Subscription): Promise<SegmentOverage[]> {
  const segment = await openSegment(reads, row.seq);
  if (!segment || !hasBilledMeters(segment)) return [];
  return overageIn(reads, row.seq, segment, undefined, await marksOf(reads, row.seq));
}
