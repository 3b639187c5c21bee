import { accountOf } from "../../../../core/access.ts";
import { notFound } from "../../../../core/problems/problem.ts";
import { generateSecret, secretHash } from "../../../../lib/crypto/secret-text.ts";
import { removeRows } from "../../../../platform/storage/removal.ts";
import { deleteRows } from "../../../../platform/storage/rows.ts";
import type { Reads, Storage, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../platform/storage/tables.ts";
import {
  bucketColumns,
  findMeteringBucket,
  joinBucket,
  type MeteringBucket,
  type OfBucket,
} from "../../metering-buckets/metering-buckets.ts";
import type { Checkout } from "./interface.ts";

const checkoutMilliseconds = 24 * 60 * 60 * 1000;

/** Returns the token of the address, which is valid for a day. `now` is the server's time, also for test buckets. */
export async function createCheckout(
  transaction: WriteTransaction,
  bucket: MeteringBucket,
  { customerKey, returnUrl, cancelUrl }: Pick<Checkout, "customerKey" | "returnUrl"> & { cancelUrl?: string },
  now: number,
): Promise<string> {
  const token = generateSecret("tgco");
  const row = {
    hash: secretHash(token),
    bucket_seq: bucket.seq,
    customer_key: customerKey,
    return_url: returnUrl,
    cancel_url: cancelUrl ?? null,
    expires_on: now + checkoutMilliseconds,
  };
  await transaction.insertAll("checkouts", [row]);
  return token;
}

/** Throws 404 if the token is unknown or expired. */
export async function findCheckout(reads: Reads, token: string, now: number): Promise<Checkout> {
  const checkout = await reads.one<RowOf<"checkouts"> & OfBucket>(
    `SELECT checkouts.*, ${bucketColumns} FROM checkouts ${joinBucket("checkouts.bucket_seq")}
     WHERE checkouts.hash = ? AND checkouts.expires_on > ?`,
    [secretHash(token), now],
  );
  if (!checkout) throw notFound("checkout");
  return {
    account: accountOf(checkout),
    bucket: await findMeteringBucket(reads, checkout.account_seq, checkout.bucket_id),
    customerKey: checkout.customer_key,
    returnUrl: checkout.return_url,
    cancelUrl: checkout.cancel_url ?? checkout.return_url,
  };
}

/** The pages of the customer's checkouts no longer exist. */
export function deleteCheckouts(
  transaction: WriteTransaction,
  { seq: bucket_seq }: MeteringBucket,
  customer_key: string,
) {
  return deleteRows(transaction, "checkouts", { bucket_seq, customer_key });
}

export function removeExpiredCheckouts(storage: Storage, now: number, signal?: AbortSignal): Promise<void> {
  return removeRows(storage, "checkouts", "expires_on <= ?", [now], { key: "hash", signal });
}
