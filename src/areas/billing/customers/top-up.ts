import type { Act } from "../../../core/access.ts";
import { unconditional } from "../../../lib/http/etag.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { findCustomerIfAny, setTopUp, topUpOf } from "./customers.ts";

/** Turns the automatic top-up of a customer off, because a payment failed. Returns false if it was off. */
export async function disableTopUp(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  customerKey: string,
): Promise<boolean> {
  const customer = await findCustomerIfAny(transaction, bucket, customerKey);
  const topUp = customer && topUpOf(customer);
  if (!topUp?.isEnabled) return false;
  await setTopUp(
    transaction,
    act,
    bucket,
    customerKey,
    { ...topUp, isEnabled: false, failedOn: act.now },
    unconditional,
  );
  return true;
}
