import type { Act } from "../../../../core/access.ts";
import { notFound } from "../../../../core/problems/problem.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { Reads, Storage } from "../../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { presentSubscription } from "../../subscriptions/present-subscription.ts";
import { lateMilliseconds } from "../../subscriptions/state.ts";
import { customerKeyOf, findSubscription } from "../../subscriptions/subscriptions.ts";
import { onBook } from "../book/book.ts";
import { allInvoicesOf, creditNotesOfSubscription, type InvoiceRow } from "../invoices/invoice-store.ts";
import { presentInvoice } from "../invoices/present-invoice.ts";
import { settleBilling } from "./billing-steps.ts";
import { type BilledPlanChange, changePlans, paidUntil } from "./plan-changes.ts";

/**
 * The next invoice of a subscription if nothing more is used. Throws 404 if there will be none at the end of what is paid:
 * then every later period is like the next one.
 */
export async function upcomingInvoice(storage: Storage, act: Act, bucket: MeteringBucket, id: string) {
  const customerKeys = [await customerKeyOf(storage.reads, bucket, id)];
  return onBook(storage, { act, bucket, customerKeys }, async (transaction) => {
    const subscription = await settleBilling({ transaction, act, bucket }, id, act.now);
    const known = await completeIds(transaction, bucket, id);
    const horizon = Math.max(paidUntil(subscription, act.now), subscription.row.trial_end_date ?? 0) + lateMilliseconds;
    for (let { row } = subscription; row.bills_on !== null && row.bills_on <= horizon; ) {
      ({ row } = await settleBilling({ transaction, act, bucket }, id, row.bills_on));
      const next = await firstNew(transaction, bucket, id, known);
      if (next) return presentUpcoming(next);
    }
    throw notFound("upcoming invoice");
  });
}

/** What a change of plans would do. Throws the same errors as the change. */
export async function previewPlanChange(
  storage: Storage,
  act: Act,
  bucket: MeteringBucket,
  id: string,
  change: BilledPlanChange,
) {
  const customerKeys = [await customerKeyOf(storage.reads, bucket, id)];
  const { planExternalIds } = change;
  return onBook(storage, { act, bucket, customerKeys, planExternalIds }, async (transaction) => {
    await settleBilling({ transaction, act, bucket }, id, act.now);
    const known = await completeIds(transaction, bucket, id);
    const former = (await creditNotesOfSubscription(transaction, bucket.seq, id)).length;
    const { timing, on } = await changePlans({ transaction, act, bucket }, id, change);
    const invoice = await firstNew(transaction, bucket, id, known);
    const notes = (await creditNotesOfSubscription(transaction, bucket.seq, id)).slice(former);
    return {
      timing,
      on: formatDateTime(on),
      ...(invoice ? { invoice: presentUpcoming(invoice) } : {}),
      ...(notes.length === 0 ? {} : { creditNotes: notes.map(presentUpcomingNote) }),
      subscription: presentSubscription(await findSubscription(transaction, bucket, id), act.now),
    };
  });
}

async function completeIds(reads: Reads, bucket: MeteringBucket, id: string): Promise<Set<string>> {
  return new Set((await allInvoicesOf(reads, bucket.seq, id)).filter(isComplete).map((row) => row.id));
}

async function firstNew(reads: Reads, bucket: MeteringBucket, id: string, known: Set<string>) {
  const rows = await allInvoicesOf(reads, bucket.seq, id);
  return rows.find((row) => isComplete(row) && !known.has(row.id));
}

function isComplete({ status, finalizes_on }: InvoiceRow): boolean {
  return status !== "draft" || finalizes_on === null;
}

/** Without what only exists once it is finalized. */
export function presentUpcoming(invoice: InvoiceRow) {
  const { id, number, createdOn, updatedOn, finalizedOn, failedOn, paidOn, dueOn, ...shown } = presentInvoice({
    ...invoice,
    status: "draft",
    finalizes_on: invoice.finalized_on ?? invoice.updated_on,
    amount_due: String(BigInt(invoice.total) - BigInt(invoice.from_credits)),
  });
  return shown;
}

function presentUpcomingNote(note: InvoiceRow) {
  return { ...presentUpcoming(note), amountDue: presentInvoice(note).amountDue };
}
