import { systemAct } from "../../../core/access.ts";
import { invalid } from "../../../core/problems/problem.ts";
import type { Precondition } from "../../../lib/http/etag.ts";
import type { BucketContext } from "../../metering-buckets/metering-buckets.ts";
import { limitsChanged } from "../../subscriptions/billing-state.ts";
import { subscriptionSeqsOf } from "../../subscriptions/subscriptions.ts";
import { lockCustomerBilling } from "../credit-grants/wallet.ts";
import { type Cap, type Caps, inCurrency } from "../customers/caps.ts";
import {
  type Customer,
  type CustomerPatch,
  currencyOfCustomer,
  findCustomer,
  fixCapCurrencies,
  readCaps,
  updateCustomer,
} from "../customers/customers.ts";
import { withValidTopUp } from "../packs/top-ups.ts";
import { settleCredits } from "../spending/credit-settlement.ts";
import { fixSpending } from "../spending/spending.ts";

/** Changes a customer. New caps apply to usage from now on: what is owed, and what is written off, stays. */
export async function changeCustomer(
  context: BucketContext,
  key: string,
  input: CustomerPatch,
  precondition: Precondition,
): Promise<Customer> {
  const { transaction, act, bucket } = context;
  const { spendCap, spendCaps, creditLimit, creditLimits, ...patch } = await withValidTopUp(context, key, input);
  const own = capsIn("spendCaps", spendCap, spendCaps);
  const limits = capsIn("creditLimits", creditLimit, creditLimits);
  const isOfCaps = own !== undefined || limits !== undefined;
  if (!isOfCaps && patch.currency === undefined) return updateCustomer(context, key, patch, precondition);
  await lockCustomerBilling(transaction, bucket, key);
  // Read after the lock: another change may have set other caps in the meantime.
  const before = await findCustomer(transaction, bucket, key);
  await fixCapCurrencies(transaction, bucket, key);
  if (!isOfCaps) return updateCustomer(context, key, patch, precondition);
  const caps = await readCaps(transaction, bucket, key);
  const system = systemAct(act, act.now);
  await limitsChanged(context, key);
  await settleCredits({ ...context, act: system }, key);
  for (const { seq } of await subscriptionSeqsOf(transaction, bucket, key))
    await fixSpending(transaction, seq, caps, act.now);
  const { currency = before.currency } = patch;
  const ofCustomer = await currencyOfCustomer(transaction, { ...before, currency });
  const fixed = {
    ...(own && { spendCaps: inCurrency(own, ofCustomer) }),
    ...(limits && { creditLimits: inCurrency(limits, ofCustomer) }),
  };
  const customer = await updateCustomer(context, key, { ...patch, ...fixed }, precondition);
  await settleCredits({ ...context, act: system }, key);
  return customer;
}

/** The caps that replace all of a kind. Undefined if they stay. */
function capsIn(name: keyof Caps, cap: CustomerPatch["spendCap"], caps: CustomerPatch["spendCaps"]): Cap[] | undefined {
  if (cap !== undefined && caps !== undefined)
    throw invalid(`/${name}`, `cannot be combined with ${name.slice(0, -1)}`);
  const given = caps === undefined ? cap && [cap] : caps;
  return given === null ? [] : given;
}
