import { type Act, systemAct } from "../../../core/access.ts";
import { ifFound, Problem } from "../../../core/problems/problem.ts";
import type { Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { findSubscriptionForUpdate } from "../../subscriptions/subscriptions.ts";
import { tryLockCustomerBilling } from "../credit-grants/wallet.ts";
import { finalize, type Invoice, lockInvoice } from "../invoices/invoices.ts";
import { profileOf } from "../settings/settings.ts";
import { settleUsed } from "../spending/credit-settlement.ts";
import { schedule } from "./billing-steps.ts";
import { finalizeDraft } from "./finalization.ts";
import { undone, withoutStops } from "./previews.ts";

/** Drafts that one transaction calculates. On SQLite, other writes wait for it. */
const draftsTogether = (storage: Storage) => (storage.isShared ? 50 : 10);

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
  const current = new Map<string, Invoice | undefined>();
  const waiting = invoices.filter(
    ({ status, finalizes_on, subscription_id }) =>
      status === "draft" && finalizes_on !== null && subscription_id !== null,
  );
  for (const drafts of ofDifferentCustomers(waiting, draftsTogether(storage))) {
    const now = (transaction: WriteTransaction, { id, subscription_id }: Invoice) =>
      draftNow(withoutStops(transaction), act, bucket, id, subscription_id!);
    const works = drafts.map(
      (draft) => async (transaction: WriteTransaction) =>
        (await tryLockCustomerBilling(withoutStops(transaction), bucket, draft.customer_key))
          ? { shown: await now(transaction, draft) }
          : undefined,
    );
    const found = await undone(storage, (transaction) => transaction.together(works));
    for (const [index, draft] of drafts.entries()) {
      const { shown } = found[index] ?? { shown: await undone(storage, (transaction) => now(transaction, draft)) };
      current.set(draft.id, shown);
    }
  }
  return invoices.flatMap((invoice) => (current.has(invoice.id) ? (current.get(invoice.id) ?? []) : invoice));
}

async function draftNow(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  id: string,
  subscriptionId: string,
): Promise<Invoice | undefined> {
  const draft = await ifFound(lockInvoice(transaction, bucket, id));
  if (draft?.status !== "draft" || draft.finalizes_on === null) return draft;
  const subscription = await ifFound(findSubscriptionForUpdate(transaction, bucket, subscriptionId));
  const due = systemAct(act, draft.finalizes_on);
  const finalized = await finalizeDraft(transaction, due, bucket, subscription, draft);
  if (!finalized) return draft;
  const { lines, subtotal, tax, total, from_credits, written_off, tax_behavior } = finalized;
  const amount_due = String(BigInt(total) - BigInt(from_credits));
  return { ...draft, lines, subtotal, tax, total, amount_due, from_credits, written_off, tax_behavior };
}

/**
 * Parts in which each customer has one draft: several would take the same credits. Customers are in one order, in which all
 * transactions lock them.
 */
function ofDifferentCustomers(drafts: Invoice[], size: number): Invoice[][] {
  const byCustomer = Map.groupBy(drafts, ({ customer_key }) => customer_key);
  const sorted = [...byCustomer.keys()].sort().flatMap((key) => [...byCustomer.get(key)!.entries()]);
  const parts = Map.groupBy(sorted, ([index]) => index).values();
  return [...parts].flatMap((entries) => {
    const part = entries.map(([, draft]) => draft);
    return Array.from({ length: Math.ceil(part.length / size) }, (_, index) =>
      part.slice(index * size, (index + 1) * size),
    );
  });
}

/** Finalizes a draft before it is due. Throws `invoice_empty` if it would have no lines. */
export async function finalizeNow(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  id: string,
): Promise<Invoice> {
  const draft = await lockInvoice(transaction, bucket, id);
  const { subscription_id } = draft;
  const subscription =
    subscription_id === null
      ? undefined
      : await ifFound(findSubscriptionForUpdate(transaction, bucket, subscription_id));
  if (draft.status !== "draft") throw new Problem("invoice_not_draft");
  const profile = await profileOf(transaction, act.account.seq);
  if (!profile) throw new Problem("billing_profile_missing");
  await settleUsed(transaction, act, bucket, draft.customer_key);
  const finalized =
    draft.finalizes_on === null
      ? await finalize(transaction, act, bucket, draft, profile)
      : await finalizeDraft(transaction, act, bucket, subscription, draft);
  if (!finalized) throw new Problem("invoice_empty");
  if (subscription) await schedule(transaction, act, bucket, subscription.row.id);
  return finalized;
}
