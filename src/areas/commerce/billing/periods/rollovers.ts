import { type Act, systemAct } from "../../../../core/access.ts";
import { amountOf } from "../../../../lib/amount.ts";
import { parsePrice, smaller } from "../../../../lib/money.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { BucketContext, MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { billingOf, lateMilliseconds, periodOf } from "../../subscriptions/state.ts";
import { type Subscription, subscriptionSeqsOf } from "../../subscriptions/subscriptions.ts";
import {
  grantsOfRollover,
  type Rollover,
  rolloversInProgress,
  unexpiredRollovers,
} from "../credit-grants/grant-store.ts";
import { grantAmount, voidGrant } from "../credit-grants/grants.ts";
import { lockCustomerBilling } from "../credit-grants/wallet.ts";
import { uncreditedOf } from "../invoices/credit-notes.ts";
import { findInvoice } from "../invoices/invoice-store.ts";
import { lineFundsOf } from "../invoices/received.ts";
import { placeOf } from "../invoices/returns.ts";
import { type BillingSegmentRow, type PlanTerms, segmentAllowancesIn, segmentTermsOf } from "../plan-terms/segments.ts";
import { settleCredits } from "../spending/credit-settlement.ts";
import { carriedOver } from "../spending/credit-use.ts";

/**
 * At a renewal: stores what the plans carry over, under the terms of the period that has ended. The amount becomes known
 * later.
 * @param ended the last segment of the period
 */
export async function recordRollovers(
  transaction: WriteTransaction,
  bucket: MeteringBucket,
  before: Subscription,
  ended: BillingSegmentRow,
): Promise<void> {
  const terms = segmentTermsOf(ended);
  for (const plan of terms.plans) {
    const meters = Object.keys(plan.rollover ?? {}).filter((meter) => Object.hasOwn(plan.meters, meter));
    const fee = meters.length === 0 ? undefined : await feeOf(transaction, bucket, before, plan);
    if (!fee) continue;
    const allowed = await segmentAllowancesIn(transaction, ended, terms, meters);
    const ofPlan = await segmentAllowancesIn(transaction, ended, { plans: [plan], allowance: null }, meters);
    for (const meter of meters) {
      const { maximum, periods } = plan.rollover![meter]!;
      await transaction.insert("rollovers", {
        bucket_seq: bucket.seq,
        customer_key: before.row.customer_key,
        subscription_id: before.row.id,
        period_start: ended.period_start,
        period_end: ended.period_end,
        plan_id: plan.id,
        label: plan.label,
        meter,
        // What other plans allow of the meter is not carried over by this one.
        maximum: String(smaller(amountOf(maximum)!, ofPlan.get(meter)!)),
        allowance: String(allowed.get(meter)!),
        ...fee,
        expires_on: endAfter(before, ended.period_end, periods),
        grant_id: null,
        granted: null,
        ended_on: null,
      });
    }
  }
}

/** The end of a number of periods that follow a time. */
function endAfter(subscription: Subscription, time: number, periods: number): number {
  let end = time;
  for (let n = 0; n < periods; n += 1) end = periodOf(subscription, end).end;
  return end;
}

/** Where the fee of the period that ends was invoiced: null if there was nothing to pay, undefined if it was not charged. */
async function feeOf(
  transaction: WriteTransaction,
  bucket: MeteringBucket,
  { row }: Subscription,
  plan: PlanTerms,
): Promise<Pick<Rollover, "invoice_id" | "line"> | undefined> {
  const fee = billingOf(row).charged[plan.seq];
  if (!fee) return undefined;
  const place = parsePrice(fee.amount) === 0n ? undefined : await placeOf(transaction, bucket, fee);
  return place ? { invoice_id: place.invoice.id, line: place.line } : { invoice_id: null, line: null };
}

