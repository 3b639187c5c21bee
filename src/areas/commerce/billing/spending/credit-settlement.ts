import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import { usedInPeriod } from "../../metering/usage/usage.ts";
import { asSystem, type BucketContext, type MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { limitsChanged } from "../../subscriptions/billing-state.ts";
import { periodOf } from "../../subscriptions/period.ts";
import { subscriptionsOfCustomer } from "../../subscriptions/subscription-rows.ts";
import { type Subscription, subscriptionSeqsOf } from "../../subscriptions/subscriptions.ts";
import { reviseCredits, updateRollover } from "../credit-grants/grant-store.ts";
import { nextHour } from "../credit-grants/grants.ts";
import { returnMoney } from "../credit-grants/returned-credits.ts";
import { CreditUses, lowerMoney, saveUse } from "../credit-grants/use-store.ts";
import { lockCustomerBilling, Wallet } from "../credit-grants/wallet.ts";
import { hasCaps } from "../customers/caps.ts";
import { lockBillable } from "../overage/overage-lines.ts";
import { type CreditState, type CreditUseComparison, creditsAt, lateCreditMilliseconds } from "./credit-use.ts";
import { announceSpending } from "./spending.ts";

/**
 * Writes what a customer's grants pay of its usage so far: entries in the ledger, and the uses that invoices show. Called
 * each hour, and before everything that changes grants, terms or invoices.
 */
export async function settleCredits(
  context: BucketContext,
  customerKey: string,
  { more, until = context.act.now, billedSeq }: CreditUseComparison = {},
): Promise<CreditState> {
  const { transaction, act, bucket } = context;
  await lockCustomerBilling(transaction, bucket, customerKey);
  const state = await creditsAt(transaction, bucket, customerKey, act.now, {
    more,
    until,
    ...(billedSeq === undefined ? {} : { billedSeq }),
  });
  for (const use of state.changed) await saveUse(transaction, use);
  for (const { seq, granted } of state.adjusted) await updateRollover(transaction, seq, { granted });
  const { wallet, surplus, caps } = state;
  const hasChanged = wallet.hasChanged || state.changed.size > 0;
  await wallet.save(context);
  for (const { use, ...returned } of surplus) {
    lowerMoney(use, await returnMoney(context, customerKey, returned));
    await saveUse(transaction, use);
  }
  const isCapped = hasCaps(caps);
  if (isCapped)
    for (const { seq, id } of await subscriptionSeqsOf(transaction, bucket, customerKey))
      await announceSpending(context, { seq, id, customerKey }, caps);
  const isOver = wallet.isUsedUp && surplus.length === 0 && !isCapped;
  await reviseCredits(transaction, bucket.seq, customerKey, isOver ? null : nextHour(until));
  if (hasChanged) await limitsChanged(context, customerKey);
  return state;
}

/** Before usage is billed: grants pay for the usage that the invoice has, and for no more than that. */
export async function settleBillable(
  context: BucketContext,
  { row }: Subscription,
  billableUntil: number,
): Promise<void> {
  const { transaction, act } = context;
  if (row.has_credits !== 1) return;
  await lockBillable(transaction, row.seq, act.now - lateCreditMilliseconds, billableUntil);
  await settleCredits(context, row.customer_key, { billedSeq: row.seq });
}

/** Before anything else uses or adds credit: the usage so far is paid from what there is, and not from what is added. */
export async function settleUsed(context: BucketContext, customerKey: string): Promise<void> {
  const { transaction, bucket } = context;
  await lockCustomerBilling(transaction, bucket, customerKey);
  const subscriptions = await subscriptionsOfCustomer(transaction, bucket.seq, customerKey);
  if (subscriptions.some(({ has_credits }) => has_credits === 1)) await settleCredits(asSystem(context), customerKey);
}

/** Settles credits before other terms apply to a subscription. */
export async function settleBefore(context: BucketContext, { row }: Subscription): Promise<void> {
  if (row.has_credits === 1) await settleCredits(context, row.customer_key);
}

/** After other terms apply to a subscription: what was used before them is not beyond a new maximum. */
export async function skipPastUsage(
  transaction: WriteTransaction,
  bucket: MeteringBucket,
  subscription: Subscription,
  now: number,
): Promise<void> {
  const { row } = subscription;
  if (row.has_credits !== 1) return;
  const { meters } = await Wallet.read(transaction, bucket.seq, row.customer_key, now);
  const { start } = periodOf(subscription, now);
  const uses = await CreditUses.read(transaction, row.seq);
  const used = await usedInPeriod(transaction, row.seq, start);
  for (const meter of meters) {
    const use = uses.of(start, 0, meter);
    const total = used.get(meter) ?? 0n;
    if (total <= use.seen) continue;
    use.seen = total;
    await saveUse(transaction, use);
  }
}
