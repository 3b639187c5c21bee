import { notFound } from "../../../../core/problems/problem.ts";
import { raiseCounters } from "../../../../counting/counters/raise-counters.ts";
import { recordTotals } from "../../../../counting/counters/totals.ts";
import { type Amount, amountFromParts } from "../../../../lib/amount.ts";
import { runsOf } from "../../../../platform/storage/runs.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { BucketContext, MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import type { Subscription } from "../../subscriptions/subscriptions.ts";
import { partsOfEvent, voidParts } from "../counters/changed-events-store.ts";
import { lowerMarks } from "../counters/usage-marks.ts";
import { negated, usageChangesOf } from "./counting.ts";
import type { LostUsage } from "./early-usage.ts";
import { billLateUsage, lateBilling } from "./owners.ts";

/** A stored event. */
export interface StoredEvent {
  subscriptionSeq: number;
  subscriptionId: string;
  customerKey: string;
  periodStart: number;
  time: number;
  /** The number of its last part, by which events are ordered by their arrival. */
  seq: number;
  seqs: number[];
  amounts: Map<string, Amount>;
  voidedOn: number | null;
  receivedOn: number;
}

/** Throws 404 if the event was never stored, or is not kept any more. */
export async function findEvent(
  transaction: WriteTransaction,
  bucket: MeteringBucket,
  source: string,
  id: string,
): Promise<StoredEvent> {
  const parts = await partsOfEvent(transaction, bucket.seq, source, id);
  const [first] = parts;
  if (!first) throw notFound("event");
  return {
    subscriptionSeq: first.subscription_seq,
    subscriptionId: first.subscription_id,
    customerKey: first.customer_key,
    periodStart: first.period_start,
    time: first.time,
    seq: parts.at(-1)!.seq,
    seqs: parts.map(({ seq }) => seq),
    amounts: new Map(parts.map(({ meter, whole, billionths }) => [meter, amountFromParts(whole, billionths)])),
    voidedOn: first.voided_on,
    receivedOn: first.received_on,
  };
}

/** Subtracts an event from the counters of its subscription. Returns what the subscription has lost. */
export async function takeBack(
  { transaction, act, bucket }: BucketContext,
  subscription: Subscription,
  event: StoredEvent,
): Promise<LostUsage[]> {
  let count = 0;
  for (const run of runsOf(event.seqs)) count += await voidParts(transaction, run, event.receivedOn, act.now);
  // Retention has removed it in the meantime.
  if (count < event.seqs.length) throw notFound("event");
  const { subscriptionSeq, periodStart, time, amounts } = event;
  // It still counts as an event, of nothing: so the number of events agrees with those that are stored.
  const changes = usageChangesOf([event]).map((change) => ({ ...negated(change), events: 0 }));
  const totals = await raiseCounters(transaction, changes);
  await recordTotals(transaction, totals, new Map([[subscriptionSeq, { act, bucketId: bucket.id }]]));
  await lowerMarks(transaction, event);
  await billLateUsage(transaction, [{ subscriptionSeq, billsOn: lateBilling(subscription, act.now) }]);
  return [...amounts].map(([meter, amount]) => ({ subscriptionSeq, periodStart, meter, amount, time }));
}
