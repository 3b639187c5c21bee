import { type Act, type Cause, serverTimeOf } from "../../../../core/access.ts";
import { Problem } from "../../../../core/problems/problem.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { asSystem, type BucketContext, type MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { scheduledPlansOf, schedulePlans } from "../../plans/scheduled-plans.ts";
import {
  type BillingData,
  billingOf,
  isUnpaidPurchase,
  lateMilliseconds,
  limitsChanged,
  periodOf,
  setBilling,
} from "../../subscriptions/state.ts";
import {
  customerKeyOf,
  findRowForUpdate,
  findSubscriptionForUpdate,
  planChange,
  recordUpdate,
  type Subscription,
  updateSubscription,
} from "../../subscriptions/subscriptions.ts";
import { lockCustomerBilling, lockEndedPeriods } from "../credit-grants/wallet.ts";
import { readCaps } from "../customers/customers.ts";
import { voidOpen } from "../invoices/invoice-actions.ts";
import { invoicesOfSubscription } from "../invoices/invoice-store.ts";
import { createDraft } from "../invoices/invoices.ts";
import { failPayment } from "../invoices/payments.ts";
import { returnFee, type UnusedFee } from "../invoices/returns.ts";
import { pendingOverage } from "../overage/overage-lines.ts";
import { providerFor } from "../payments/providers.ts";
import { chargeFees, type DraftLine, sumOf } from "../plan-terms/lines.ts";
import {
  type BillingSegmentRow,
  beginSegment,
  billingSegmentsOf,
  currencyOf,
  hasPricedMeters,
  openSegment,
  requireCurrency,
  segmentTermsOf,
  type Terms,
} from "../plan-terms/segments.ts";
import { moveUsage, returnLostUnits, settleBefore } from "../spending/credit-settlement.ts";
import { endSpending } from "../spending/spending.ts";
import type { Piece } from "./due.ts";
import { finalizeDraft } from "./finalization.ts";
import { recordRollovers, rolloverTimes, settleRollovers } from "./rollovers.ts";

/**
 * Performs the steps of billing that are due until a time, in order, each at the time at which it was due. So it does not
 * matter how late this happens. The billing of the customer is locked, and then the subscription.
 */
export async function settleBilling(context: BucketContext<Cause>, id: string, until: number): Promise<Subscription> {
  const { transaction, bucket } = context;
  await lockCustomerBilling(transaction, bucket, await customerKeyOf(transaction, bucket, id));
  return settleSteps(context, id, until, () => true);
}

/**
 * Performs some of the steps that are due until a time. The next piece has the rest. Requests of the customer continue, except
 * in a step that needs the usage of the current period.
 */
export async function settleBillingInPart(
  context: BucketContext<Cause>,
  id: string,
  until: number,
  piece: Piece,
): Promise<void> {
  const { transaction, bucket } = context;
  await lockEndedPeriods(transaction, bucket, await customerKeyOf(transaction, bucket, id));
  await settleSteps(context, id, until, () => piece.begins());
}

/** Returns the subscription as the steps leave it. It has fewer of them if `begins` ended it. */
async function settleSteps(
  context: BucketContext<Cause>,
  id: string,
  until: number,
  begins: () => boolean,
): Promise<Subscription> {
  const subscription = await findSubscriptionForUpdate(context.transaction, context.bucket, id);
  let last = Number.NEGATIVE_INFINITY;
  const seen = new Set<string>();
  for (let at = subscription.row.bills_on; at !== null && at <= until; at = subscription.row.bills_on) {
    // The steps of one time are not split, so that this transaction notices if they never end.
    if (at > last && !begins()) return subscription;
    last = Math.max(at, last);
    const due = await step(asSystem(context, at), subscription);
    const left = due.filter(([on]) => on <= last).join();
    // Otherwise it would repeat until the transaction times out, in every run.
    if (seen.has(left)) throw new Error(`Billing of ${id} does not advance from ${formatDateTime(at)}`);
    if (left !== "") seen.add(left);
  }
  await settleBefore(asSystem(context, until), subscription);
  return subscription;
}

