import type { Minor } from "../../../../lib/text/minor-units.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { BucketContext } from "../../metering-buckets/metering-buckets.ts";
import { type CreditSource, type GrantRow, hasEnded, isReversed, lastTakenFor } from "./grant-store.ts";
import { expireGrant, type Grant, grantAmount, voidGrant } from "./grants.ts";
import { defaultTerms, isBeforeTax, type Money, type MoneyTerms, noMoney, plus, termsKey } from "./money-terms.ts";

export type { MoneyTerms } from "./money-terms.ts";

/** Entries of the ledger in which the grants that paid are looked for: there is one for each hour and grant. */
const maxEntries = 1_000;

interface Returned {
  subscriptionId: string;
  meter: string;
  amount: bigint;
}

/**
 * Grants money again that paid for a cost that no longer exists, with the expiry and priority of what it was taken from.
 * Returns which money it is.
 */
export async function returnMoney(
  context: BucketContext,
  customerKey: string,
  { amount, currency, funding, ...use }: Returned & { currency: string; funding: MoneyTerms["funding"] },
): Promise<Money> {
  const { transaction, bucket } = context;
  const from = { bucketSeq: bucket.seq, customerKey, ...use, currency, isBeforeTax: isBeforeTax({ funding }) };
  const source = { id: use.subscriptionId, customer_key: customerKey, currency };
  const reason = "Returned: usage costs less";
  const parts = [...(await partsOf(transaction, from, amount, funding))];
  for (const part of parts) await grantAgain(context, source, part, reason);
  return moneyOf(parts);
}

/** The sums of amounts by their funding. */
export function moneyOf(parts: MoneyAmount[]): Money {
  return parts.reduce((sum, { funding, amount }) => plus(sum, { ...noMoney, [funding]: amount }), noMoney);
}

/** Grants units again that covered usage which has moved or was taken back, with the funding, expiry and priority of what they were taken from. */
export async function returnUnits(
  context: BucketContext,
  customerKey: string,
  { amount, ...use }: Returned,
): Promise<void> {
  const { transaction, bucket } = context;
  const from = { bucketSeq: bucket.seq, customerKey, ...use };
  const source = { customer_key: customerKey, meter: use.meter };
  const reason = "Returned: usage counts elsewhere or was taken back";
  for (const part of await partsOf(transaction, from, amount, "paid")) await grantAgain(context, source, part, reason);
}

interface InvoiceOwner {
  customer_key: string;
  currency: string;
  subscription_id: string | null;
}

/**
 * The parts of what grants paid of an invoice: when it was finalized or collected, and before that for the usage of meters.
 * What no grant paid has the terms of money from a payment.
 */
export async function moneyOfInvoice(
  transaction: WriteTransaction,
  bucketSeq: number,
  invoice: InvoiceOwner & { id: string },
  meters: Iterable<string>,
  funding: MoneyTerms["funding"],
  amount: bigint,
): Promise<MoneyAmount[]> {
  if (amount <= 0n) return [];
  const { customer_key: customerKey, currency, subscription_id: subscriptionId } = invoice;
  const kind = isBeforeTax({ funding });
  const taken = await moneyTakenFor(transaction, bucketSeq, invoice);
  const sources: MoneyAmount[] = taken.filter((each) => isBeforeTax(each) === kind);
  if (subscriptionId !== null)
    for (const meter of meters) {
      const from = { bucketSeq, customerKey, subscriptionId, meter, currency, isBeforeTax: kind };
      sources.push(...(await lastTaken(transaction, from)));
    }
  const parts = new Map<string, MoneyAmount>();
  let rest = amount;
  for (const source of [...sources, { ...defaultTerms, funding, amount }]) {
    const part = source.amount < rest ? source.amount : rest;
    if (part <= 0n) continue;
    const key = termsKey(source);
    parts.set(key, { ...source, amount: (parts.get(key)?.amount ?? 0n) + part });
    rest -= part;
  }
  return [...parts.values()];
}

/** The parts of what grants paid for the usage of a meter as it occurred, by their terms. */
export async function moneyUsedFor(
  transaction: WriteTransaction,
  bucketSeq: number,
  { customer_key: customerKey, currency, subscription_id }: InvoiceOwner,
  meter: string,
  { amount, funding }: Pick<MoneyAmount, "amount" | "funding">,
): Promise<Iterable<MoneyAmount>> {
  if (amount <= 0n) return [];
  const use = { subscriptionId: subscription_id!, meter, currency, isBeforeTax: isBeforeTax({ funding }) };
  const from = { bucketSeq, customerKey, ...use };
  return partsOf(transaction, from, amount, funding);
}

/** The parts of an amount by the grants that it was taken from last. */
async function partsOf(
  transaction: WriteTransaction,
  from: CreditSource,
  amount: bigint,
  otherwise: MoneyTerms["funding"],
): Promise<Iterable<MoneyAmount>> {
  const parts = new Map<string, MoneyAmount>();
  let rest = amount;
  const add = (part: MoneyAmount) => {
    const key = termsKey(part);
    parts.set(key, { ...part, amount: (parts.get(key)?.amount ?? 0n) + part.amount });
    rest -= part.amount;
  };
  for (const { amount: consumed, ...terms } of await lastTaken(transaction, from)) {
    if (rest === 0n) break;
    add({ ...terms, amount: consumed < rest ? consumed : rest });
  }
  if (rest > 0n) add({ ...defaultTerms, funding: otherwise, amount: rest });
  return parts.values();
}

/** What was taken last, on the terms of its grants. */
async function lastTaken(transaction: WriteTransaction, from: CreditSource): Promise<MoneyAmount[]> {
  const rows = await lastTakenFor(transaction, from, maxEntries);
  return rows.map(({ funding, priority, expires_on, purchase_id, rollover_seq, amount }) => ({
    funding: funding as MoneyTerms["funding"],
    priority,
    expiresOn: expires_on,
    purchaseId: purchase_id,
    rolloverSeq: rollover_seq,
    amount: -BigInt(amount),
  }));
}

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
