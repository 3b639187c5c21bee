import type { Stripe } from "stripe";
import { findRow } from "../../../../../../platform/storage/rows.ts";
import type { BucketContext } from "../../../../metering-buckets/metering-buckets.ts";
import { voidInvoice } from "../../../invoices/invoice-actions.ts";
import { type Invoice, lockInvoice, numberFor } from "../../../invoices/invoices.ts";
import { changeInvoice, failPayment, payInvoice } from "../../../invoices/payments.ts";
import { packInvoiceChanged } from "../../../packs/pack-purchases.ts";
import { endUnpaidPurchase, grantPayment, invoiceChanged } from "../../../purchases/completion.ts";
import type { collectionStates } from "../../../schemas/invoice-schema.ts";
import { profileOf } from "../../../settings/settings.ts";
import { settleUsed } from "../../../spending/credit-settlement.ts";
import { fromStripe, toStripe } from "../amounts.ts";
import type { StripeInvoiceRow } from "../stripe.ts";
import { expectedAmount, isProcessing, needsAction, owedAt, paymentIntentOf, takenAt } from "./remote-invoice.ts";

type CollectionState = (typeof collectionStates)[number];

const minute = 60_000;
const hour = 60 * minute;

/**
 * By how much credit notes have reduced our invoice, and not the open one at Stripe yet.
 * @param creditedBefore what they had taken off when the one at Stripe was finalized: its total is without that
 */
export function uncreditedAt(remote: Stripe.Invoice, invoice: Invoice, creditedBefore: string): bigint {
  const owed = owedAt(remote);
  if (invoice.status !== "paid") return owed - expectedAmount(invoice);
  // It was marked as paid, or a grant or the payment method paid it.
  if (remote.status !== "open" || invoice.collected !== "0") return 0n;
  const credited = toStripe(BigInt(invoice.credited) - BigInt(creditedBefore), invoice.currency);
  const left = credited - BigInt(remote.pre_payment_credit_notes_amount);
  return left < owed ? left : owed;
}

/** Whether a payment was tried and did not succeed. */
function hasFailed(remote: Stripe.Invoice): boolean {
  return (
    remote.status === "uncollectible" || (remote.attempt_count > 0 && !isProcessing(remote) && !needsAction(remote))
  );
}

function stateOf(invoice: Invoice, remote: Stripe.Invoice, recorded: bigint): CollectionState {
  // What was taken for an invoice that is void here was granted.
  if (remote.status === "paid" && invoice.status === "void" && recorded > 0n) return "paid";
  for (const status of ["paid", "void"] as const)
    if (remote.status === status) return invoice.status === status ? status : "error";
  if (needsAction(remote)) return "needs_action";
  if (isProcessing(remote)) return "pending";
  if (invoice.status === "open" && owedAt(remote) !== expectedAmount(invoice)) return "error";
  return hasFailed(remote) ? "failed" : "pending";
}

interface Applied {
  invoice: Invoice;
  /** The bank requires a second step, which was not known before. */
  isActionNew: boolean;
  values: Partial<StripeInvoiceRow>;
}

/**
 * Applies the state of the invoice at Stripe to ours: its number, its page, and whether it is paid. Money that Stripe
 * took and our invoice does not need is granted. Applying the same state again changes nothing.
 */
export async function applyRemote(
  context: BucketContext,
  row: StripeInvoiceRow,
  { invoiceId, remote, now }: { invoiceId: string; remote: Stripe.Invoice; now: number },
): Promise<Applied> {
  const { transaction, bucket } = context;
  const before = await lockInvoice(transaction, bucket, invoiceId);
  const applied = await applyPayment(context, row, before, remote);
  const { recorded } = applied;
  let { invoice } = applied;
  await invoiceChanged(context, invoice);
  const state = stateOf(invoice, remote, recorded);
  const isActionNew = state === "needs_action" && invoice.collection_state !== state;
  invoice = await show(context, invoice, remote, state);
  const canChange = remote.status === "open" || remote.status === "uncollectible";
  const error = state === "error" ? describeDifference(invoice, remote) : null;
  return {
    invoice,
    isActionNew,
    values: {
      stripe_status: remote.status,
      amount: String(owedAt(remote)),
      // One whose outcome is not known yet may still fail.
      attempts: remote.attempt_count - (isProcessing(remote) || needsAction(remote) ? 1 : 0),
      charging: isProcessing(remote) ? 1 : 0,
      recorded: String(recorded),
      payment_intent: paymentIntentOf(remote) ?? row.payment_intent,
      failures: 0,
      error,
      next_on: canChange ? now + delayOf(invoice, remote, now) : null,
    },
  };
}

