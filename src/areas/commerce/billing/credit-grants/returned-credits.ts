import { smaller } from "../../../../lib/money.ts";
import type { Minor } from "../../../../lib/text/minor-units.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import type { BucketContext } from "../../metering-buckets/metering-buckets.ts";
import { type CreditSource, type GrantRow, hasEnded, isReversed, lastTakenFor } from "./grant-store.ts";
import { expireGrant, type Grant, grantAmount, voidGrant } from "./grants.ts";
import {
  defaultTerms,
  type Funding,
  isBeforeTax,
  type Money,
  type MoneyTerms,
  noMoney,
  plus,
  termsKey,
} from "./money-terms.ts";

/** Entries of the ledger in which the grants that paid are looked for: there is one for each hour and grant. */
const maxEntries = 1_000;

interface Returned {
  subscriptionId: string;
  meter: string;
  amount: bigint;
}

/** Grants money again that paid for a cost that no longer exists, on the terms of what it was taken from. Returns which money it is. */
export async function returnMoney(
  context: BucketContext,
  customerKey: string,
  { amount, currency, funding, ...use }: Returned & { currency: string; funding: Funding },
): Promise<Money> {
  const { transaction, bucket } = context;
  const from = { bucketSeq: bucket.seq, customerKey, ...use, currency, isBeforeTax: isBeforeTax({ funding }) };
  const source = { id: use.subscriptionId, customer_key: customerKey, currency };
  const parts = partsOf(await lastTaken(transaction, from), amount, funding);
  for (const part of parts) await grantAgain(context, source, part, "Returned: usage costs less");
  return moneyOf(parts);
}

/** The sums of amounts by their funding. */
export function moneyOf(parts: MoneyAmount[]): Money {
  return parts.reduce((sum, { funding, amount }) => plus(sum, { ...noMoney, [funding]: amount }), noMoney);
}

/** Grants units again that covered usage which has moved or was taken back, on the terms of what they were taken from. */
export async function returnUnits(
  context: BucketContext,
  customerKey: string,
  { amount, ...use }: Returned,
): Promise<void> {
  const { transaction, bucket } = context;
  const taken = await lastTaken(transaction, { bucketSeq: bucket.seq, customerKey, ...use });
  const source = { customer_key: customerKey, meter: use.meter };
  const reason = "Returned: usage counts elsewhere or was taken back";
  for (const part of partsOf(taken, amount, "paid")) await grantAgain(context, source, part, reason);
}

type Owner = Pick<GrantRow, "id" | "customer_key">;

type InvoiceOwner = Owner & { currency: string; subscription_id: string | null };

/**
 * The parts of what grants paid of an invoice: when it was finalized or collected, and before that for the usage of meters.
 * What no grant paid has the terms of money from a payment.
 */
export async function moneyOfInvoice(
  reads: Reads,
  bucketSeq: number,
  invoice: InvoiceOwner,
  meters: Iterable<string>,
  funding: Funding,
  amount: bigint,
): Promise<MoneyAmount[]> {
  if (amount <= 0n) return [];
  const taken = await moneyTakenFor(reads, bucketSeq, invoice);
  const sources = taken.filter((each) => isBeforeTax(each) === isBeforeTax({ funding }));
  for (const meter of meters) sources.push(...(await lastTakenOf(reads, bucketSeq, invoice, meter, funding)));
  return partsOf(sources, amount, funding);
}

/** The parts of what grants paid for the usage of a meter as it occurred, by their terms. */
export async function moneyUsedFor(
  reads: Reads,
  bucketSeq: number,
  invoice: InvoiceOwner,
  meter: string | undefined,
  { amount, funding }: Pick<MoneyAmount, "amount" | "funding">,
): Promise<MoneyAmount[]> {
  if (amount <= 0n || meter === undefined) return [];
  return partsOf(await lastTakenOf(reads, bucketSeq, invoice, meter, funding), amount, funding);
}

/** The parts of an amount by their terms: from the sources, in order, and what they do not have as money from a payment. */
function partsOf(sources: MoneyAmount[], amount: bigint, funding: Funding): MoneyAmount[] {
  let rest = amount;
  const parts = [...sources, { ...defaultTerms, funding, amount }].map((source) => {
    const part = smaller(source.amount, rest);
    rest -= part;
    return { ...source, amount: part };
  });
  return byTerms(parts.filter((part) => part.amount > 0n));
}

function byTerms(amounts: MoneyAmount[]): MoneyAmount[] {
  const sums = new Map<string, MoneyAmount>();
  for (const each of amounts) {
    const before = sums.get(termsKey(each))?.amount ?? 0n;
    sums.set(termsKey(each), { ...each, amount: before + each.amount });
  }
  return [...sums.values()];
}

function lastTakenOf(
  reads: Reads,
  bucketSeq: number,
  { customer_key: customerKey, currency, subscription_id: subscriptionId }: InvoiceOwner,
  meter: string,
  funding: Funding,
): Promise<MoneyAmount[]> {
  if (subscriptionId === null) return Promise.resolve([]);
  const use = { subscriptionId, meter, currency, isBeforeTax: isBeforeTax({ funding }) };
  return lastTaken(reads, { bucketSeq, customerKey, ...use });
}

/** What was taken last, on the terms of its grants. */
async function lastTaken(reads: Reads, from: CreditSource): Promise<MoneyAmount[]> {
  return (await lastTakenFor(reads, from, maxEntries)).map(moneyFrom);
}

export interface MoneyAmount extends MoneyTerms {
  amount: Minor;
}

type Row = Pick<GrantRow, "funding" | "priority" | "expires_on" | "purchase_id" | "amount"> &
  Partial<Pick<GrantRow, "rollover_seq">>;

/** What was taken is negative. */
function moneyFrom({ funding, priority, expires_on, purchase_id, rollover_seq = null, amount }: Row): MoneyAmount {
  return {
    funding: funding as Funding,
    priority,
    expiresOn: expires_on,
    purchaseId: purchase_id,
    rolloverSeq: rollover_seq,
    amount: BigInt(amount.replace("-", "")),
  };
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
  return byTerms(rows.map(moneyFrom));
}

const returnReasons = { fee: "The unused rest of a fee", usage: "Usage costs less than what was billed" };

/** What was returned of the fees and the usage of an invoice, by its terms. */
export async function moneyReturnedOf(
  reads: Reads,
  bucketSeq: number,
  { id, customer_key }: Owner,
): Promise<MoneyAmount[]> {
  const rows = await reads.all<Row>(
    `SELECT funding, priority, expires_on, purchase_id, amount FROM grants
     WHERE bucket_seq = ? AND customer_key = ? AND invoice_id = ? AND reason IN (?, ?) ORDER BY seq`,
    [bucketSeq, customer_key, id, returnReasons.fee, returnReasons.usage],
  );
  return byTerms(rows.map(moneyFrom));
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

/** Returns money of a fee that was not used, or of usage that costs less than what was billed. */
export function grantReturn(
  context: BucketContext,
  source: Source,
  money: MoneyAmount,
  of: keyof typeof returnReasons,
): Promise<Grant> {
  return grantAgain(context, source, money, returnReasons[of]);
}
