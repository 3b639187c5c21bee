import { recordChange } from "../../../../core/changes/record.ts";
import { numberOf } from "../../../../lib/amount.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import { findEvent, type StoredEvent, takeBack } from "../../metering/usage/voided-events.ts";
import { asSystem, type BucketContext, namedMeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { findSubscriptionForUpdate, type Subscription } from "../../subscriptions/subscriptions.ts";
import { lockCustomerBilling } from "../credit-grants/wallet.ts";
import { returnLostUnits, settleBefore, settleCredits } from "../spending/credit-settlement.ts";
import { settleBilling } from "./billing-steps.ts";
import { settleRollovers } from "./rollovers.ts";

interface EventCorrection {
  source: string;
  id: string;
  reason: string;
}

interface VoidedEvent {
  customerKey: string;
  voidedOn: number;
}

/**
 * Takes a stored event back. Units and money of grants that paid for it are granted again at once. What invoices show is
 * returned with the next invoice, or an hour later if there will be none. Repeated, it changes nothing.
 */
export async function voidEvent(context: BucketContext, { source, id, reason }: EventCorrection): Promise<VoidedEvent> {
  const { transaction, act, bucket } = context;
  const { customerKey, subscriptionId } = await findEvent(transaction, bucket, source, id);
  await lockCustomerBilling(transaction, bucket, customerKey);
  await settle(context, subscriptionId);
  // Read after the lock and what was due: it may have moved to another subscription, or be void already.
  const event = await findEvent(transaction, bucket, source, id);
  if (event.voidedOn !== null) return { customerKey, voidedOn: event.voidedOn };
  const subscription = await findSubscriptionForUpdate(transaction, bucket, event.subscriptionId);
  const { row } = subscription;
  const lost = await takeBack(context, subscription, event);
  await returnLostUnits(context, customerKey, lost);
  if (row.has_credits === 1) await settleCredits(asSystem(context), customerKey);
  // The period may have had no unused units before.
  await settleRollovers(context, row.id);
  record(context, { source, id, reason }, event, subscription);
  return { customerKey, voidedOn: act.now };
}

/** Does all that is due with the usage so far. */
async function settle(context: BucketContext, subscriptionId: string): Promise<void> {
  const { transaction, act, bucket } = context;
  const subscription = await findSubscriptionForUpdate(transaction, bucket, subscriptionId);
  if (subscription.row.billing === null) await settleBefore(asSystem(context), subscription);
  else await settleBilling(context, subscriptionId, act.now);
}

function record(
  { transaction, act, bucket }: BucketContext,
  { source, id, reason }: EventCorrection,
  { time, amounts }: StoredEvent,
  { row }: Subscription,
): void {
  const after = {
    source,
    id,
    reason,
    customerKey: row.customer_key,
    subscriptionId: row.id,
    time: formatDateTime(time),
    meters: Object.fromEntries([...amounts].map(([meter, amount]) => [meter, numberOf(amount)])),
  };
  const resource = { type: "event", id: `${bucket.id}/${source}/${id}`, name: id, parent: namedMeteringBucket(bucket) };
  recordChange(transaction, act, "usage.voided", { ...resource, after });
}
