import type { Stripe } from "stripe";
import type { Minor } from "../../../../../../lib/text/minor-units.ts";
import type { Reads } from "../../../../../../platform/storage/storage.ts";
import type { BucketContext, MeteringBucket } from "../../../../metering-buckets/metering-buckets.ts";
import { creditNotesOf, findInvoiceForUpdate } from "../../../invoices/invoice-store.ts";
import type { Invoice } from "../../../invoices/invoices.ts";
import { endRefund } from "../../../invoices/payments.ts";
import { settleUsed } from "../../../spending/credit-settlement.ts";
import { fromStripe, toStripe } from "../amounts.ts";
import { failureOf, metadata, once } from "../api/accounts.ts";
import { owedAt, takenAt } from "./apply.ts";
import { addLinked, hasFailed, type LinkedAmounts, refundsOf, stripeIdOf, unlinkedOf } from "./remote-refunds.ts";

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
    const note = await findInvoiceForUpdate(transaction, bucket.seq, noteId);
    if (note?.refund_state !== "pending") continue;
    const same = results === "succeeded" ? BigInt(note.refunded) : 0n;
    const returned = typeof results === "string" ? same : results.get(noteId);
    if (returned === undefined) continue;
    // What is not returned is granted again.
    if (returned < BigInt(note.refunded)) await settleUsed(context, customer_key);
    await endRefund(context, note, returned);
  }
}
