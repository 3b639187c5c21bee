import { type Act, systemAct } from "../../../core/access.ts";
import type { Precondition } from "../../../lib/http/etag.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { limitsChanged } from "../../subscriptions/billing-state.ts";
import { subscriptionSeqsOf } from "../../subscriptions/subscriptions.ts";
import { lockCustomerBilling } from "../credit-grants/wallet.ts";
import { type Customer, type CustomerPatch, findCustomer, readCaps, updateCustomer } from "../customers/customers.ts";
import { withValidTopUp } from "../packs/top-ups.ts";
import { settleCredits } from "../spending/credit-settlement.ts";
import { fixSpending } from "../spending/spending.ts";

/** Changes a customer. New caps apply to usage from now on: what is owed, and what is written off, stays. */
export async function changeCustomer(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  key: string,
  input: CustomerPatch,
  precondition: Precondition,
): Promise<Customer> {
  const patch = await withValidTopUp(transaction, act, bucket, key, input);
  // Another currency of the customer is another currency of its caps.
  const isOfCaps = patch.spendCap !== undefined || patch.creditLimit !== undefined || patch.currency !== undefined;
  if (!isOfCaps) return updateCustomer(transaction, act, bucket, key, patch, precondition);
  await lockCustomerBilling(transaction, bucket, key);
  // Read after the lock: another change may have set other caps in the meantime.
  await findCustomer(transaction, bucket, key);
  const caps = await readCaps(transaction, bucket, key);
  const system = systemAct(act, act.now);
  await limitsChanged(transaction, act, bucket, key);
  await settleCredits(transaction, system, bucket, key);
  for (const { seq } of await subscriptionSeqsOf(transaction, bucket, key))
    await fixSpending(transaction, seq, caps, act.now);
  const customer = await updateCustomer(transaction, act, bucket, key, patch, precondition);
  await settleCredits(transaction, system, bucket, key);
  return customer;
}
