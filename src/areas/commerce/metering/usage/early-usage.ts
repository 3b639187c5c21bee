import { raiseCounters } from "../../../../counting/counters/raise-counters.ts";
import { recordTotals } from "../../../../counting/counters/totals.ts";
import { type Amount, amountFromParts } from "../../../../lib/amount.ts";
import type { BucketContext } from "../../metering-buckets/metering-buckets.ts";
import { allowances } from "../../subscriptions/allowance.ts";
import { periodOf } from "../../subscriptions/state.ts";
import { plansOf, subscriptionsOfCustomer } from "../../subscriptions/subscriptions.ts";
import { type EventPart, eventsAfter, moveEvents, periodsWithUsageSince } from "../counters/changed-events-store.ts";
import { raiseMarks } from "../counters/usage-marks.ts";
import { type CountedEvent, negated, usageChangesOf } from "./counting.ts";
import { billLateUsage, lateBilling, type OwningSubscription, ownersOfAll } from "./owners.ts";

/** Usage of a meter that a subscription has lost. */
export interface LostUsage {
  subscriptionSeq: number;
  periodStart: number;
  meter: string;
  amount: Amount;
  /** When it was used. Missing if that is after now. */
  time?: number;
}

/**
 * Moves usage whose time is still to come to the subscription that is current from now on. To be called whenever another
 * subscription of a customer becomes current: an event that arrives before its time counts for the one that was current
 * then. Without prices, events stay where they were counted. Returns what was moved.
 * @param options.after events after this time are moved: those of the time itself arrived before the change
 * @param options.deletedSeq a subscription that is about to be deleted
 */
export async function moveEarlyUsage(
  context: BucketContext,
  customerKey: string,
  { after = context.act.now, deletedSeq }: { after?: number; deletedSeq?: number } = {},
): Promise<LostUsage[]> {
  const { transaction, act, bucket } = context;
  const rows = await subscriptionsOfCustomer(transaction, bucket.seq, customerKey);
  if (rows.length < 2 || rows.every(({ billing }) => billing === null)) return [];
  const customer = { bucketSeq: bucket.seq, customerKey, now: act.now };
  const [owners] = await ownersOfAll(transaction, [customer], deletedSeq);
  if (!owners?.current) return [];
  const lost: LostUsage[] = [];
  for (const { seq, billing } of rows) {
    if (seq === owners.current.row.seq) continue;
    for (const period of await periodsWithUsageSince(transaction, seq, after))
      for await (const parts of eventsAfter(transaction, seq, period, after)) {
        const byOwner = Map.groupBy(parts, ({ time }) => owners.at(time));
        for (const [owner, owned] of byOwner) {
          if (!owner || owner.row.seq === seq || (billing === null && owner.row.billing === null)) continue;
          lost.push(...(await move(context, seq, owner, owned)));
        }
      }
  }
  return lost;
}

async function move(
  { transaction, act, bucket }: BucketContext,
  fromSeq: number,
  to: OwningSubscription,
  parts: EventPart[],
): Promise<LostUsage[]> {
  const anyPeriod = { allowance_period: null, allowance: null };
  const meters = allowances(anyPeriod, await plansOf(transaction, to.row.seq), 0);
  // Before its creation, no usage is its own, and other meters would have been rejected.
  const own = parts.filter(({ time, meter }) => time >= to.row.created_on && meters.has(meter));
  const subscriptionSeq = to.row.seq;
  const taken: CountedEvent[] = [];
  const given: CountedEvent[] = [];
  for (const [periodStart, some] of Map.groupBy(own, ({ time }) => periodOf(to, time).start)) {
    const moved = await moveEvents(transaction, some, fromSeq, { subscriptionSeq, periodStart });
    for (const { seq, time, period_start, meter, whole, billionths } of some) {
      if (!moved.has(seq)) continue;
      const amounts = new Map([[meter, amountFromParts(whole, billionths)]]);
      taken.push({ subscriptionSeq: fromSeq, periodStart: period_start, time, amounts });
      given.push({ subscriptionSeq, periodStart, time, amounts });
    }
  }
  if (given.length === 0) return [];
  const lost = changesIn(taken);
  // All of them at once: counters are locked in the order of raiseCounters.
  const totals = await raiseCounters(transaction, [...lost.map(negated), ...changesIn(given)]);
  const owner = { act, bucketId: bucket.id };
  const owners = new Map([fromSeq, subscriptionSeq].map((seq) => [seq, owner]));
  await recordTotals(transaction, totals, owners);
  await raiseMarks(transaction, [...Map.groupBy(given, ({ periodStart }) => periodStart).values()]);
  await billLateUsage(transaction, [{ subscriptionSeq, billsOn: lateBilling(to, act.now) }]);
  return lost;
}

function changesIn(events: CountedEvent[]) {
  return [...Map.groupBy(events, ({ periodStart }) => periodStart).values()].flatMap(usageChangesOf);
}
