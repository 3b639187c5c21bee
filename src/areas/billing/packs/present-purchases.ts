import type { Act } from "../../../core/access.ts";
import { minorDigits } from "../../../lib/currencies.ts";
import { formatMinor } from "../../../lib/money.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { readMethod } from "../customers/customers.ts";
import { findInvoice, type InvoiceRow } from "../invoices/invoice-store.ts";
import { providerFor } from "../payments/providers.ts";
import { type PackPurchase, presentPurchase } from "./purchase-changes.ts";

/** Purchases of a customer with what their invoices tell: refunds, and whether the bank requires a second step. */
export async function presentPurchases(
  reads: Reads,
  act: Pick<Act, "account">,
  bucket: MeteringBucket,
  customerKey: string,
  purchases: PackPurchase[],
) {
  const provider = await providerFor(reads, act, bucket);
  const isConfirmed =
    provider.needsConfirmation === undefined
      ? true
      : !provider.needsConfirmation(await readMethod(reads, bucket, customerKey));
  return Promise.all(
    purchases.map(async (purchase) => {
      const invoice = await findInvoice(reads, bucket.seq, purchase.invoice_id);
      return { ...presentPurchase(purchase), ...(invoice ? ofInvoice(purchase, invoice, isConfirmed) : {}) };
    }),
  );
}

function ofInvoice({ state }: PackPurchase, { refunded, currency, ...invoice }: InvoiceRow, isConfirmed: boolean) {
  const isWaiting = state === "open" && invoice.status === "open";
  const needsAction = isWaiting && (invoice.collection_state === "needs_action" || !isConfirmed);
  return {
    ...(needsAction
      ? { needsAction, ...(invoice.collection_url === null ? {} : { url: invoice.collection_url }) }
      : {}),
    ...(refunded === "0" ? {} : { refunded: formatMinor(BigInt(refunded), minorDigits(currency)!) }),
  };
}
