import { ifFound } from "../../../core/problems/problem.ts";
import type { BucketContext } from "../../metering-buckets/metering-buckets.ts";
import { type PaymentData, setBilling } from "../../subscriptions/billing-state.ts";
import { findRowForUpdate } from "../../subscriptions/subscriptions.ts";
import { profileOf } from "../settings/settings.ts";
import { mailAccess } from "./billing-mails.ts";
import { invoicesOfSubscription } from "./invoice-store.ts";

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** Derives the payment state of a subscription, and when access ends, from its unpaid invoices. */
export async function updatePayment(
  context: BucketContext,
  subscriptionId: string | null,
  paidOn?: number,
): Promise<void> {
  const { transaction, act, bucket } = context;
  // Invoices outlive subscriptions.
  const row = subscriptionId && (await ifFound(findRowForUpdate(transaction, bucket, subscriptionId)));
  if (!row) return;
  const open = await invoicesOfSubscription(transaction, bucket.seq, row.id, "open", "uncollectible");
  const graceDays = (await profileOf(transaction, act.account.seq))?.graceDays ?? 0;
  const failures = open.map((invoice) => invoice.failed_on ?? invoice.due_on!);
  const before = row.payment === null ? {} : (JSON.parse(row.payment) as PaymentData);
  const failsOn = open.length === 0 ? undefined : Math.min(...failures);
  const payment: PaymentData = {
    ...(open.length === 0 ? {} : { openSince: Math.min(...open.map((each) => each.finalized_on!)), failsOn }),
    paidOn: paidOn ?? before.paidOn,
  };
  const blocksOn = failsOn === undefined ? null : failsOn + graceDays * dayMilliseconds;
  await setBilling(context, row, { payment: JSON.stringify(payment), blocks_on: blocksOn });
  await mailAccess(context, { ...row, before: row.blocks_on, after: blocksOn });
}
