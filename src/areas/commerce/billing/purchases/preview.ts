import type { Act } from "../../../../core/access.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { onBook } from "../book/book.ts";
import { ensureCustomer } from "../customers/customers.ts";
import { allInvoicesOf } from "../invoices/invoice-store.ts";
import { findInvoice } from "../invoices/invoices.ts";
import { dayMilliseconds } from "../packs/delivery.ts";
import { purchasePack } from "../packs/purchases.ts";
import { presentUpcoming } from "../periods/previews.ts";
import { type Purchase, purchase } from "./purchases.ts";

/** The first invoice of a purchase, if it has one. Throws the same errors as the purchase. */
export function previewPurchase(storage: Storage, act: Act, bucket: MeteringBucket, input: Purchase) {
  const { customerKey, planExternalIds } = input;
  return onBook(storage, { act, bucket, customerKeys: [customerKey], planExternalIds }, async (transaction) => {
    const { row } = await purchase({ transaction, act, bucket }, input);
    const [invoice] = await allInvoicesOf(transaction, bucket.seq, row.id);
    return invoice && presentUpcoming(invoice);
  });
}

/** The invoice of a purchase, and until when the credit could be used if it is paid now. Throws the errors of the purchase. */
export function previewPackPurchase(
  storage: Storage,
  act: Act,
  bucket: MeteringBucket,
  customerKey: string,
  packExternalId: string,
) {
  return onBook(storage, { act, bucket, customerKeys: [customerKey] }, async (transaction) => {
    await ensureCustomer({ transaction, act, bucket }, customerKey);
    const { invoice_id, expires_in_days: days } = await purchasePack(
      { transaction, act, bucket },
      customerKey,
      packExternalId,
    );
    const invoice = presentUpcoming(await findInvoice(transaction, bucket, invoice_id));
    return { invoice, expiresOn: days === null ? undefined : formatDateTime(act.now + days * dayMilliseconds) };
  });
}
