import type { Minor } from "../../../../lib/text/minor-units.ts";
import type { BucketContext } from "../../metering-buckets/metering-buckets.ts";
import { grantAmount } from "../credit-grants/grants.ts";
import { restoreAfterRefund } from "../credit-grants/purchase-grants.ts";
import { readMethod } from "../customers/customers.ts";
import { providerFor } from "../payments/providers.ts";
import { mailRefund } from "./billing-mails.ts";
import * as store from "./invoice-store.ts";
import { recordInvoice } from "./payments.ts";

type Invoice = store.InvoiceRow;

/** How much of a credit can be returned to the payment method. What grants paid is returned as a grant. */
export function refundableOf(invoice: Invoice, amount: Minor): Minor {
  if (invoice.status !== "paid") return 0n;
  const left = BigInt(invoice.collected ?? "0") - BigInt(invoice.refunded);
  return amount < left ? amount : left;
}

/** Returns the money of a credit note to the payment method: now, or later by the service of the provider. */
export async function refundInvoice(
  context: BucketContext,
  { seq: invoiceSeq }: Pick<Invoice, "seq">,
  note: Invoice,
): Promise<Invoice> {
  const { transaction, act, bucket } = context;
  const provider = await providerFor(transaction, act, bucket);
  const returned = await provider.refund(transaction, {
    invoiceSeq,
    amount: BigInt(note.refunded),
    method: () => readMethod(transaction, bucket, note.customer_key),
  });
  return returned === "requested" ? note : endRefund(context, note, returned);
}

/**
 * Records how much of a refund the payment method got: it failed if that is nothing. The rest becomes a money grant. Of a
 * credit pack, the credit is restored instead, and the credit note is void if nothing was returned.
 */
export async function endRefund(context: BucketContext, before: Invoice, returned: Minor): Promise<Invoice> {
  const { transaction, act, bucket } = context;
  const amount = BigInt(before.refunded) - returned;
  const isSale = before.purchase_id !== null;
  const failed = { refund_state: "failed", ...(isSale ? { status: "void" } : {}) };
  const result = returned > 0n ? { refund_state: "succeeded", refunded: String(returned) } : failed;
  const changed = { ...result, version: before.version + 1, updated_on: act.now };
  await store.updateInvoice(transaction, before, changed);
  const after = { ...before, ...changed };
  if (returned > 0n) {
    recordInvoice(context, "credit-note.refunded", after, before);
    await mailRefund(context, after);
  } else recordInvoice(context, "credit-note.refund-failed", after, before);
  if (amount === 0n) return after;
  const invoice = (await store.findInvoiceForUpdate(transaction, bucket.seq, before.corrects_id!))!;
  await store.updateInvoice(transaction, invoice, {
    refunded: String(BigInt(invoice.refunded) - amount),
    // A credit note that is void credits nothing: the rest can be refunded again.
    ...(isSale ? { credited: String(BigInt(invoice.credited) - amount) } : {}),
    version: invoice.version + 1,
    updated_on: act.now,
  });
  if (before.purchase_id !== null) {
    const whole = BigInt(before.refunded);
    await restoreAfterRefund(context, before.purchase_id, before.id, { failed: amount, whole });
    return after;
  }
  await grantAmount(context, invoice, amount, { reason: "A refund failed" });
  return after;
}