/** Returns our invoice, and how much of the money that Stripe took is in our books. */
async function applyPayment(
  context: BucketContext,
  row: StripeInvoiceRow,
  before: Invoice,
  remote: Stripe.Invoice,
): Promise<{ invoice: Invoice; recorded: bigint }> {
  const { act } = context;
  const recorded = BigInt(row.recorded);
  if (remote.status === "paid") return applyMoney(context, { before, remote, recorded });
  const isUnpaid = before.status === "open" || before.status === "uncollectible";
  if (remote.status === "void" && isUnpaid && row.void_on !== null)
    return { invoice: await applyVoid(context, row, before.id), recorded };
  if (remote.status === "void" && isUnpaid) {
    await settleUsed(context, before.customer_key);
    return { invoice: await voidInvoice(context, before.id), recorded };
  }
  const isNewFailure = remote.attempt_count > row.attempts && hasFailed(remote);
  if (before.status !== "open" || !isNewFailure) return { invoice: before, recorded };
  return { invoice: await failPayment(context, before, act.now), recorded };
}

/**
 * Pays our invoice with what Stripe took, and grants what is left: the invoice was reduced, paid otherwise or voided in
 * the meantime. An invoice that is paid at Stripe by less than ours needs stays as it is, and is reported.
 */
async function applyMoney(
  context: BucketContext,
  { before, remote, recorded }: { before: Invoice; remote: Stripe.Invoice; recorded: bigint },
): Promise<{ invoice: Invoice; recorded: bigint }> {
  const { transaction, act } = context;
  const taken = takenAt(remote);
  let invoice = before;
  let rest = taken - recorded;
  if (before.status === "open" || before.status === "uncollectible") {
    const expected = expectedAmount(before);
    if (rest < expected && owedAt(remote) !== expected) return { invoice, recorded };
    const paidOn = (remote.status_transitions.paid_at ?? remote.created) * 1000;
    invoice = await payInvoice(context, before, Math.min(paidOn, act.now), remote.id);
    rest -= expected;
  }
  const isQueued = async (seq: number) =>
    (await findRow(transaction, "stripe_invoices", { invoice_seq: seq }))?.began_on === null;
  if (rest > 0n) await grantPayment(context, invoice, fromStripe(rest, invoice.currency), isQueued);
  return { invoice, recorded: taken > recorded ? taken : recorded };
}

/** Stripe cannot charge the invoice any more: if that was waited for, ours is void, and the purchase ends. */
export async function applyVoid(
  context: BucketContext,
  { void_on }: StripeInvoiceRow,
  invoiceId: string,
): Promise<Invoice> {
  const { transaction, bucket } = context;
  const before = await lockInvoice(transaction, bucket, invoiceId);
  if (void_on === null || before.status !== "open") return before;
  await settleUsed(context, before.customer_key);
  const invoice = await voidInvoice(context, invoiceId);
  await endUnpaidPurchase(context, invoice.subscription_id);
  await packInvoiceChanged(context, invoice);
  return invoice;
}

/** An invoice that Stripe never had, because a grant paid it, for example, gets a number of ours. */
export async function numberHere(context: BucketContext, invoice: Invoice): Promise<Invoice> {
  const profile = await profileOf(context.transaction, context.act.account.seq);
  if (!profile) return invoice;
  const number = invoice.number ?? (await numberFor(context, profile, ""));
  return changeInvoice(context, invoice, { number, collection_state: null });
}

async function show(
  context: BucketContext,
  invoice: Invoice,
  remote: Stripe.Invoice,
  state: CollectionState,
): Promise<Invoice> {
  const shown = {
    number: remote.number ?? invoice.number,
    collection_state: state,
    collection_url: remote.hosted_invoice_url ?? null,
  };
  const isSame = (Object.keys(shown) as (keyof typeof shown)[]).every((name) => shown[name] === invoice[name]);
  return isSame ? invoice : changeInvoice(context, invoice, shown);
}

function describeDifference(invoice: Invoice, remote: Stripe.Invoice): string {
  const { status, currency } = invoice;
  return `Stripe has ${owedAt(remote)} ${currency} and ${remote.status}, and we have ${expectedAmount(invoice)} and ${status}`;
}

/** Events make it faster; this is how late it may be without them. */
function delayOf({ status, finalized_on, recorded_on }: Invoice, remote: Stripe.Invoice, now: number): number {
  if (status === "uncollectible" && remote.status === "uncollectible") return 24 * hour;
  const age = now - (recorded_on ?? finalized_on ?? now);
  if (age < 10 * minute) return minute;
  return age < 2 * hour ? 10 * minute : 6 * hour;
}
