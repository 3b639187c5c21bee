import type { Paging } from "../../../lib/paging.ts";
import { otherTurns, pieceSize } from "../../../lib/pieces.ts";
import type { Period } from "../../../lib/time/calendar.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../buckets.ts";
import { countersOfPeriods } from "../counters/usage-store.ts";
import { allowances } from "../plans/allowance.ts";
import type { Status } from "../schema.ts";
import { subscriptionsAfter } from "../store.ts";
import { isGood, statusAt } from "../subscriptions/status.ts";
import { periodOf, type Subscription, withPlansOfAll } from "../subscriptions/subscriptions.ts";
import { type MeterUsage, usageOf } from "./usage.ts";

export interface UsageShare {
  subscription: Subscription;
  status: Status;
  period: Period;
  /** The largest of its meters' shares. */
  share: number;
  meters: Record<string, MeterUsage & { share: number }>;
}

export interface ShareFilter {
  /** Those at or over this share. */
  near?: number | undefined;
  /** Looks at this meter alone. */
  meter?: string | undefined;
}

/** The subscriptions that may use anything now, those with the largest share of their quota first. */
export async function listUsage(
  reads: Reads,
  bucket: MeteringBucket,
  filter: ShareFilter,
  now: number,
  { limit, offset }: Paging,
): Promise<{ data: UsageShare[]; total: number }> {
  // Periods are worked out for each subscription, so shares cannot be compared by the database.
  const found: UsageShare[] = [];
  for (let after = 0; ; ) {
    const rows = await subscriptionsAfter(reads, bucket.seq, after, pieceSize);
    if (rows.length === 0) break;
    found.push(...(await sharesOf(reads, await withPlansOfAll(reads, rows), filter, now)));
    after = rows.at(-1)!.seq;
    await otherTurns();
  }
  found.sort((one, other) => other.share - one.share || one.subscription.row.seq - other.subscription.row.seq);
  return { data: found.slice(offset, offset + limit), total: found.length };
}

async function sharesOf(
  reads: Reads,
  subscriptions: Subscription[],
  { near, meter }: ShareFilter,
  now: number,
): Promise<UsageShare[]> {
  const good = subscriptions
    .map((subscription) => ({ subscription, status: statusAt(subscription.row, subscription.plans, now) }))
    .filter(({ status }) => isGood(status))
    .map((each) => ({ ...each, period: periodOf(each.subscription, now) }));
  const used = await countersOfPeriods(
    reads,
    good.map(({ subscription, period }) => ({ subscriptionSeq: subscription.row.seq, periodStart: period.start })),
  );
  return good.flatMap(({ subscription, status, period }) => {
    const { row, plans } = subscription;
    const allowed = allowances(row, plans, period.start);
    const usage = usageOf(allowed, period, used.get(row.seq) ?? new Map()).meters;
    const looked = Object.entries(usage).filter(([name]) => meter === undefined || name === meter);
    if (looked.length === 0) return [];
    const meters = Object.fromEntries(looked.map(([name, each]) => [name, { ...each, share: shareOf(each) }]));
    const share = Math.max(...Object.values(meters).map((each) => each.share));
    return near === undefined || share >= near ? [{ subscription, status, period, share, meters }] : [];
  });
}

/** Of nothing, anything is all. */
function shareOf({ used, max }: MeterUsage): number {
  if (max === 0) return used > 0 ? 1 : 0;
  return Number((used / max).toFixed(6));
}
