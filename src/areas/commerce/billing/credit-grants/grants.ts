import type { z } from "zod";
import { type Act, serverTimeOf } from "../../../../core/access.ts";
import { invalid, notFound, Problem } from "../../../../core/problems/problem.ts";
import { amountOf } from "../../../../lib/amount.ts";
import { minorDigits } from "../../../../lib/currencies.ts";
import { newId } from "../../../../lib/ids.ts";
import { smaller } from "../../../../lib/money.ts";
import { parseMinor } from "../../../../lib/text/minor-units.ts";
import { insertRow, locking, type OneRead } from "../../../../platform/storage/query.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import type { BucketContext, MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { limitsChanged } from "../../subscriptions/state.ts";
import type { grantInput } from "../schemas/grant-schema.ts";
import * as store from "./grant-store.ts";
import { defaultPriority, defaultTerms, type MoneyTerms } from "./money-terms.ts";
import { recordGrant } from "./present-grant.ts";
import { changeGrant, lockCustomerBilling } from "./wallet.ts";

export type Grant = store.GrantRow;
export type GrantInput = z.output<typeof grantInput>;

export { listCustomerEntries, listEntries, listGrants } from "./grant-store.ts";

export async function findGrant(
  reads: OneRead,
  bucket: MeteringBucket,
  customerKey: string,
  id: string,
): Promise<Grant> {
  const grant = await store.findGrant(reads, bucket.seq, customerKey, id);
  if (!grant) throw notFound("grant");
  return grant;
}

/** Checks the amount and the times. The customer must exist. */
export function requireValidGrant(act: Act, { meter, currency, amount, effectiveOn, expiresOn }: GrantInput): void {
  if ((meter === undefined) === (currency === undefined))
    throw invalid(meter === undefined ? "/meter" : "/currency", "exactly one of meter and currency is required");
  if (meter !== undefined && typeof amount !== "number")
    throw invalid("/amount", "must be a number: it counts units of a meter");
  if (currency !== undefined && typeof amount !== "string")
    throw invalid("/amount", "must be a decimal as text, such as 25.00");
  if (currency !== undefined) moneyOf(currency, amount as string);
  if (expiresOn !== undefined && expiresOn <= Math.max(effectiveOn ?? act.now, act.now))
    throw invalid("/expiresOn", "must be in the future and after effectiveOn");
}

function moneyOf(currency: string, amount: string): bigint {
  const digits = minorDigits(currency)!;
  const minor = parseMinor(amount, digits);
  if (minor === undefined) throw invalid("/amount", `must have at most ${digits} decimals in ${currency}`);
  return minor;
}

/** Creates a grant. Usage before it must be compared with credits first; see grant-actions.ts. */
export function createGrant(context: BucketContext, customerKey: string, input: GrantInput): Promise<Grant> {
  const { act } = context;
  requireValidGrant(act, input);
  const { meter, currency, amount, funding, priority, effectiveOn, expiresOn, reason } = input;
  const units = currency === undefined ? amountOf(amount as number)! : moneyOf(currency, amount as string);
  return grantAmount(context, { customer_key: customerKey, meter, currency }, units, {
    funding,
    priority: priority ?? defaultPriority,
    effectiveOn,
    expiresOn: expiresOn ?? null,
    reason,
  });
}

/** A meter whose units are granted, or the currency of money, which may be that of an invoice. */
interface GrantSource {
  customer_key: string;
  meter?: string | undefined;
  currency?: string | undefined;
  id?: string | undefined;
}

/** Grants money that was paid or credited, the rest of an invoice with a negative total, for example, or units again. */
export async function grantAmount(
  context: BucketContext,
  { customer_key, id, currency, meter }: GrantSource,
  amount: bigint,
  {
    reason,
    effectiveOn,
    ...terms
  }: Partial<MoneyTerms> & { reason?: string | undefined; effectiveOn?: number | undefined },
): Promise<Grant> {
  const { transaction, act, bucket } = context;
  const { funding, priority, expiresOn, purchaseId, rolloverSeq } = { ...defaultTerms, ...terms };
  await lockCustomerBilling(transaction, bucket, customer_key);
  await limitsChanged(context, customer_key);
  const row = await insertRow(transaction, "grants", {
    id: newId("grnt", serverTimeOf(act)),
    bucket_seq: bucket.seq,
    customer_key,
    meter: meter ?? null,
    currency: currency ?? null,
    funding,
    priority,
    effective_on: effectiveOn ?? act.now,
    expires_on: expiresOn,
    reason: reason ?? null,
    invoice_id: id ?? null,
    purchase_id: purchaseId,
    rollover_seq: rolloverSeq,
    amount: String(amount),
    balance: String(amount),
    ended_on: null,
    voided_on: null,
    version: 1,
    created_on: act.now,
    updated_on: act.now,
  });
  await store.insertEntry(context, row, "granted", amount, { invoiceId: row.invoice_id });
  await store.reviseCredits(transaction, bucket.seq, customer_key, nextHour(act.now));
  recordGrant(context, "grant.created", row);
  return row;
}

const hourMilliseconds = 60 * 60 * 1000;

/** Usage is compared with credits at the end of each hour. */
export function nextHour(now: number): number {
  return (Math.floor(now / hourMilliseconds) + 1) * hourMilliseconds;
}

/** Ends a grant: what is left of it can no longer be used. */
export async function voidGrant(context: BucketContext, customerKey: string, id: string): Promise<Grant> {
  const { transaction, bucket } = context;
  const grant = await findGrant(locking(transaction), bucket, customerKey, id);
  if (grant.ended_on !== null) throw new Problem("grant_ended");
  return end(context, grant, "voided");
}

