import type { Cause } from "../../../core/access.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { asSystem, type BucketContext, type MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
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
import { findCustomer } from "../customers/customers.ts";
import { findInvoice } from "../invoices/invoices.ts";
import { settleCredits, settleUsed } from "../spending/credit-settlement.ts";
import { creditsAt } from "../spending/credit-use.ts";

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
