import type { Minor } from "../../../lib/text/minor-units.ts";
import type { BucketContext } from "../../metering-buckets/metering-buckets.ts";
import { grantAmount } from "../credit-grants/grants.ts";
import { openInvoicesOf } from "../invoices/invoice-store.ts";
import { type Invoice, lockInvoice } from "../invoices/invoices.ts";
import { requestPayment } from "../invoices/payments.ts";
import { providerFor } from "../payments/providers.ts";
import { settleUsed } from "../spending/credit-settlement.ts";
import { invoiceChanged } from "./completion.ts";

/**
 * Grants the part of a payment that exceeds the amount due. It pays open invoices that the provider has queued and not
 * begun to charge, such as that of the purchase which replaced this one.
 */
export async function grantPayment(
  context: BucketContext,
  invoice: Invoice,
  amount: Minor,
  isQueued: (invoiceSeq: number) => Promise<boolean>,
): Promise<void> {
  const { transaction, act, bucket } = context;
  await settleUsed(context, invoice.customer_key);
  await grantAmount(context, invoice, amount, { reason: "A payment that exceeds an invoice" });
  const provider = await providerFor(transaction, act, bucket);
  for (const { id, seq } of await openInvoicesOf(transaction, bucket.seq, invoice.customer_key)) {
    if (!(await isQueued(seq))) continue;
    const open = await lockInvoice(transaction, bucket, id);
    if (open.status !== "open") continue;
    await requestPayment(context, provider, open);
    await invoiceChanged(context, open);
  }
}