export function expireGrant(context: BucketContext, grant: Grant): Promise<Grant> {
  return end(context, grant, "expired");
}

async function end(context: BucketContext, grant: Grant, kind: "expired" | "voided"): Promise<Grant> {
  const { now } = context.act;
  const values = { balance: "0", ended_on: now, ...(kind === "voided" ? { voided_on: now } : {}) };
  const purpose = { invoiceId: grant.invoice_id };
  const after = await changeGrant(context, grant, kind, -BigInt(grant.balance), values, purpose);
  await creditsChanged(context, grant.customer_key);
  return after;
}

/** After credit was added or taken by something else than usage. */
export async function creditsChanged(context: BucketContext, customerKey: string): Promise<void> {
  const { transaction, act, bucket } = context;
  await store.reviseCredits(transaction, bucket.seq, customerKey, nextHour(act.now));
  await limitsChanged(context, customerKey);
}

/** The time is part of it: a grant that expires is a change, though nothing is written. */
export function revisionOfGrant({ id, version, expires_on, effective_on }: Grant, now: number) {
  const phase = expires_on !== null && now >= expires_on ? "expired" : effective_on > now ? "scheduled" : "active";
  return { id, version: `${version}-${phase}` };
}

/** Whether the customer has, or had, grants or caps. */
export async function hasCredits(reads: Reads, bucket: MeteringBucket, customerKey: string): Promise<boolean> {
  return (await store.creditRevision(reads, bucket.seq, customerKey)) > 0;
}

/** The money that can be used now, by currency. */
export async function balancesOf(reads: Reads, bucket: MeteringBucket, customerKey: string, now: number) {
  const balances = new Map<string, bigint>();
  for (const grant of await store.grantsInOrder(reads, bucket.seq, customerKey)) {
    const { currency, balance, effective_on, expires_on } = grant;
    if (currency === null || balance === "0" || effective_on > now || (expires_on !== null && now >= expires_on))
      continue;
    balances.set(currency, (balances.get(currency) ?? 0n) + BigInt(balance));
  }
  return [...balances].sort(([left], [right]) => (left < right ? -1 : 1));
}

/** A purchase of a credit pack. Credit of it that was used and returned is a grant of its own. */
interface Purchased {
  purchaseId: string;
  /** The first grant of the purchase. */
  grantId: string;
}

/** Returns the credit of a purchase that can be used now. */
export async function remainingCredit(reads: Reads, bucketSeq: number, purchaseId: string, now: number) {
  return (await usableGrants(reads, bucketSeq, purchaseId, now)).reduce((sum, each) => sum + BigInt(each.balance), 0n);
}

async function usableGrants(reads: Reads, bucketSeq: number, purchaseId: string, now: number): Promise<Grant[]> {
  const grants = await store.grantsOfPurchase(reads, bucketSeq, purchaseId);
  return grants.filter(
    ({ balance, ended_on, expires_on }) =>
      balance !== "0" && ended_on === null && (expires_on === null || now < expires_on),
  );
}

/** Returns the credit of a purchase that was used and not returned. */
export async function usedCredit(reads: Reads, bucketSeq: number, { purchaseId, grantId }: Purchased) {
  let used = 0n;
  for (const grant of await store.grantsOfPurchase(reads, bucketSeq, purchaseId)) {
    for (const amount of await store.entryAmounts(reads, grant.seq, "consumed")) used -= BigInt(amount);
    if (grant.id !== grantId) used -= BigInt(grant.amount);
  }
  return used > 0n ? used : 0n;
}

/** Removes the remaining credit of a purchase that a credit note refunds. */
export async function reduceForRefund(context: BucketContext, purchaseId: string, noteId: string): Promise<void> {
  const { transaction, act, bucket } = context;
  for (const grant of await usableGrants(transaction, bucket.seq, purchaseId, act.now))
    await changeBalance(context, grant, "refunded", -BigInt(grant.balance), noteId);
}

/**
 * Grants again what was taken for a refund that failed, on the same grants. What has expired in the meantime expires at once.
 * @param failed the part of `whole` that was not returned
 */
export async function restoreAfterRefund(
  context: BucketContext,
  purchaseId: string,
  noteId: string,
  { failed, whole }: { failed: bigint; whole: bigint },
): Promise<void> {
  const { transaction, act, bucket } = context;
  for (const grant of await store.grantsOfPurchase(transaction, bucket.seq, purchaseId)) {
    let taken = 0n;
    for (const amount of await store.entryAmounts(transaction, grant.seq, "refunded", noteId)) taken -= BigInt(amount);
    const amount = smaller((taken * failed) / whole, taken);
    if (amount <= 0n || grant.voided_on !== null) continue;
    const restored = await changeBalance(context, grant, "restored", amount, noteId);
    const isOver = grant.expires_on !== null && grant.expires_on <= act.now;
    if (isOver) await expireGrant(context, { ...restored, ended_on: null });
  }
}

/** Voids all that is left of a purchase. */
export async function voidPurchaseGrants(context: BucketContext, purchaseId: string): Promise<void> {
  const { transaction, act, bucket } = context;
  for (const { customer_key, id } of await usableGrants(transaction, bucket.seq, purchaseId, act.now))
    await voidGrant(context, customer_key, id);
}

async function changeBalance(
  context: BucketContext,
  before: Grant,
  kind: "refunded" | "restored",
  amount: bigint,
  noteId: string,
): Promise<Grant> {
  const balance = String(BigInt(before.balance) + amount);
  const after = await changeGrant(context, before, kind, amount, { balance }, { invoiceId: noteId });
  await creditsChanged(context, before.customer_key);
  return after;
}
