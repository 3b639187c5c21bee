import type { Act } from "../../../core/access.ts";
import { Problem } from "../../../core/problems/problem.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import { findBucket, type MeteringBucket, timeIn } from "../../metering/buckets.ts";
import {
  findSubscription,
  findSubscriptionForUpdate,
  type Subscription,
} from "../../metering/subscriptions/subscriptions.ts";
import { waitingDrafts } from "../invoices/invoice-store.ts";
import { finalize, findForUpdate, type Invoice, linesOf, sums } from "../invoices/invoices.ts";
import { profileOf } from "../settings/settings.ts";
import { finalizeDraft } from "./finalization.ts";
import { pendingOverage } from "./overage-lines.ts";
import { schedule } from "./steps.ts";

/** A draft that waits for late usage, with the overage as of now. Other invoices are returned unchanged. */
export async function withPendingOverage(reads: Reads, bucket: MeteringBucket, invoice: Invoice): Promise<Invoice> {
  const { status, finalizes_on, subscription_id } = invoice;
  if (status !== "draft" || finalizes_on === null || subscription_id === null) return invoice;
  const subscription = await ifFound(() => findSubscription(reads, bucket, subscription_id));
  if (!subscription) return invoice;
  const pending = (await pendingOverage(reads, subscription, finalizes_on)).map(({ line }) => line);
  const lines = [...linesOf(invoice), ...pending.filter(({ amount }) => amount !== 0n)];
  return { ...invoice, ...sums(lines, invoice.currency) };
}

/** Finalizes a draft before it is due. */
export async function finalizeNow(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  id: string,
): Promise<Invoice> {
  const draft = await findForUpdate(transaction, bucket, id);
  const { subscription_id } = draft;
  const subscription =
    subscription_id === null
      ? undefined
      : await ifFound(() => findSubscriptionForUpdate(transaction, bucket, subscription_id));
  if (draft.status !== "draft") throw new Problem("invoice_not_draft");
  if (!(await profileOf(transaction, act.account.seq))) throw new Problem("billing_profile_missing");
  const finalized =
    draft.finalizes_on === null
      ? await finalize(transaction, act, bucket, draft)
      : await finalizeDraft(transaction, act, bucket, subscription, draft);
  if (!finalized) throw new Problem("invoice_empty");
  if (subscription) await schedule(transaction, act, bucket, subscription.row.id);
  return finalized;
}

/** Finalizes the drafts that waited for the billing profile, in order. */
export async function finalizeWaiting(transaction: WriteTransaction, act: Act): Promise<void> {
  for (const { bucket_id, id } of await waitingDrafts(transaction, act.account.seq)) {
    const bucket = await findBucket(transaction, act.account.seq, bucket_id);
    await finalizeNow(transaction, { ...act, now: timeIn(bucket, act.now) }, bucket, id);
  }
}

async function ifFound(find: () => Promise<Subscription>): Promise<Subscription | undefined> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof Problem && error.code === "not_found") return undefined;
    throw error;
  }
}
