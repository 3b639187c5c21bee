import { type Act, serverTimeOf } from "../../../../core/access.ts";
import { recordChange } from "../../../../core/changes/record.ts";
import { formatMinorOf } from "../../../../lib/currencies.ts";
import { smaller } from "../../../../lib/money.ts";
import type { Minor } from "../../../../lib/text/minor-units.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { ChangeKind } from "../../../../platform/storage/change.ts";
import { findRows, lockRow } from "../../../../platform/storage/rows.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../platform/storage/tables.ts";
import {
  asSystem,
  type BucketContext,
  bucketColumns,
  joinBucket,
  type MeteringBucket,
  namedMeteringBucket,
  type OfBucket,
} from "../../metering-buckets/metering-buckets.ts";
import {
  expireGrant,
  type Grant,
  grantAmount,
  remainingCredit,
  usedCredit,
  voidPurchaseGrants,
} from "../credit-grants/grants.ts";
import { lockCustomerBilling } from "../credit-grants/wallet.ts";
import { disableTopUp, readMethod } from "../customers/customers.ts";
import { mailAbout } from "../invoices/billing-mails.ts";
import { uncreditedOf } from "../invoices/credit-notes.ts";
import { voidInvoice } from "../invoices/invoice-actions.ts";
import { findInvoice, type InvoiceRow, invoicesWithIds } from "../invoices/invoice-store.ts";
import { refundableOf } from "../invoices/payments.ts";
import { providerFor } from "../payments/providers.ts";
import type { purchaseStates } from "../schemas/pack-schema.ts";
import { settleCredits } from "../spending/credit-settlement.ts";
import { creditsAt } from "../spending/credit-use.ts";
import { presentPackGrant, presentPrice } from "./packs.ts";

export type PackPurchase = RowOf<"pack_purchases">;

type Kind = Extract<ChangeKind, `pack-purchase.${string}`>;

/** The purchases of a customer that are neither paid nor ended, in order. */
export function openPurchases(reads: Reads, { seq }: Pick<MeteringBucket, "seq">, customerKey: string) {
  return findRows(reads, "pack_purchases", { bucket_seq: seq, customer_key: customerKey, state: "open" });
}

/** Open purchases of buckets with the server's time that can no longer be paid, the first one first. */
export function expiredPurchases(reads: Reads, now: number, limit: number): Promise<(PackPurchase & OfBucket)[]> {
  return reads.all(
    `SELECT pack_purchases.*, ${bucketColumns} FROM pack_purchases ${joinBucket("pack_purchases.bucket_seq")}
     WHERE pack_purchases.state = 'open' AND pack_purchases.expires_on <= ? AND metering_buckets.test_clock IS NULL
     ORDER BY pack_purchases.expires_on, pack_purchases.seq LIMIT ?`,
    [now, limit],
  );
}

/** The open purchase of a bucket that expires first. */
export function firstPurchaseExpiryIn(reads: Reads, bucketSeq: number, until: number) {
  return reads.one<PackPurchase>(
    `SELECT * FROM pack_purchases WHERE bucket_seq = ? AND state = 'open' AND expires_on <= ?
     ORDER BY expires_on, seq LIMIT 1`,
    [bucketSeq, until],
  );
}

/** Changes a purchase, and records it. */
export async function changePurchase(
  context: BucketContext,
  kind: Kind,
  before: PackPurchase,
  values: Partial<PackPurchase>,
): Promise<PackPurchase> {
  const { transaction, act } = context;
  const changed = { ...values, version: before.version + 1, updated_on: act.now };
  await transaction.update("pack_purchases", before.seq, changed);
  const after = { ...before, ...changed };
  recordPurchase(context, kind, after, before);
  return after;
}

export function recordPurchase(
  { transaction, act, bucket }: BucketContext,
  kind: Kind,
  after: PackPurchase,
  before?: PackPurchase,
): void {
  const { id, customer_key: name } = after;
  const snapshots = { before: before && presentPurchase(before), after: presentPurchase(after) };
  const resource = { type: "pack-purchase", id, name, parent: namedMeteringBucket(bucket) };
  recordChange(transaction, act, kind, { ...resource, ...snapshots });
}

export const dayMilliseconds = 24 * 60 * 60 * 1000;

/**
 * To be called after each change of an invoice: grants the credit of a pack that is paid, exactly once, and ends a purchase
 * whose invoice is void. A top-up whose payment failed is not collected any more.
 */
