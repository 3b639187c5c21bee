import type { Act } from "../../../core/access.ts";
import { minorDigits } from "../../../lib/currencies.ts";
import { formatMinor } from "../../../lib/text/minor-units.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { readMethod } from "../customers/customers.ts";
import { findInvoice, type InvoiceRow } from "../invoices/invoice-store.ts";
import { providerFor } from "../payments/providers.ts";
import { creditsAt } from "../spending/credit-use.ts";
import { type PackPurchase, presentPurchase } from "./purchase-changes.ts";
import { refundOf } from "./refunds.ts";

/**
 * Purchases of a customer with the refunds of their invoices, and whether the bank requires a second step.
 * @param refundedOn the time for which to compute what a refund would return; it is not computed without one
 * @param withUrl whether to show the page of an open payment, whose address permits to replace the payment method
 */
export async function presentPurchases(
  reads: Reads,
  act: Pick<Act, "account">,
  bucket: MeteringBucket,
  customerKey: string,
  purchases: PackPurchase[],
  { refundedOn, withUrl }: { refundedOn?: number; withUrl: boolean },
) {
  const provider = await providerFor(reads, act, bucket);
  const isConfirmed =
    provider.needsConfirmation === undefined
      ? true
      : !provider.needsConfirmation(await readMethod(reads, bucket, customerKey));
  const isRefundable = refundedOn !== undefined && purchases.some(({ state }) => state === "paid");
  const left = isRefundable ? await leftAt(reads, bucket, customerKey, refundedOn) : new Map<string, bigint>();
  return Promise.all(
    purchases.map(async (purchase) => {
      const invoice = await findInvoice(reads, bucket.seq, purchase.invoice_id);
      if (!invoice) return presentPurchase(purchase);
      const refund = purchase.state === "paid" ? refundOf(purchase, invoice, left.get(purchase.id) ?? 0n) : 0n;
      return {
        ...presentPurchase(purchase),
        ...invoiceFields(purchase, invoice, { isConfirmed, withUrl }),
        ...(refund > 0n ? { refundable: formatMinor(refund, minorDigits(invoice.currency)!) } : {}),
      };
    }),
  );
}

/** What of each purchase can be used after the usage so far, by its id. */
async function leftAt(reads: Reads, bucket: MeteringBucket, customerKey: string, now: number) {
  const { wallet } = await creditsAt(reads, bucket, customerKey, now);
  const left = new Map<string, bigint>();
  for (const { purchase_id: id, balance, expires_on } of wallet.grants)
    if (id !== null && (expires_on === null || now < expires_on)) left.set(id, (left.get(id) ?? 0n) + BigInt(balance));
  return left;
}

function invoiceFields(
  { state }: PackPurchase,
  { refunded, currency, collection_url: url, ...invoice }: InvoiceRow,
  { isConfirmed, withUrl }: { isConfirmed: boolean; withUrl: boolean },
) {
  const isWaiting = state === "open" && invoice.status === "open";
  const needsAction = isWaiting && (invoice.collection_state === "needs_action" || !isConfirmed);
  return {
    ...(needsAction ? { needsAction, ...(withUrl && url !== null ? { url } : {}) } : {}),
    ...(refunded === "0" ? {} : { refunded: formatMinor(BigInt(refunded), minorDigits(currency)!) }),
  };
}
