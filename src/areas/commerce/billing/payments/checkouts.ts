import { notFound } from "../../../../core/problems/problem.ts";
import { generateSecret, secretHash } from "../../../../lib/crypto/secret-text.ts";
import { removeInPieces } from "../../../../platform/storage/removal.ts";
import type { Reads, Storage, WriteTransaction } from "../../../../platform/storage/storage.ts";
import { findMeteringBucket, type MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import * as store from "./checkout-store.ts";
import type { Checkout } from "./interface/service.ts";

const checkoutMilliseconds = 24 * 60 * 60 * 1000;

/** Returns the token of the address, which is valid for a day. `now` is the server's time, also for test buckets. */
export async function createCheckout(
  transaction: WriteTransaction,
  bucket: MeteringBucket,
  { customerKey, returnUrl, cancelUrl }: Pick<Checkout, "customerKey" | "returnUrl"> & { cancelUrl?: string },
  now: number,
): Promise<string> {
  const token = generateSecret("tgco");
  await store.insertCheckout(transaction, {
    hash: secretHash(token),
    bucket_seq: bucket.seq,
    customer_key: customerKey,
    return_url: returnUrl,
    cancel_url: cancelUrl ?? null,
    expires_on: now + checkoutMilliseconds,
  });
  return token;
}

/** Throws 404 if the token is unknown or expired. */
export async function findCheckout(reads: Reads, token: string, now: number): Promise<Checkout> {
  const checkout = await store.findCheckout(reads, secretHash(token), now);
  if (!checkout) throw notFound("checkout");
  return {
    account: { seq: checkout.account_seq, id: checkout.account_id, name: checkout.account_name },
    bucket: await findMeteringBucket(reads, checkout.account_seq, checkout.bucket_id),
    customerKey: checkout.customer_key,
    returnUrl: checkout.return_url,
    cancelUrl: checkout.cancel_url ?? checkout.return_url,
  };
}

/** The pages of the customer's checkouts no longer exist. */
export function deleteCheckouts(transaction: WriteTransaction, bucket: MeteringBucket, customerKey: string) {
  return store.deleteCheckouts(transaction, bucket.seq, customerKey);
}

export function removeExpiredCheckouts(storage: Storage, now: number, signal?: AbortSignal): Promise<void> {
  return removeInPieces(storage, (transaction, rows) => store.deleteExpired(transaction, now, rows), { signal });
}
