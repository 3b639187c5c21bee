import type { Act } from "../../../core/access.ts";
import { unconditional } from "../../../lib/http/etag.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { findCustomerIfAny, type StopReason, setTopUp, topUpOf } from "./customers.ts";

/** Turns the automatic top-up of a customer off. Returns false if it was off. */
export async function disableTopUp(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  customerKey: string,
  reason: StopReason,
): Promise<boolean> {
  const customer = await findCustomerIfAny(transaction, bucket, customerKey);
  const topUp = customer && topUpOf(customer);
  if (!topUp?.isEnabled) return false;
  const stopped = { ...topUp, isEnabled: false, stopped: { on: act.now, reason } };
  await setTopUp(transaction, act, bucket, customerKey, stopped, unconditional);
  return true;
}
