import { type Act, systemAct } from "../../../../core/access.ts";
import { ifFound, Problem } from "../../../../core/problems/problem.ts";
import { Slice } from "../../../../lib/tasks/slices.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import type { BucketContext, MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { findSubscriptionForUpdate } from "../../subscriptions/subscriptions.ts";
import { onBook } from "../book/book.ts";
import { finalize, type Invoice, lockInvoice } from "../invoices/invoices.ts";
import { profileOf } from "../settings/settings.ts";
import { settleUsed } from "../spending/credit-settlement.ts";
import { schedule } from "./billing-steps.ts";
import { finalizeDraft } from "./finalization.ts";

/** Customers whose books are in memory at the same time. */
const customersTogether = 25;

/**
 * Drafts that wait for late usage, with the amounts that each would have if it were finalized now. Other invoices are
 * returned unchanged. A draft that was deleted since it was read is left out.
 */
export async function withPendingOverage(
  storage: Storage,
  act: Act,
  bucket: MeteringBucket,
  invoices: Invoice[],
): Promise<Invoice[]> {
  const waiting = invoices.filter(
    ({ status, finalizes_on, subscription_id }) =>
      status === "draft" && finalizes_on !== null && subscription_id !== null,
  );
  const current = new Map<string, Invoice | undefined>();
  const drafts = Map.groupBy(waiting, ({ customer_key }) => customer_key);
  const all = [...drafts.keys()];
  const slice = new Slice();
  for (let first = 0; first < all.length; first += customersTogether) {
    const customerKeys = all.slice(first, first + customersTogether);
    await onBook(storage, { act, bucket, customerKeys }, async (book) => {
      for (const { id, subscription_id } of customerKeys.flatMap((key) => drafts.get(key)!)) {
        // Each as if it were the only one: several would take the same credits.
        current.set(id, await book.undone(() => draftNow({ transaction: book, act, bucket }, id, subscription_id!)));
        if (slice.isOver) await slice.next();
      }
    });
  }
  return invoices.flatMap((invoice) => (current.has(invoice.id) ? (current.get(invoice.id) ?? []) : invoice));
}

async function draftNow(context: BucketContext, id: string, subscriptionId: string): Promise<Invoice | undefined> {
  const { transaction, act, bucket } = context;
  const draft = await ifFound(lockInvoice(transaction, bucket, id));
  if (draft?.status !== "draft" || draft.finalizes_on === null) return draft;
  const subscription = await ifFound(findSubscriptionForUpdate(transaction, bucket, subscriptionId));
  const due = systemAct(act, draft.finalizes_on);
  const finalized = await finalizeDraft({ ...context, act: due }, subscription, draft);
  if (!finalized) return draft;
  const { lines, subtotal, tax, total, from_credits, written_off, tax_behavior } = finalized;
  const amount_due = String(BigInt(total) - BigInt(from_credits));
  return { ...draft, lines, subtotal, tax, total, amount_due, from_credits, written_off, tax_behavior };
}

/** Finalizes a draft before it is due. Throws `invoice_empty` if it would have no lines. */
export async function finalizeNow(context: BucketContext, id: string): Promise<Invoice> {
  const { transaction, act, bucket } = context;
  const draft = await lockInvoice(transaction, bucket, id);
  const { subscription_id } = draft;
  const subscription =
    subscription_id === null
      ? undefined
      : await ifFound(findSubscriptionForUpdate(transaction, bucket, subscription_id));
  if (draft.status !== "draft") throw new Problem("invoice_not_draft");
  const profile = await profileOf(transaction, act.account.seq);
  if (!profile) throw new Problem("billing_profile_missing");
  await settleUsed(context, draft.customer_key);
  const finalized =
    draft.finalizes_on === null
      ? await finalize(context, draft, profile)
      : await finalizeDraft(context, subscription, draft);
  if (!finalized) throw new Problem("invoice_empty");
  if (subscription) await schedule(context, subscription.row.id);
  return finalized;
}