/** Performs what is due at a time, and stores the state after it in the subscription. Returns what is due next, in order. */
async function step(context: BucketContext, subscription: Subscription): Promise<Due[]> {
  const { transaction, act, bucket } = context;
  const { row } = subscription;
  await settleBefore(context, subscription);
  const invoices = await invoicesOfSubscription(transaction, bucket.seq, row.id, "draft", "open");
  const drafts = invoices.filter(
    ({ status, finalizes_on }) => status === "draft" && finalizes_on !== null && finalizes_on <= act.now,
  );
  for (const draft of drafts) await finalizeDraft(context, subscription, draft);
  // A draft that was finalized may be due at once.
  const open =
    drafts.length === 0
      ? invoices.filter(({ status }) => status === "open")
      : await invoicesOfSubscription(transaction, bucket.seq, row.id, "open");
  for (const each of open)
    if (each.failed_on === null && each.due_on! <= act.now) await failPayment(context, each, each.due_on!);
  const segment = await openSegment(transaction, row.seq);
  const hasAdvanced = await advance(context, subscription, segment);
  const ended = hasAdvanced ? await openSegment(transaction, row.seq) : segment;
  // Also usage that arrived in the meantime, while another transaction ended the subscription.
  if (ended?.kind === "idle") {
    // An event at the start of a period is a part of it, whenever it arrived.
    const end = ended.starts_on === ended.period_start ? ended.starts_on - 1 : ended.starts_on;
    const after = Math.max(end, act.now - 2 * lateMilliseconds);
    await moveUsage(context, row.customer_key, { after });
  }
  const hasRollovers = await settleRollovers(context, row.id);
  const { due, ...scheduled } = await schedule(context, row.id, { segment: ended, hasRollovers });
  Object.assign(subscription, scheduled);
  return due;
}

/** Begins or ends a segment if that is due, and bills it. Returns false if there was nothing to do. */
async function advance(
  context: BucketContext,
  subscription: Subscription,
  segment: BillingSegmentRow | undefined,
): Promise<boolean> {
  const { transaction, act, bucket } = context;
  const { row } = subscription;
  // What begins or ends within a period depends on what is used in it. A renewal, and invoices of ended periods, do not.
  if (segment?.kind !== "billed") await lockCustomerBilling(transaction, bucket, row.customer_key);
  if (!segment) await beginBilling(context, subscription, { fromNextPeriod: true });
  else if (segment.kind !== "idle" && isUnpaidPurchase(row) && act.now >= row.expires_on!)
    await expire(context, subscription, segment);
  else if (segment.kind !== "idle" && act.now >= segment.period_end) await renew(context, subscription, segment);
  else if (segment.kind === "trial" && row.trial_end_date !== null && row.trial_end_date <= act.now)
    await transition(context, subscription, segment);
  // Usage that arrived after the final invoice.
  else if (segment.kind === "idle") await invoice(context, subscription, []);
  else return false;
  return true;
}

/** How long a purchase is prolonged while its provider may still charge it. It ends earlier if the provider confirms that it is void. */
const prolongedMilliseconds = 24 * 60 * 60 * 1000;

/**
 * Ends a purchase that was not paid in time. Its invoice becomes void, unless it is paid outside of Tollgate: such a
 * payment may take longer, and activates the subscription whenever it is recorded. A provider that may still charge the
 * invoice stops first: until it confirms that, the invoice may be paid, and a bank debit takes days. A purchase is never
 * renewed: if that is not known by the end of its period, it is no longer billed, and a payment still activates it.
 */
async function expire(context: BucketContext, subscription: Subscription, segment: BillingSegmentRow): Promise<void> {
  const { transaction, act, bucket } = context;
  const provider = await providerFor(transaction, act, bucket);
  const open = await invoicesOfSubscription(transaction, bucket.seq, subscription.row.id, "open");
  const seqs = open.map(({ seq }) => seq);
  const outcome = await provider.stopPayments(transaction, seqs, serverTimeOf(act));
  if (outcome === "stopped") await endPurchase(context, subscription);
  else if (outcome === "stopping" && act.now < segment.period_end) {
    const expires_on = Math.min(act.now + prolongedMilliseconds, segment.period_end);
    await setBilling(context, subscription.row, { expires_on });
  } else await transition(context, subscription, segment);
}

/** Voids the invoices of a purchase, whose fees are then not charged, and ends its segment. */
export async function endPurchase(context: BucketContext, { row, plans }: Subscription): Promise<void> {
  const { transaction, act } = context;
  await voidOpen(context, row.id);
  const billing = JSON.stringify({ ...billingOf(row), charged: {} });
  const ended = await setBilling(context, row, { billing, expires_on: Math.min(row.expires_on ?? act.now, act.now) });
  const segment = await openSegment(transaction, row.seq);
  if (segment && segment.kind !== "idle") await transition(context, { row: ended, plans }, segment);
}

