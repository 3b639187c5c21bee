import type { Minor } from "../../../lib/text/minor-units.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import type { BucketContext } from "../../metering-buckets/metering-buckets.ts";
import { type GrantRow, isReversed } from "./grant-store.ts";
import { expireGrant, type Grant, grantAmount, voidGrant } from "./grants.ts";
import { type MoneyTerms, termsKey } from "./money-terms.ts";
import { hasEnded } from "./rollover-store.ts";

export type { MoneyTerms } from "./money-terms.ts";

export interface MoneyAmount extends MoneyTerms {
  amount: Minor;
}

interface Owner {
  id: string;
  customer_key: string;
}

interface Row {
  funding: MoneyTerms["funding"];
  priority: number;
  expires_on: number | null;
  purchase_id: string | null;
  amount: string;
}

/** What grants paid of an invoice when it was finalized or collected, by their terms. */
export async function moneyTakenFor(
  reads: Reads,
  bucketSeq: number,
  { id, customer_key }: Owner,
): Promise<MoneyAmount[]> {
  const rows = await reads.all<Row>(
    `SELECT grants.funding, grants.priority, grants.expires_on, grants.purchase_id, grant_entries.amount
     FROM grants JOIN grant_entries ON grant_entries.grant_seq = grants.seq
     WHERE grants.bucket_seq = ? AND grants.customer_key = ? AND grants.currency IS NOT NULL
       AND grant_entries.kind = 'consumed' AND grant_entries.invoice_id = ? ORDER BY grant_entries.seq`,
    [bucketSeq, customer_key, id],
  );
  return addUp(rows.map(({ amount, ...terms }) => ({ ...terms, amount: amount.slice(1) })));
}

const feeReason = "The unused rest of a fee";
const usageReason = "Usage costs less than what was billed";

/** What was returned of the fees and the usage of an invoice, by its terms. */
export async function moneyReturnedOf(
  reads: Reads,
  bucketSeq: number,
  { id, customer_key }: Owner,
): Promise<MoneyAmount[]> {
  const rows = await reads.all<Row>(
    `SELECT funding, priority, expires_on, purchase_id, amount FROM grants
     WHERE bucket_seq = ? AND customer_key = ? AND invoice_id = ? AND reason IN (?, ?) ORDER BY seq`,
    [bucketSeq, customer_key, id, feeReason, usageReason],
  );
  return addUp(rows);
}

function addUp(rows: Row[]): MoneyAmount[] {
  const sums = new Map<string, MoneyAmount>();
  for (const { funding, priority, expires_on: expiresOn, purchase_id: purchaseId, amount } of rows) {
    const terms = { funding, priority, expiresOn, purchaseId, rolloverSeq: null };
    const before = sums.get(termsKey(terms))?.amount ?? 0n;
    sums.set(termsKey(terms), { ...terms, amount: before + BigInt(amount) });
  }
  return [...sums.values()];
}

type Source = Parameters<typeof grantAmount>[1];

/**
 * Grants money or units again on their former terms. If the expiry has passed, the grant expires at once. Credit of a
 * credit pack whose payment was refunded or disputed at the provider, or of a rollover whose fee was returned, is
 * voided at once.
 */
export async function grantAgain(
  context: BucketContext,
  source: Source,
  { amount, ...terms }: MoneyAmount,
  reason: string,
): Promise<Grant> {
  const { transaction, act } = context;
  const grant = await grantAmount(context, source, amount, { reason, ...terms });
  const isOver = terms.expiresOn !== null && terms.expiresOn <= act.now;
  if (isOver) return expireGrant(context, grant);
  return (await isVoid(transaction, grant)) ? voidGrant(context, grant.customer_key, grant.id) : grant;
}

async function isVoid(reads: Reads, { bucket_seq, purchase_id, rollover_seq }: GrantRow): Promise<boolean> {
  if (purchase_id !== null) return isReversed(reads, bucket_seq, purchase_id);
  return rollover_seq !== null && hasEnded(reads, rollover_seq);
}

/** Returns money of a fee that was not used. */
export function grantUnusedFee(context: BucketContext, source: Source, money: MoneyAmount): Promise<Grant> {
  return grantAgain(context, source, money, feeReason);
}

/** Returns money of usage that costs less than what was billed. */
export function grantUsageReturn(context: BucketContext, source: Source, money: MoneyAmount): Promise<Grant> {
  return grantAgain(context, source, money, usageReason);
}
