import { invalid, Problem } from "../../../../core/problems/problem.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { BucketContext, MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { isBeforeTax } from "../credit-grants/money-terms.ts";
import { grantAgain, moneyOfInvoice, moneyReturnedOf } from "../credit-grants/returned-credits.ts";
import { readMethod } from "../customers/customers.ts";
import { invoiceUpdated, providerFor } from "../payments/providers.ts";
import { invoiceLinesOf, sumOf } from "../plan-terms/lines.ts";
import * as store from "./invoice-store.ts";
import { type Invoice, lockInvoice } from "./invoices.ts";
import { changeInvoice, payInvoice, recordInvoice, requestPayment, updatePayment } from "./payments.ts";

async function findOpen(
  transaction: WriteTransaction,
  bucket: MeteringBucket,
  id: string,
  statuses = ["open"],
): Promise<Invoice> {
  const invoice = await lockInvoice(transaction, bucket, id);
  if (!statuses.includes(invoice.status)) throw new Problem("invoice_not_open");
  return invoice;
}

/** An invoice that is given up can still be paid or voided. */
export const unpaid = ["open", "uncollectible"];

/** Records a payment that was received outside of Tollgate. */
export async function markPaid(
  context: BucketContext,
  id: string,
  { paidOn = context.act.now, reference }: { paidOn?: number | undefined; reference?: string | undefined } = {},
): Promise<Invoice> {
  const { transaction, act, bucket } = context;
  const invoice = await findOpen(transaction, bucket, id, unpaid);
  if (paidOn > act.now) throw invalid("/paidOn", "must not be in the future");
  await invoiceUpdated(context, invoice);
  return payInvoice(context, invoice, paidOn, reference ?? null);
}

/** Tries again to collect an open invoice from grants and the payment method. */
export async function collectInvoice(context: BucketContext, id: string): Promise<Invoice> {
  const { transaction, act, bucket } = context;
  const open = await findOpen(transaction, bucket, id);
  return requestPayment(context, await providerFor(transaction, act, bucket), open);
}

/** Confirms the second step of a payment as the customer's bank would, if the provider has no bank. */
export async function confirmPayment(context: BucketContext, id: string): Promise<Invoice> {
  const { transaction, act, bucket } = context;
  const open = await findOpen(transaction, bucket, id);
  const provider = await providerFor(transaction, act, bucket);
  if (!provider.needsConfirmation) throw new Problem("payment_not_in_sandbox");
  const method = await readMethod(transaction, bucket, open.customer_key);
  if (!provider.needsConfirmation(method)) throw new Problem("nothing_to_confirm");
  return payInvoice(context, open, act.now, null);
}

/**
 * Gives up an open invoice: it is not collected any more. It stays unpaid and counts as failed from now on, also before
 * its due date, so that access ends after the grace period. A payment that arrives after all can be recorded.
 */
export async function markUncollectible(context: BucketContext, id: string): Promise<Invoice> {
  const { transaction, act, bucket } = context;
  const before = await findOpen(transaction, bucket, id);
  const failed_on = before.failed_on ?? act.now;
  const after = await changeInvoice(context, before, { status: "uncollectible", failed_on });
  await invoiceUpdated(context, before);
  recordInvoice(context, "invoice.marked-uncollectible", after, before);
  await updatePayment(context, after.subscription_id);
  return after;
}

/**
 * Ends an open invoice that does not have to be paid. Its number stays, so that the series has no gap. What grants paid of
 * it is granted again.
 */
export async function voidInvoice(context: BucketContext, id: string): Promise<Invoice> {
  const { transaction, bucket } = context;
  const before = await findOpen(transaction, bucket, id, unpaid);
  const after = await changeInvoice(context, before, { status: "void", amount_due: "0" });
  await invoiceUpdated(context, before);
  const fromBalance = BigInt(before.total) - BigInt(before.amount_due) - BigInt(before.credited);
  const reason = "An invoice was voided";
  const lines = invoiceLinesOf(before);
  // A change of plans may have returned a part of it already.
  const returned = (await moneyReturnedOf(transaction, bucket.seq, before)).filter(isBeforeTax);
  const promotional = -sumOf(lines.filter(isBeforeTax)) - sumOf(returned);
  const meters = new Set(lines.flatMap(({ meter }) => meter ?? []));
  for (const [funding, amount] of [
    ["paid", fromBalance],
    ["promotional", promotional],
  ] as const)
    for (const money of await moneyOfInvoice(transaction, bucket.seq, before, meters, funding, amount))
      await grantAgain(context, before, money, reason);
  recordInvoice(context, "invoice.voided", after, before);
  await updatePayment(context, after.subscription_id);
  return after;
}

/** Voids the unpaid invoices of a purchase. */
export async function voidOpen(context: BucketContext, subscriptionId: string): Promise<void> {
  const { transaction, bucket } = context;
  for (const status of ["open", "uncollectible"] as const)
    for (const { id } of await store.invoicesOfSubscription(transaction, bucket.seq, subscriptionId, status))
      await voidInvoice(context, id);
}
