import type { Act } from "../../../../core/access.ts";
import { ifFound } from "../../../../core/problems/problem.ts";
import { isOfOtherBucket } from "../../../../counting/quotas/customer-place.ts";
import { type Amount, amountOf } from "../../../../lib/amount.ts";
import { NamedWrite } from "../../../../platform/storage/named-write.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { TakeResult } from "../../../api-keys/keys/quota-takes.ts";
import { findMeteringBucket, timeIn } from "../../metering-buckets/metering-buckets.ts";
import { allowances } from "../../subscriptions/allowance.ts";
import { periodOf } from "../../subscriptions/state.ts";
import { currentSubscription, needsPayment } from "../../subscriptions/subscriptions.ts";
import type { Consumed, Quotas } from "../quotas/quotas.ts";
import { usageTextOf } from "../quotas/usage-text.ts";
import { findHold, insertHold, type NewHold } from "./hold-store.ts";

/** Amounts that a transaction takes from the quota of a customer, counted or held. */
export interface DurableTake {
  act: Act;
  bucketId: string;
  customerKey: string;
  /** The name of the consumer's key bucket. */
  keyBucket: string;
  amounts: ReadonlyMap<string, Amount>;
  /** The caller chooses the id, so that a repeated write holds once. */
  hold: Pick<NewHold, "id" | "expiresOn" | "onExpiry"> | undefined;
  /** Takes amounts that the quota does not allow. */
  observes: boolean;
  once: OnceRequest | undefined;
}

interface OnceRequest {
  credential: string;
  key: string;
  fingerprint: Buffer;
  now: number;
}

/** Runs work once for an Idempotency-Key. A result is remembered if `keeps` says so. */
interface Once {
  once<Result>(
    transaction: WriteTransaction,
    request: OnceRequest,
    work: () => Promise<Result>,
    keeps: (result: Result) => boolean,
  ): Promise<Result>;
}

/** Null if the bucket does not exist. */
export type DurableTakeResult = TakeResult | null;

/**
 * A worker sends it to the primary, which has the counters. The result of a write that is repeated is the same: a hold
 * by its id, and workers forward requests with an Idempotency-Key.
 */
export function durableTake(services?: { quotas: Quotas; once: Once }): NamedWrite<DurableTake, DurableTakeResult> {
  const apply = async (transaction: WriteTransaction, take: DurableTake): Promise<DurableTakeResult> => {
    if (!services) throw new Error("The primary takes from quotas.");
    const { quotas, once } = services;
    const work = () => takeIn(transaction, quotas, take);
    return take.once ? once.once(transaction, take.once, work, keeps) : work();
  };
  return new NamedWrite("quota take", apply, { isIdempotent: true });
}

function keeps(taken: DurableTakeResult): boolean {
  return taken?.rejection === undefined || taken.isTaken === true;
}

async function takeIn(transaction: WriteTransaction, quotas: Quotas, take: DurableTake): Promise<DurableTakeResult> {
  const { act, customerKey, amounts, hold, observes } = take;
  const bucket = await ifFound(findMeteringBucket(transaction, act.account.seq, take.bucketId));
  if (!bucket) return null;
  if (isOfOtherBucket(bucket.key_bucket, take.keyBucket)) return { rejection: "no_subscription", members: "" };
  const now = timeIn(bucket, act.now);
  const subscription = await currentSubscription(transaction, bucket, customerKey, now);
  if (!subscription) {
    const isBlocked = await needsPayment(transaction, bucket, customerKey, now);
    return { rejection: isBlocked ? "payment_required" : "no_subscription", members: "" };
  }
  const { row, plans } = subscription;
  const period = periodOf(subscription, now);
  const held = hold && (await findHold(transaction, bucket.seq, hold.id));
  if (held) return { members: `"holdId":"${held.id}"` };
  const allowed = allowances(row, plans, period.start);
  for (const meter of amounts.keys()) if (!allowed.has(meter)) return { rejection: "meter_not_in_plan", members: "" };
  const consumption = { act, bucketId: bucket.id, subscriptionId: row.id, amounts: new Map(amounts), observes };
  const consumed = await quotas.consumeIn(transaction, consumption);
  const members = usageTextOf(consumed.meters, period.end);
  const result: TakeResult = consumed.allowed
    ? { members }
    : rejected(consumed, amounts, members, Math.ceil((period.end - now) / 1000));
  if (consumed.isTaken) result.isTaken = true;
  if (!hold || !(consumed.allowed || consumed.isTaken)) return result;
  await insertHold(transaction, {
    ...hold,
    bucketSeq: bucket.seq,
    subscriptionSeq: row.seq,
    periodStart: period.start,
    time: now,
    createdOn: act.now,
    amounts,
  });
  return { ...result, members: `"holdId":"${hold.id}",${members}` };
}

function rejected(
  { reason = undefined, meters }: Consumed,
  amounts: ReadonlyMap<string, Amount>,
  members: string,
  secondsLeft: number,
): TakeResult {
  if (reason) return { rejection: reason, members };
  // The next period does not help if it allows less than the amount.
  const fits = Array.from(amounts).every(([meter, amount]) => amount <= amountOf(meters[meter]!.max)!);
  return { rejection: "quota_exceeded", retryAfterSeconds: fits ? secondsLeft : undefined, members };
}