/** Begins billing, now or, if plans got their first price in the current period, with the terms before that. */
export async function beginBilling(
  context: BucketContext,
  subscription: Subscription,
  { fromNextPeriod }: { fromNextPeriod: boolean },
): Promise<void> {
  const { transaction, act } = context;
  const { quota_reset_anchor: anchor, created_on } = subscription.row;
  const termsFrom = fromNextPeriod ? Math.max(periodOf(subscription, act.now).start, created_on) : act.now;
  const { segment } = await beginSegment(transaction, subscription, undefined, act.now, termsFrom);
  const data = billingOf(subscription.row);
  const fees = segment.kind === "billed" ? feesOf(segmentTermsOf(segment), data, anchor, act.now) : [];
  const row = await setBilling(context, subscription.row, { payment: subscription.row.payment ?? "{}" });
  await invoice(context, { ...subscription, row }, fees, { data });
}

function feesOf({ plans }: Terms, data: BillingData, anchor: number, at: number): DraftLine[] {
  return chargeFees(plans, data.charged, anchor, at, "plan");
}

/** Ends a period: applies what was scheduled for its end, begins the next and charges its fees. */
async function renew(context: BucketContext, subscription: Subscription, segment: BillingSegmentRow): Promise<void> {
  const { transaction, act, bucket } = context;
  const before = { ...subscription };
  const { seq, customer_key, has_credits } = before.row;
  if (has_credits === 1)
    await endSpending(transaction, seq, segment, await readCaps(transaction, bucket, customer_key));
  const { row } = Object.assign(subscription, await applyScheduled(context, before));
  const ended = (await billingSegmentsOf(transaction, seq)).filter(
    (each) => each.period_start === segment.period_start,
  );
  const { segment: next } = await beginSegment(transaction, subscription, segment, act.now);
  if (segment.kind === "billed" && next.kind === "billed")
    await recordRollovers(transaction, bucket, before, { ...segment, ends_on: act.now });
  const data = billingOf(row);
  for (const [plan, { until }] of Object.entries(data.charged)) if (until <= act.now) delete data.charged[plan];
  const fees = next.kind === "billed" ? feesOf(segmentTermsOf(next), data, row.quota_reset_anchor, act.now) : [];
  // What a cap allows was calculated from the terms before the renewal.
  if (has_credits === 1) await limitsChanged(context, customer_key);
  const finalizesOn = act.now + (ended.some(hasPricedMeters) ? lateMilliseconds : 0);
  await invoice(context, subscription, fees, { data, finalizesOn });
}

/** The scheduled change of plans or cancellation is part of the renewal. */
async function applyScheduled(context: BucketContext, subscription: Subscription): Promise<Subscription> {
  const { transaction, act, bucket } = context;
  const { row } = subscription;
  const { charged, cancelsOn, change } = billingOf(row);
  const isCanceled = cancelsOn !== undefined && cancelsOn <= act.now;
  const isChanged = change !== undefined && change.on <= act.now;
  if (!isCanceled && !isChanged) return subscription;
  const planExternalIds = isCanceled ? undefined : await scheduledNames(transaction, act, bucket, subscription);
  const rest: BillingData = { charged, ...(isCanceled ? {} : { cancelsOn }) };
  const changed = { ...subscription, row: await setBilling(context, row, { billing: JSON.stringify(rest) }) };
  await schedulePlans(transaction, row.seq, []);
  if (isCanceled) return updateSubscription(context, changed, { status: "canceled" });
  if (planExternalIds) return updateSubscription(context, changed, { planExternalIds });
  recordUpdate(context, subscription, changed);
  return changed;
}

/**
 * The names of the scheduled plans, which may have changed. Undefined if the plans became invalid for the subscription, by
 * another price for example: then it keeps its plans, because a step that fails would stop its billing.
 */
