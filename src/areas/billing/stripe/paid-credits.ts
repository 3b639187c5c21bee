import type { Stripe } from "stripe";
import type { Act } from "../../../core/access.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering/metering-buckets.ts";
import { toStripe } from "../collection/stripe-amounts.ts";
import { creditNotesOf, findInvoiceForUpdate } from "../invoices/invoice-store.ts";
import type { Invoice } from "../invoices/invoices.ts";
import { endRefund } from "../invoices/refunds.ts";
import { owedAt, takenAt } from "./apply.ts";
import { failureOf, metadata, once } from "./calls.ts";
import { refundsOf, stripeIdOf } from "./remote-refunds.ts";

/** In the metadata of a credit note that refunds. */
const refundMark = "tollgate_refund";

const rejections = ["StripeInvalidRequestError", "StripeCardError"];

/** The results of refunds, by the id of the credit note. */
export type RefundResults = Map<string, "succeeded" | "failed">;

interface Calls {
  api: Stripe;
  generation: number;
  /** Prolongs the lease. */
  beforeEach(): Promise<void>;
}

/**
 * Repeats credit notes for what was paid already at Stripe, and refunds those that go back to the payment method. One that
 * an earlier call created is found by its metadata. What becomes a grant here is credited outside of Stripe there, whose
 * balance of the customer is not used. What Stripe did not take is refunded outside too.
 */
export async function repeatPaidCredits(
  reads: Reads,
  bucket: MeteringBucket,
  { id, customer_key, currency }: Invoice,
  remote: Stripe.Invoice,
  { api, generation, beforeEach }: Calls,
): Promise<RefundResults> {
  const results: RefundResults = new Map();
  const notes = (await creditNotesOf(reads, bucket.seq, id, customer_key)).filter(
    ({ collected }) => collected !== null && collected !== "0",
  );
  if (notes.length === 0) return results;
  const repeated = new Map<string, Stripe.CreditNote>();
  const linked = new Set<string>();
  // Also reduced by credit notes that were made at Stripe itself.
  let left = owedAt(remote);
  for await (const note of api.creditNotes.list({ invoice: remote.id, limit: 100 })) {
    left -= BigInt(note.post_payment_amount);
    for (const { refund } of note.refunds) linked.add(stripeIdOf(refund));
    if (note.metadata?.[metadata.invoice]) repeated.set(note.metadata[metadata.invoice]!, note);
  }
  // Also reduced by refunds of the payment without a credit note.
  if (notes.some((note) => !repeated.has(note.id)))
    for (const { id: refundId, amount } of await refundsOf(api, remote))
      if (!linked.has(refundId)) left -= BigInt(amount);
  for (const note of notes) {
    const isPending = note.refund_state === "pending";
    if (isPending) results.set(note.id, "succeeded");
    const former = repeated.get(note.id);
    // The process ended after the refund was rejected and the credit note was created without it.
    if (isPending && former && takenAt(remote) > 0n && !former.metadata?.[refundMark]) results.set(note.id, "failed");
    if (former) continue;
    const wanted = toStripe(BigInt(note.collected!), currency);
    const amount = wanted < left ? wanted : left;
    const due = isPending && takenAt(remote) > 0n ? toStripe(BigInt(note.refunded), currency) : 0n;
    // Earlier credit notes used up what Stripe can return: all of it becomes a grant.
    if (due > amount) results.set(note.id, "failed");
    if (amount <= 0n) continue;
    const refund = due > amount ? 0n : due;
    const create = async (returned: bigint) => {
      await beforeEach();
      await api.creditNotes.create(
        {
          invoice: remote.id,
          amount: Number(amount),
          ...(returned === 0n ? {} : { refund_amount: Number(returned) }),
          ...(returned === amount ? {} : { out_of_band_amount: Number(amount - returned) }),
          metadata: { [metadata.invoice]: note.id, ...(returned === 0n ? {} : { [refundMark]: "yes" }) },
        },
        once(note.id, generation, returned === 0n ? "credit" : "refund"),
      );
    };
    try {
      await create(refund);
    } catch (error) {
      // Stripe rejects the refund, because the payment is too old or disputed, for example.
      if (refund === 0n || !rejections.includes(failureOf(error)?.type ?? "")) throw error;
      results.set(note.id, "failed");
      await create(0n);
    }
    left -= amount;
  }
  return results;
}

/** Stores the results of refunds that are pending: of each, or the same for all. */
export async function endRefunds(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  { id, customer_key }: Pick<Invoice, "id" | "customer_key">,
  results: RefundResults | "succeeded" | "failed",
): Promise<void> {
  for (const { id: noteId } of await creditNotesOf(transaction, bucket.seq, id, customer_key)) {
    const result = typeof results === "string" ? results : results.get(noteId);
    const note = result && (await findInvoiceForUpdate(transaction, bucket.seq, noteId));
    if (note?.refund_state === "pending") await endRefund(transaction, act, bucket, note, result!);
  }
}
