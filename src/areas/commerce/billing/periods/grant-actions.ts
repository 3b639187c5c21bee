import type { Cause } from "../../../../core/access.ts";
import { invalid } from "../../../../core/problems/problem.ts";
import type { Precondition } from "../../../../lib/http/etag.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { asSystem, type BucketContext, type MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { limitsChanged } from "../../subscriptions/state.ts";
import { subscriptionSeqsOf } from "../../subscriptions/subscriptions.ts";
import {
  createGrant,
  expireGrant,
  findGrant,
  type Grant,
  type GrantInput,
  hasCredits,
  requireValidGrant,
  voidGrant,
} from "../credit-grants/grants.ts";
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
import { findInvoice } from "../invoices/invoices.ts";
import { withValidTopUp } from "../packs/top-ups.ts";
import { settleCredits, settleUsed } from "../spending/credit-settlement.ts";
import { creditsAt } from "../spending/credit-use.ts";
import { fixSpending } from "../spending/spending.ts";

/** Grants credits. They pay for usage from now on. */
export async function addGrant(context: BucketContext, customerKey: string, input: GrantInput): Promise<Grant> {
  const { transaction, act, bucket } = context;
  await findCustomer(transaction, bucket, customerKey);
  requireValidGrant(act, input);
  await settleCredits(asSystem(context), customerKey, { more: input.meter });
  return createGrant(context, customerKey, input);
}

/** Voids what is left of a grant after the usage so far. */
export async function endGrant(context: BucketContext, customerKey: string, id: string): Promise<Grant> {
  const { transaction, bucket } = context;
  await findGrant(transaction, bucket, customerKey, id);
  await settleCredits(asSystem(context), customerKey);
  return voidGrant(context, customerKey, id);
}

/**
 * Ends a grant whose time is over, after it has paid for the usage until then.
 * @param until the time of the usage, if it is later
 */
export async function expireAt(
  context: BucketContext<Cause>,
  due: Pick<Grant, "id" | "customer_key" | "expires_on">,
  until?: number,
): Promise<void> {
  const { transaction, bucket } = context;
  const { id, customer_key, expires_on } = due;
  await settleCredits(asSystem(context, expires_on! - 1), customer_key, until === undefined ? {} : { until });
  const grant = await findGrant(transaction, bucket, customer_key, id);
  if (grant.ended_on === null) await expireGrant(asSystem(context, expires_on!), grant);
}

/** Grants with the amounts and balances that the usage so far leaves. */
export async function withCurrentBalances(
  reads: Reads,
  bucket: MeteringBucket,
  customerKey: string,
  grants: Grant[],
  now: number,
): Promise<Grant[]> {
  if (!(await hasCredits(reads, bucket, customerKey))) return grants;
  const { wallet } = await creditsAt(reads, bucket, customerKey, now);
  const current = new Map(wallet.grants.map(({ seq, amount, balance }) => [seq, { amount, balance }]));
  return grants.map((grant) => ({ ...grant, ...current.get(grant.seq) }));
}

/** Before grants pay an invoice, or money of it is granted: see `settleUsed`. */
export async function settleForInvoice(context: BucketContext, invoiceId: string): Promise<void> {
  const { transaction, bucket } = context;
  const { customer_key } = await findInvoice(transaction, bucket, invoiceId);
  await settleUsed(context, customer_key);
}

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
  const system = asSystem(context);
  await limitsChanged(context, key);
  await settleCredits(system, key);
  for (const { seq } of await subscriptionSeqsOf(transaction, bucket, key))
    await fixSpending(transaction, seq, caps, act.now);
  const { currency = before.currency } = patch;
  const ofCustomer = await currencyOfCustomer(transaction, { ...before, currency });
  const fixed = {
    ...(own && { spendCaps: inCurrency(own, ofCustomer) }),
    ...(limits && { creditLimits: inCurrency(limits, ofCustomer) }),
  };
  const customer = await updateCustomer(context, key, { ...patch, ...fixed }, precondition);
  await settleCredits(system, key);
  return customer;
}

/** The caps that replace all of a kind. Undefined if they stay. */
function capsIn(name: keyof Caps, cap: CustomerPatch["spendCap"], caps: CustomerPatch["spendCaps"]): Cap[] | undefined {
  if (cap !== undefined && caps !== undefined)
    throw invalid(`/${name}`, `cannot be combined with ${name.slice(0, -1)}`);
  const given = caps === undefined ? cap && [cap] : caps;
  return given === null ? [] : given;
}