async function scheduledNames(
  reads: Reads,
  act: Act,
  bucket: MeteringBucket,
  subscription: Subscription,
): Promise<string[] | undefined> {
  const scheduled = await scheduledPlansOf(reads, subscription.row.seq);
  const planExternalIds = scheduled.map(({ external_id }) => external_id);
  try {
    const { plans } = await planChange(reads, bucket, subscription, { planExternalIds }, act.now);
    await requireCurrency(reads, subscription.row.seq, plans);
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
  return planExternalIds;
}

/**
 * Begins a segment within a period: at the end of a trial, with other plans or with another status.
 * @param options.data what billing stores with the subscription, without the unused fees
 */
export async function transition(
  context: BucketContext,
  subscription: Subscription,
  segment: BillingSegmentRow,
  { data = billingOf(subscription.row), unused = [] }: { data?: BillingData; unused?: UnusedFee[] } = {},
): Promise<void> {
  const { transaction, act } = context;
  const { row } = subscription;
  const { segment: next, lost } = await beginSegment(transaction, subscription, segment, act.now);
  await returnLostUnits(context, row.customer_key, lost);
  const kind = segment.kind === "billed" ? "proration" : "plan";
  const { plans } = segmentTermsOf(next);
  const fees = next.kind === "billed" ? chargeFees(plans, data.charged, row.quota_reset_anchor, act.now, kind) : [];
  const ofPeriod = (await billingSegmentsOf(transaction, row.seq)).filter(
    (each) => each.period_start === next.period_start,
  );
  const finalizesOn = act.now + (next.kind === "idle" && ofPeriod.some(hasPricedMeters) ? lateMilliseconds : 0);
  const credits: DraftLine[] = [];
  let room = sumOf(fees);
  for (const each of unused) {
    const credit = await returnFee(context, each, room);
    if (!credit) continue;
    credits.push(credit);
    room += credit.amount;
  }
  await invoice(context, subscription, [...credits, ...fees], { data, finalizesOn });
}

interface InvoiceOptions {
  /** What billing stores with the subscription: where each charged fee is invoiced is added. */
  data?: BillingData;
  finalizesOn?: number;
  /** It has the usage that can be billed by then. */
  billableUntil?: number;
}

/** Creates an invoice if there is anything to bill, and finalizes it unless it waits for late usage. */
export async function invoice(
  context: BucketContext,
  subscription: Subscription,
  lines: DraftLine[],
  { data, finalizesOn = context.act.now, billableUntil = finalizesOn }: InvoiceOptions = {},
): Promise<void> {
  const { transaction, act } = context;
  const { id: subscriptionId, customer_key: customerKey, seq } = subscription.row;
  const waits = finalizesOn > act.now;
  const isNeeded =
    lines.length > 0 || waits || (await pendingOverage(transaction, subscription, billableUntil)).length > 0;
  const currency = (isNeeded ? await billingSegmentsOf(transaction, seq) : [])
    .map((each) => currencyOf(segmentTermsOf(each)))
    .findLast(Boolean);
  const draft =
    currency === undefined
      ? undefined
      : await createDraft(context, { customerKey, subscriptionId, currency, lines, finalizesOn });
  if (data) {
    const fees = Object.values(data.charged);
    for (const [line, { planId, amount, periodEnd }] of draft ? lines.entries() : []) {
      const fee = amount > 0n && fees.find((each) => each.planId === planId && each.until === periodEnd);
      if (fee) Object.assign(fee, { invoiceId: draft!.id, line });
    }
    subscription.row = await setBilling(context, subscription.row, { billing: JSON.stringify(data) });
  }
  if (draft && !waits) await finalizeDraft(context, subscription, draft, billableUntil);
}

/** When something is due, and what. */
type Due = [on: number, what: string];

/**
 * Stores when the next step is due: for a period or trial that ends, an invoice that waits, late usage, or units to carry
 * over. Returns what is due, in order.
 */
export async function schedule(
  context: BucketContext,
  id: string,
  known: { segment?: BillingSegmentRow | undefined; hasRollovers?: boolean } = {},
): Promise<{ row: Subscription["row"]; due: Due[] }> {
  const { transaction, act, bucket } = context;
  const row = await findRowForUpdate(transaction, bucket, id);
  const segment = known.segment ?? (await openSegment(transaction, row.seq));
  const due: Due[] = [];
  if (segment && segment.kind !== "idle") due.push([segment.period_end, "period"]);
  if (segment && segment.kind !== "idle" && isUnpaidPurchase(row)) due.push([row.expires_on!, "purchase"]);
  if (segment?.kind === "trial" && row.trial_end_date !== null)
    due.push([Math.max(row.trial_end_date, segment.starts_on), "trial"]);
  for (const invoice of await invoicesOfSubscription(transaction, bucket.seq, id, "draft", "open")) {
    const { status, finalizes_on, failed_on, due_on } = invoice;
    if (status === "draft" && finalizes_on !== null) due.push([finalizes_on, invoice.id]);
    else if (status === "open" && failed_on === null) due.push([due_on!, invoice.id]);
  }
  if (segment?.kind === "idle" && (await pendingOverage(transaction, { row }, Number.POSITIVE_INFINITY)).length > 0)
    due.push([act.now + lateMilliseconds, "usage"]);
  if (known.hasRollovers !== false)
    for (const on of await rolloverTimes(transaction, act, bucket, id)) due.push([on, "rollover"]);
  due.sort(([one], [other]) => one - other);
  return { row: await setBilling(context, row, { bills_on: due[0]?.[0] ?? null }), due };
}