export async function packInvoiceChanged(
  context: BucketContext,
  { id, purchase_id, customer_key }: Pick<InvoiceRow, "id" | "purchase_id" | "customer_key">,
): Promise<void> {
  const { transaction, bucket } = context;
  if (purchase_id === null) return;
  await lockCustomerBilling(transaction, bucket, customer_key);
  const purchase = await lockRow(transaction, "pack_purchases", { bucket_seq: bucket.seq, id: purchase_id });
  if (purchase?.invoice_id !== id) return;
  const invoice = (await findInvoice(transaction, bucket.seq, id))!;
  if (invoice.status === "paid") await deliver(context, purchase, invoice);
  else if (purchase.state !== "open") return;
  else if (invoice.status === "void") await end(context, purchase);
  else if (purchase.is_top_up === 1 && invoice.failed_on !== null && purchase.stopped_on === null)
    await stopPurchase(context, purchase, invoice);
}

async function deliver(context: BucketContext, purchase: PackPurchase, { paid_on }: InvoiceRow): Promise<void> {
  if (purchase.grant_id !== null) return;
  const system = asSystem(context);
  // The credit pays for usage from now on.
  await settleCredits(system, purchase.customer_key, { more: purchase.grant_meter ?? undefined });
  const paidOn = paid_on ?? context.act.now;
  const grant = await grantPack(system, purchase, paidOn);
  await changePurchase(context, "pack-purchase.paid", purchase, {
    state: "paid",
    grant_id: grant.id,
    paid_on: paidOn,
    expires_on: null,
  });
}

/** The time until it expires begins with the payment, also if that is recorded late. */
async function grantPack(
  context: BucketContext,
  { id: purchaseId, customer_key, grant_meter, grant_currency, ...purchase }: PackPurchase,
  paidOn: number,
): Promise<Grant> {
  const { act } = context;
  const { expires_in_days: days, invoice_id: id, label } = purchase;
  const expiresOn = days === null ? null : paidOn + days * dayMilliseconds;
  const source =
    grant_meter === null ? { customer_key, id, currency: grant_currency! } : { customer_key, meter: grant_meter };
  const terms = { funding: "prepaid", expiresOn, purchaseId, reason: label } as const;
  const grant = await grantAmount(context, source, BigInt(purchase.grant_amount), terms);
  const isOver = expiresOn !== null && expiresOn <= act.now;
  return isOver ? expireGrant(context, grant) : grant;
}

/** The invoice cannot be paid any more. A top-up buys nothing until the customer turns it on again. */
async function end(context: BucketContext, purchase: PackPurchase) {
  const isTopUp = purchase.is_top_up === 1;
  const [kind, state] = isTopUp
    ? (["pack-purchase.failed", "failed"] as const)
    : (["pack-purchase.canceled", "canceled"] as const);
  await changePurchase(context, kind, purchase, { state, expires_on: null });
  if (isTopUp) await failTopUp(context, purchase);
}

async function failTopUp(context: BucketContext, purchase: PackPurchase) {
  if (await disableTopUp(context, purchase.customer_key, "payment_failed"))
    await mailAbout(context, "top-up-failed", { ...purchase, id: purchase.invoice_id });
}

/** How long an open purchase is prolonged while its provider may still charge it. */
const prolongedMilliseconds = dayMilliseconds;

/**
 * Ends an open purchase that is not to be paid any more, unless it is paid outside of Tollgate. A provider that may still
 * charge the invoice stops first: until it confirms that, the purchase is open, and a payment is delivered.
 */
export async function stopPurchase(
  context: BucketContext,
  purchase: PackPurchase,
  { id, seq }: Pick<InvoiceRow, "id" | "seq">,
): Promise<void> {
  const { transaction, act, bucket } = context;
  if (purchase.is_top_up === 1) await failTopUp(context, purchase);
  const provider = await providerFor(transaction, act, bucket);
  const outcome = await provider.stopPayments(transaction, [seq], serverTimeOf(act));
  if (outcome === "stopped") {
    await voidInvoice(context, id);
    await end(context, purchase);
  } else {
    const expires_on = outcome === "stopping" ? act.now + prolongedMilliseconds : null;
    const stopped_on = purchase.stopped_on ?? act.now;
    await transaction.update("pack_purchases", purchase.seq, { expires_on, stopped_on });
  }
}

/**
 * The provider has returned the payment, or the customer's bank demands it back: what is left of the credit is void, and
 * what was used by then is kept for the comparison.
 */
export async function reversePurchase(
  context: BucketContext,
  { purchase_id, customer_key }: Pick<InvoiceRow, "purchase_id" | "customer_key">,
): Promise<void> {
  const { transaction, act, bucket } = context;
  if (purchase_id === null) return;
  await lockCustomerBilling(transaction, bucket, customer_key);
  const purchase = await lockRow(transaction, "pack_purchases", { bucket_seq: bucket.seq, id: purchase_id });
  if (!purchase || purchase.grant_id === null) return;
  await settleCredits(asSystem(context), customer_key);
  const left = await remainingCredit(transaction, bucket.seq, purchase_id, act.now);
  if (purchase.reversed_on !== null && left === 0n) return;
  await voidPurchaseGrants(context, purchase_id);
  // An active top-up would charge the same customer again.
  await disableTopUp(context, customer_key, "refunded");
  const used = await usedCredit(transaction, bucket.seq, { purchaseId: purchase_id, grantId: purchase.grant_id });
  await changePurchase(context, "pack-purchase.reversed", purchase, {
    reversed_on: purchase.reversed_on ?? act.now,
    reversed_used: String(used),
  });
}

