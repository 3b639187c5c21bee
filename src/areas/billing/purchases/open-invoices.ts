import type { Reads } from "../../../platform/storage/storage.ts";
import type { BucketContext, MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { isUnpaidPurchase } from "../../subscriptions/status.ts";
import { subscriptionsOf } from "../../subscriptions/subscriptions.ts";
import { lockCustomerBilling } from "../credit-grants/wallet.ts";
import { type InvoiceRow, openInvoicesOf } from "../invoices/invoice-store.ts";
import { lockInvoice } from "../invoices/invoices.ts";
import { payInvoice, requestPayment } from "../invoices/payments.ts";
import { providerFor } from "../payments/providers.ts";
import { settleBilling } from "../periods/billing-steps.ts";
import { completePurchase, invoiceChanged } from "./completion.ts";

/** What a customer owes now, the oldest first. */
export function openInvoices(reads: Reads, bucket: MeteringBucket, customerKey: string): Promise<InvoiceRow[]> {
  return openInvoicesOf(reads, bucket.seq, customerKey);
}

/**
 * To be called after a customer got a payment method: pays what is open, and activates purchases that only lacked a
 * method.
 */
export async function requestOpenPayments(context: BucketContext, customerKey: string): Promise<void> {
  const { transaction, act, bucket } = context;
  const provider = await providerFor(transaction, act, bucket);
  await withOpen(context, customerKey, (invoice) => requestPayment(context, provider, invoice));
}

/** Records that the customer has paid what is open. */
export function payOpen(context: BucketContext, customerKey: string): Promise<void> {
  const { act } = context;
  return withOpen(context, customerKey, (invoice) => payInvoice(context, invoice, act.now, null));
}

async function withOpen(
  context: BucketContext,
  customerKey: string,
  work: (invoice: InvoiceRow) => Promise<unknown>,
): Promise<void> {
  const { transaction, act, bucket } = context;
  await lockCustomerBilling(transaction, bucket, customerKey);
  const subscriptions = await subscriptionsOf(transaction, bucket, customerKey);
  // What has expired in the meantime is not paid any more.
  for (const { row } of subscriptions) await settleBilling(context, row.id, act.now);
  for (const { id } of await openInvoicesOf(transaction, bucket.seq, customerKey)) {
    const invoice = await lockInvoice(transaction, bucket, id);
    if (invoice.status !== "open") continue;
    await work(invoice);
    await invoiceChanged(context, invoice);
  }
  for (const { row } of subscriptions) if (isUnpaidPurchase(row)) await completePurchase(context, row.id);
}
