import type { Act } from "../../../core/access.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { onBook } from "../book/book.ts";
import { allInvoicesOf } from "../invoices/invoice-store.ts";
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