/**
 * Purchases of a customer with the refunds of their invoices, and whether the bank requires a second step.
 * @param refundedOn the time for which to compute what a refund would return; it is not computed without one
 * @param withUrl whether to show the page of an open payment, whose address permits to replace the payment method
 */
export async function presentPurchases(
  reads: Reads,
  act: Pick<Act, "account">,
  bucket: MeteringBucket,
  customerKey: string,
  purchases: PackPurchase[],
  { refundedOn, withUrl }: { refundedOn?: number; withUrl: boolean },
) {
  const provider = await providerFor(reads, act, bucket);
  const isConfirmed = !provider.needsConfirmation?.(await readMethod(reads, bucket, customerKey));
  const isRefundable = refundedOn !== undefined && purchases.some(({ state }) => state === "paid");
  const left = isRefundable ? await leftAt(reads, bucket, customerKey, refundedOn) : new Map<string, bigint>();
  const ids = purchases.map(({ invoice_id }) => invoice_id);
  const invoices = new Map((await invoicesWithIds(reads, bucket, ids)).map((invoice) => [invoice.id, invoice]));
  return purchases.map((purchase) => {
    const invoice = invoices.get(purchase.invoice_id);
    if (!invoice) return presentPurchase(purchase);
    const refund = purchase.state === "paid" ? refundOf(purchase, invoice, left.get(purchase.id) ?? 0n) : 0n;
    return {
      ...presentPurchase(purchase),
      ...invoiceFields(purchase, invoice, { isConfirmed, withUrl }),
      ...(refund > 0n ? { refundable: formatMinorOf(invoice.currency, refund) } : {}),
    };
  });
}

/** What of each purchase can be used after the usage so far, by its id. */
async function leftAt(reads: Reads, bucket: MeteringBucket, customerKey: string, now: number) {
  const { wallet } = await creditsAt(reads, bucket, customerKey, now);
  const left = new Map<string, bigint>();
  for (const { purchase_id: id, balance, expires_on } of wallet.grants)
    if (id !== null && (expires_on === null || now < expires_on)) left.set(id, (left.get(id) ?? 0n) + BigInt(balance));
  return left;
}

function invoiceFields(
  { state }: PackPurchase,
  { refunded, currency, collection_url: url, ...invoice }: InvoiceRow,
  { isConfirmed, withUrl }: { isConfirmed: boolean; withUrl: boolean },
) {
  const isWaiting = state === "open" && invoice.status === "open";
  const needsAction = isWaiting && (invoice.collection_state === "needs_action" || !isConfirmed);
  return {
    ...(needsAction ? { needsAction, ...(withUrl && url !== null ? { url } : {}) } : {}),
    ...(refunded === "0" ? {} : { refunded: formatMinorOf(currency, refunded) }),
  };
}

export function presentPurchase(purchase: PackPurchase) {
  const { currency, total, paid_on, expires_on, reversed_on } = purchase;
  const isOpen = purchase.state === "open";
  return {
    id: purchase.id,
    customerKey: purchase.customer_key,
    packExternalId: purchase.pack_external_id,
    label: purchase.label,
    isTopUp: purchase.is_top_up === 1,
    state: purchase.state as (typeof purchaseStates)[number],
    price: presentPrice(purchase),
    total: { currency, amount: formatMinorOf(currency, total) },
    grant: presentPackGrant(purchase),
    invoiceId: purchase.invoice_id,
    ...(purchase.grant_id === null ? {} : { grantId: purchase.grant_id }),
    ...(paid_on === null ? {} : { paidOn: formatDateTime(paid_on) }),
    ...(isOpen && expires_on !== null ? { expiresOn: formatDateTime(expires_on) } : {}),
    ...(reversed_on === null ? {} : { reversedOn: formatDateTime(reversed_on) }),
    createdOn: formatDateTime(purchase.created_on),
    updatedOn: formatDateTime(purchase.updated_on),
  };
}

/** (Price + tax) × left ÷ granted, rounded down. What was returned already is not returned again. */
export function refundOf({ total, grant_amount }: PackPurchase, invoice: InvoiceRow, left: bigint): Minor {
  const granted = BigInt(grant_amount);
  const share = (BigInt(total) * smaller(left, granted)) / granted;
  return smaller(refundableOf(invoice, share), uncreditedOf(invoice));
}
