import type { Stripe } from "stripe";
import type { Act } from "../../../core/access.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering/buckets.ts";
import type { CollectionRow } from "../collection/collection-store.ts";
import { voidInvoice } from "../invoices/invoice-actions.ts";
import { updateInvoice } from "../invoices/invoice-store.ts";
import { findForUpdate, type Invoice } from "../invoices/invoices.ts";
import { fail, pay } from "../invoices/payments.ts";
import { invoiceChanged } from "../purchases/completion.ts";
import type { collectionStates } from "../schemas/invoice-schema.ts";
import { expectedAmount, needsAction } from "./remote-invoice.ts";

type CollectionState = (typeof collectionStates)[number];

const minute = 60_000;
const hour = 60 * minute;

/** What the invoice at Stripe is for, without what credit notes took off before it was paid. */
export function owedAt({ total, pre_payment_credit_notes_amount }: Stripe.Invoice): bigint {
  return BigInt(total - pre_payment_credit_notes_amount);
}

/** Bank debits are processed for days. */
export function isProcessing({ payments }: Stripe.Invoice): boolean {
  return (payments?.data ?? []).some(({ payment: { payment_intent } }) => {
    return typeof payment_intent === "object" && payment_intent.status === "processing";
  });
}

/** Whether a payment was tried and did not succeed. */
function hasFailed(remote: Stripe.Invoice): boolean {
  return (
    remote.status === "uncollectible" || (remote.attempt_count > 0 && !isProcessing(remote) && !needsAction(remote))
  );
}

function stateOf(invoice: Invoice, remote: Stripe.Invoice): CollectionState {
  for (const status of ["paid", "void"] as const)
    if (remote.status === status) return invoice.status === status ? status : "error";
  if (needsAction(remote)) return "needs_action";
  return hasFailed(remote) ? "failed" : "pending";
}

export interface Applied {
  invoice: Invoice;
  /** The bank requires a second step, which was not known before. */
  isActionNew: boolean;
  values: Partial<CollectionRow>;
}

/**
 * Applies the state of the invoice at Stripe to ours: its number, its page, and whether it is paid. Applying the same
 * state again changes nothing. A different amount changes nothing either, and is reported.
 */
export async function applyRemote(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  row: CollectionRow,
  { invoiceId, remote, now }: { invoiceId: string; remote: Stripe.Invoice; now: number },
): Promise<Applied> {
  let invoice = await findForUpdate(transaction, bucket, invoiceId);
  const isSameAmount = invoice.status !== "open" || owedAt(remote) === expectedAmount(invoice);
  if (isSameAmount) {
    invoice = await applyPayment(transaction, act, bucket, row, invoice, remote);
    await invoiceChanged(transaction, act, bucket, invoice.subscription_id);
  }
  const state = isSameAmount ? stateOf(invoice, remote) : "error";
  const isActionNew = state === "needs_action" && invoice.collection_state !== state;
  invoice = await show(transaction, act, invoice, remote, state);
  const isDone = state === "paid" || state === "void" || (state === "error" && remote.status !== "open");
  const error = state === "error" ? describeDifference(invoice, remote) : null;
  return {
    invoice,
    isActionNew,
    values: {
      stripe_status: remote.status,
      amount: String(owedAt(remote)),
      attempts: remote.attempt_count,
      failures: 0,
      error,
      next_on: isDone ? null : now + delayAfter(now - (invoice.finalized_on ?? now)),
    },
  };
}

async function applyPayment(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  row: CollectionRow,
  invoice: Invoice,
  remote: Stripe.Invoice,
): Promise<Invoice> {
  if (invoice.status !== "open") return invoice;
  if (remote.status === "paid") {
    const paidOn = (remote.status_transitions.paid_at ?? remote.created) * 1000;
    return pay(transaction, act, bucket, invoice, Math.min(paidOn, act.now), remote.id);
  }
  if (remote.status === "void") return voidInvoice(transaction, act, bucket, invoice.id);
  const isNewAttempt = remote.attempt_count > row.attempts;
  return isNewAttempt && hasFailed(remote) ? fail(transaction, act, bucket, invoice, act.now) : invoice;
}

async function show(
  transaction: WriteTransaction,
  act: Act,
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
  if (isSame) return invoice;
  const changed = { ...shown, version: invoice.version + 1, updated_on: act.now };
  await updateInvoice(transaction, invoice.seq, changed);
  return { ...invoice, ...changed };
}

export function describeDifference(invoice: Invoice, remote: Stripe.Invoice): string {
  const { status, currency } = invoice;
  return `Stripe has ${owedAt(remote)} ${currency} and ${remote.status}, and we have ${expectedAmount(invoice)} and ${status}`;
}

/** Events make it faster; this is how late it may be without them. */
function delayAfter(age: number): number {
  if (age < 10 * minute) return minute;
  return age < 2 * hour ? 10 * minute : 6 * hour;
}