/** Grants what is carried over and due, and ends what expired or whose fee was returned. The subscription may be deleted. Returns whether there was any. */
export async function settleRollovers(context: BucketContext, subscriptionId: string): Promise<boolean> {
  const { transaction, act: cause, bucket } = context;
  const act = systemAct(cause, cause.now);
  const [first] = await rolloversInProgress(transaction, bucket.seq, subscriptionId);
  if (!first) return false;
  await lockCustomerBilling(transaction, bucket, first.customer_key);
  // Read after the lock: another transaction may have granted one.
  for (const rollover of await rolloversInProgress(transaction, bucket.seq, subscriptionId)) {
    const fee = await feeStateOf(transaction, bucket, rollover);
    if (act.now >= rollover.expires_on) await transaction.update("rollovers", rollover.seq, { ended_on: act.now });
    else if (fee === "returned") await endRollover({ ...context, act }, rollover);
    else if (rollover.grant_id === null && fee === "paid" && dueOn(rollover) <= act.now)
      await grantRollover({ ...context, act }, rollover);
  }
  return true;
}

/** Late usage is awaited first. */
function dueOn({ period_end }: Rollover): number {
  return period_end + lateMilliseconds;
}

type FeeState = "unpaid" | "paid" | "returned";

/**
 * A fee of zero counts as paid. An invoice that is credited completely returns all of its fees, and so does one whose
 * payment is disputed.
 */
async function feeStateOf(
  reads: Reads,
  bucket: MeteringBucket,
  { invoice_id, line }: Pick<Rollover, "invoice_id" | "line">,
): Promise<FeeState> {
  if (invoice_id === null || line === null) return "paid";
  const invoice = await findInvoice(reads, bucket.seq, invoice_id);
  if (!invoice || invoice.status === "void") return "returned";
  const isCredited = invoice.total !== "0" && uncreditedOf(invoice) <= BigInt(invoice.disputed);
  if (isCredited || (await lineFundsOf(reads, bucket, invoice, line)).left === 0n) return "returned";
  return invoice.status === "paid" ? "paid" : "unpaid";
}

/** Voids what is left after the usage so far. */
async function endRollover(context: BucketContext, { seq, customer_key, grant_id }: Rollover): Promise<void> {
  const { transaction, act } = context;
  if (grant_id !== null) await settleCredits(context, customer_key);
  for (const { id } of await grantsOfRollover(transaction, seq)) await voidGrant(context, customer_key, id);
  await transaction.update("rollovers", seq, { ended_on: act.now });
}

/** If nothing is left, it is tried again when an event is taken back. */
async function grantRollover(
  context: BucketContext,
  { seq, customer_key, meter, label, expires_on }: Rollover,
): Promise<void> {
  const { transaction, act, bucket } = context;
  const rollovers = await unexpiredRollovers(transaction, bucket.seq, customer_key, act.now);
  const subscriptions = await subscriptionSeqsOf(transaction, bucket, customer_key);
  const amount = (await carriedOver(transaction, rollovers, subscriptions)).get(seq) ?? 0n;
  if (amount === 0n) return transaction.update("rollovers", seq, { granted: "0" });
  // The units cover usage from now on.
  await settleCredits(context, customer_key, { more: meter });
  const grant = await grantAmount(context, { customer_key, meter }, amount, {
    funding: "promotional",
    expiresOn: expires_on,
    rolloverSeq: seq,
    reason: `Carried over from ${label}`,
  });
  await transaction.update("rollovers", seq, { grant_id: grant.id, granted: String(amount) });
}

/** When units are due to be granted. The others wait for the payment of their fee. */
export async function rolloverTimes(
  reads: Reads,
  act: Act,
  bucket: MeteringBucket,
  subscriptionId: string,
): Promise<number[]> {
  const times: number[] = [];
  for (const rollover of await rolloversInProgress(reads, bucket.seq, subscriptionId))
    if (rollover.granted === null && (await feeStateOf(reads, bucket, rollover)) === "paid")
      times.push(Math.max(dueOn(rollover), act.now));
  return times;
}
