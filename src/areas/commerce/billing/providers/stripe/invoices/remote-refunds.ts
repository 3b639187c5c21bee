import type { Stripe } from "stripe";
import type { Minor } from "../../../../../../lib/text/minor-units.ts";
import { locking } from "../../../../../../platform/storage/query.ts";
import type { Reads } from "../../../../../../platform/storage/storage.ts";
import type { BucketContext, MeteringBucket } from "../../../../metering-buckets/metering-buckets.ts";
import { recordCredit } from "../../../invoices/credit-notes.ts";
import { creditNotesOf, findInvoice, updateInvoice } from "../../../invoices/invoice-store.ts";
import type { Invoice } from "../../../invoices/invoices.ts";
import { endRefund } from "../../../invoices/payments.ts";
import { reversePurchase } from "../../../packs/pack-purchases.ts";
import { settleRollovers } from "../../../periods/rollovers.ts";
import { settleUsed } from "../../../spending/credit-settlement.ts";
import { fromStripe, toStripe } from "../amounts.ts";
import { failureOf, metadata, once } from "../api.ts";
import type { StripeInvoiceRow } from "../stripe.ts";
import { owedAt, paymentIntentOf, takenAt } from "./remote-invoice.ts";

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

const rejections = ["StripeInvalidRequestError", "StripeCardError"];

/** What the payment method got of refunds, by the id of the credit note. */
export type RefundResults = Map<string, Minor>;

interface Calls {
  api: Stripe;
  generation: number;
  /** Prolongs the lease. */
  beforeEach(): Promise<void>;
}

/**
 * Repeats credit notes for what was paid already at Stripe, and refunds those that go back to the payment method. One that
 * an earlier call created is found by its metadata. What becomes a grant here is credited outside of Stripe there, whose
 * balance of the customer is not used. What Stripe did not take is refunded outside too. What cannot be returned any more,
 * because it was refunded at Stripe itself and is not recorded here yet, is that refund, and does not become a grant too.
 */
export async function repeatPaidCredits(
  reads: Reads,
  bucket: MeteringBucket,
  { id, customer_key, currency, purchase_id }: Invoice,
  remote: Stripe.Invoice,
  { api, generation, beforeEach }: Calls,
): Promise<RefundResults> {
  const results: RefundResults = new Map();
  const all = await creditNotesOf(reads, bucket.seq, id, customer_key);
  // A credit note of a pack whose refund failed is void, and is not created again.
  const notes = all.filter(({ collected, status }) => collected !== null && collected !== "0" && status !== "void");
  if (notes.length === 0) return results;
  const repeated = new Map<string, Stripe.CreditNote>();
  const linked: LinkedAmounts = new Map();
  // Also reduced by credit notes that were made at Stripe itself.
  let left = owedAt(remote);
  for await (const note of api.creditNotes.list({ invoice: remote.id, limit: 100 })) {
    left -= BigInt(note.post_payment_amount);
    addLinked(linked, note);
    if (note.metadata?.[metadata.invoice]) repeated.set(note.metadata[metadata.invoice]!, note);
  }
  // What the payment method got at Stripe and none of our credit notes has.
  let unrecorded = 0n;
  for (const note of all) {
    const former = repeated.get(note.id);
    if (note.refund_state === "succeeded") unrecorded -= toStripe(BigInt(note.refunded), currency);
    else if (note.refund_state === "pending" && former) unrecorded -= refundedBy(former);
  }
  const counted = new Set<string>();
  const countRefunds = async () => {
    for (const refund of await refundsOf(api, remote)) {
      if (hasFailed(refund) || counted.has(refund.id)) continue;
      counted.add(refund.id);
      unrecorded += BigInt(refund.amount);
      // Also reduced by refunds of the payment without a credit note.
      left -= unlinkedOf(refund, linked);
    }
  };
  if (notes.some((note) => !repeated.has(note.id) || note.refund_state === "pending")) await countRefunds();
  for (const note of notes) {
    const isPending = note.refund_state === "pending";
    const due = isPending && takenAt(remote) > 0n ? toStripe(BigInt(note.refunded), currency) : 0n;
    // Only what exceeds the credit note at Stripe was refunded there before: other refunds are of other money.
    const end = (refunded: bigint, credited: bigint) => {
      if (!isPending) return;
      const covered = between(0n, unrecorded, due - credited);
      unrecorded -= covered;
      const isWhole = refunded + covered === due;
      results.set(note.id, isWhole ? BigInt(note.refunded) : fromStripe(refunded + covered, currency));
    };
    const former = repeated.get(note.id);
    // The process ended before the result was stored.
    if (former) {
      end(between(0n, refundedBy(former), due), BigInt(former.post_payment_amount));
      continue;
    }
    let amount = between(0n, toStripe(BigInt(note.collected!), currency), left);
    // Earlier credit notes used up what Stripe can return: what was not refunded there becomes a grant.
    const isTooMuch = due > amount + between(0n, unrecorded, due);
    const refund = isTooMuch ? 0n : between(0n, due, amount);
    const isWithoutRefund = purchase_id !== null && isPending && refund === 0n;
    if (amount === 0n || isWithoutRefund) {
      end(0n, 0n);
      continue;
    }
    const create = async (returned: bigint) => {
      await beforeEach();
      const { refunds } = await api.creditNotes.create(
        {
          invoice: remote.id,
          amount: Number(amount),
          ...(returned === 0n ? {} : { refund_amount: Number(returned) }),
          ...(returned === amount ? {} : { out_of_band_amount: Number(amount - returned) }),
          metadata: { [metadata.invoice]: note.id },
        },
        once(note.id, generation, returned === 0n ? "credit" : "refund"),
      );
      for (const { refund: made } of refunds) counted.add(stripeIdOf(made));
    };
    try {
      await create(refund);
      end(refund, amount);
    } catch (error) {
      // Stripe rejects the refund, because the payment is too old or disputed, for example.
      if (refund === 0n || !rejections.includes(failureOf(error)?.type ?? "")) throw error;
      // The invoice may have been refunded at Stripe since the refunds were listed.
      await countRefunds();
      amount = between(0n, amount, left);
      if (amount > 0n && purchase_id === null) await create(0n);
      end(0n, amount);
    }
    left -= amount;
  }
  return results;
}

/** What a credit note at Stripe returned to the payment method. */
function refundedBy({ refunds }: Stripe.CreditNote): bigint {
  return refunds.reduce((sum, { amount_refunded }) => sum + BigInt(amount_refunded), 0n);
}

function between(minimum: bigint, value: bigint, maximum: bigint): bigint {
  const lower = value < maximum ? value : maximum;
  return lower > minimum ? lower : minimum;
}

/** Stores the results of refunds that are pending: of each, or the same for all. */
export async function endRefunds(
  context: BucketContext,
  { id, customer_key }: Pick<Invoice, "id" | "customer_key">,
  results: RefundResults | "succeeded" | "failed",
): Promise<void> {
  const { transaction, bucket } = context;
  for (const { id: noteId } of await creditNotesOf(transaction, bucket.seq, id, customer_key)) {
    const note = await findInvoice(locking(transaction), bucket.seq, noteId);
    if (note?.refund_state !== "pending") continue;
    const same = results === "succeeded" ? BigInt(note.refunded) : 0n;
    const returned = typeof results === "string" ? same : results.get(noteId);
    if (returned === undefined) continue;
    // What is not returned is granted again.
    if (returned < BigInt(note.refunded)) await settleUsed(context, customer_key);
    await endRefund(context, note, returned);
  }
}
