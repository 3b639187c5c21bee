import type { Stripe } from "stripe";
import type { BucketContext } from "../../../../metering-buckets/metering-buckets.ts";
import { recordCredit } from "../../../invoices/credit-notes.ts";
import { creditNotesOf, updateInvoice } from "../../../invoices/invoice-store.ts";
import type { Invoice } from "../../../invoices/invoices.ts";
import { reversePurchase } from "../../../packs/delivery.ts";
import { settleRollovers } from "../../../periods/rollovers.ts";
import { fromStripe } from "../amounts.ts";
import { metadata } from "../api/accounts.ts";
import type { StripeInvoiceRow } from "../stripe-invoice-store.ts";

/** A refund or a credit note that was made at Stripe itself, in its dashboard for example. */
interface RemoteRefund {
  /** Its id at Stripe. */
  reference: string;
  amount: bigint;
  /** The part that Stripe returned to the payment method. */
  refunded: bigint;
  /** The refunds that belong to a credit note, by id. */
  parts: Map<string, bigint>;
}

export interface RemoteRefunds {
  found: RemoteRefund[];
  /** What the customer's bank demands back of the payment. Undefined if it was not read. */
  disputed?: bigint;
  /** The number of events after which they were read. Undefined if they were not, because Stripe has not been paid. */
  read?: number;
}

/** The payment of an invoice that Stripe took. Null if it was not paid there. */
export function paymentIntentOf({ payments }: Stripe.Invoice): string | null {
  const paid = (payments?.data ?? []).find(({ status }) => status === "paid");
  const intent = paid?.payment.payment_intent ?? null;
  return intent === null || typeof intent === "string" ? intent : intent.id;
}

export function stripeIdOf(object: string | { id: string } | null | undefined): string {
  return typeof object === "object" && object !== null ? object.id : (object ?? "");
}

/** The refunds of the payment that Stripe took, those of credit notes and those that failed included. */
export async function refundsOf(api: Stripe, remote: Stripe.Invoice): Promise<Stripe.Refund[]> {
  const refunds: Stripe.Refund[] = [];
  const payment = paymentIntentOf(remote);
  if (payment === null) return refunds;
  for await (const refund of api.refunds.list({ payment_intent: payment, limit: 100 })) refunds.push(refund);
  return refunds;
}

/** Whether a refund did not return anything, and will not. */
export function hasFailed({ status }: Stripe.Refund): boolean {
  return status === "failed" || status === "canceled";
}

/** How much of each refund belongs to credit notes, by the id of the refund. */
export type LinkedAmounts = Map<string, bigint>;

export function addLinked(linked: LinkedAmounts, { refunds }: Stripe.CreditNote): void {
  for (const { refund, amount_refunded } of refunds) {
    const id = stripeIdOf(refund);
    linked.set(id, (linked.get(id) ?? 0n) + BigInt(amount_refunded));
  }
}

/** The part of a refund that belongs to no credit note. */
export function unlinkedOf({ id, amount }: Stripe.Refund, linked: LinkedAmounts): bigint {
  return BigInt(amount) - (linked.get(id) ?? 0n);
}

/** Reads what was returned of an invoice at Stripe itself, if an event says that there may be something. */
export async function readRemoteRefunds(
  api: Stripe,
  { refund_events: read, refunds_read }: StripeInvoiceRow,
  remote: Stripe.Invoice,
): Promise<RemoteRefunds> {
  const found: RemoteRefund[] = [];
  if (remote.status !== "paid") return { found };
  if (read === refunds_read) return { found, read };
  // Before the credit notes: a refund that is listed here and belongs to one is then known to belong to it.
  const refunds = await refundsOf(api, remote);
  const failed = new Set(refunds.filter(hasFailed).map(({ id }) => id));
  const succeeded = new Set(refunds.filter(({ status }) => status === "succeeded").map(({ id }) => id));
  const linked: LinkedAmounts = new Map();
  for await (const note of api.creditNotes.list({ invoice: remote.id, limit: 100 })) {
    const parts = new Map(
      note.refunds.map(({ refund, amount_refunded }) => [stripeIdOf(refund), BigInt(amount_refunded)]),
    );
    addLinked(linked, note);
    const isOurs = note.metadata?.[metadata.invoice] !== undefined;
    if (isOurs || note.status !== "issued" || note.post_payment_amount === 0) continue;
    for (const id of parts.keys()) if (failed.has(id)) parts.delete(id);
    // The event of a refund that is pending, or that was created since they were listed, makes them be read again.
    if (parts.keys().some((id) => id !== "" && !succeeded.has(id))) continue;
    const refunded = parts.values().reduce((sum, each) => sum + each, 0n);
    found.push({ reference: note.id, amount: BigInt(note.post_payment_amount), refunded, parts });
  }
  for (const refund of refunds) {
    const amount = unlinkedOf(refund, linked);
    if (refund.status === "succeeded" && amount > 0n)
      found.push({ reference: refund.id, amount, refunded: amount, parts: new Map() });
  }
  return { found, read, disputed: await disputedOf(api, remote) };
}

/** An inquiry, whose status begins with `warning_`, takes no money yet. */
async function disputedOf(api: Stripe, remote: Stripe.Invoice): Promise<bigint> {
  const payment = paymentIntentOf(remote);
  let disputed = 0n;
  if (payment === null) return disputed;
  for await (const { status, amount } of api.disputes.list({ payment_intent: payment, limit: 100 }))
    if (status !== "won" && status !== "prevented" && !status.startsWith("warning_")) disputed += BigInt(amount);
  return disputed;
}

/**
 * Records each of them once, as a credit note of ours. What exceeds our invoice is only reported by the comparison. A
 * dispute has no credit note: it may be won. If our invoice is not paid yet, they are read again later.
 */
export async function recordRemoteRefunds(
  context: BucketContext,
  invoice: Invoice,
  { found, read, disputed }: RemoteRefunds,
): Promise<Partial<StripeInvoiceRow>> {
  const { transaction, bucket } = context;
  if (invoice.status !== "paid" || read === undefined) return {};
  if (disputed !== undefined)
    await updateInvoice(transaction, invoice, { disputed: String(fromStripe(disputed, invoice.currency)) });
  let isReversed = disputed !== undefined && disputed > 0n;
  const notes = await creditNotesOf(transaction, bucket.seq, invoice.id, invoice.customer_key);
  const known = new Set(notes.map(({ payment_reference }) => payment_reference));
  for (const { reference, amount, refunded, parts } of found) {
    if (known.has(reference)) continue;
    // A refund that was recorded may have become a part of a credit note.
    let before = 0n;
    for (const [id, part] of parts) if (known.has(id)) before += part;
    isReversed = true;
    await recordCredit(context, invoice.id, {
      amount: fromStripe(amount - before, invoice.currency),
      refunded: fromStripe(refunded - before, invoice.currency),
      description: "Credited at Stripe",
      reference,
    });
  }
  if (isReversed) await reversePurchase(context, invoice);
  if (isReversed && invoice.subscription_id !== null) await settleRollovers(context, invoice.subscription_id);
  return { refunds_read: read };
}
