import { unconditional } from "../../../../lib/http/etag.ts";
import type { BucketContext } from "../../metering-buckets/metering-buckets.ts";
import { findCustomerIfAny, type StopReason, setTopUp, topUpOf } from "./customers.ts";

/** Turns the automatic top-up of a customer off. Returns false if it was off. */
export async function disableTopUp(context: BucketContext, customerKey: string, reason: StopReason): Promise<boolean> {
  const { transaction, act, bucket } = context;
  const customer = await findCustomerIfAny(transaction, bucket, customerKey);
  const topUp = customer && topUpOf(customer);
  if (!topUp?.isEnabled) return false;
  const stopped = { ...topUp, isEnabled: false, stopped: { on: act.now, reason } };
  await setTopUp(context, customerKey, stopped, unconditional);
  return true;
}
