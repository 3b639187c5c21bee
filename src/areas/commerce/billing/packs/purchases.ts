import { type Cause, serverTimeOf, systemAct } from "../../../../core/access.ts";
import { invalid, notFound, Problem } from "../../../../core/problems/problem.ts";
import { newId } from "../../../../lib/ids.ts";
import type { Paging } from "../../../../lib/paging.ts";
import { insertRow } from "../../../../platform/storage/query.ts";
import { findRow, lockRow, pageOfRows } from "../../../../platform/storage/rows.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { asSystem, type BucketContext, type MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { reduceForRefund, remainingCredit } from "../credit-grants/grants.ts";
import { lockCustomerBilling } from "../credit-grants/wallet.ts";
import { disableTopUp, findCustomer, methodOf } from "../customers/customers.ts";
import { applyCredits, insertNote } from "../invoices/credit-notes.ts";
import { voidInvoice } from "../invoices/invoice-actions.ts";
import { createDraft, finalize, findInvoice, type Invoice, lockInvoice } from "../invoices/invoices.ts";
import { refundInvoice } from "../invoices/payments.ts";
import type { PaymentProvider } from "../payments/interface.ts";
import { isBeingCharged, providerFor } from "../payments/providers.ts";
import { profileOf } from "../settings/settings.ts";
import { settleCredits } from "../spending/credit-settlement.ts";
import {
  changePurchase,
  openPurchases,
  type PackPurchase,
  packInvoiceChanged,
  recordPurchase,
  refundOf,
  stopPurchase,
} from "./pack-purchases.ts";
import { type Pack, packNamed } from "./packs.ts";

/** How long a purchase may be paid online. */
const purchaseMilliseconds = 24 * 60 * 60 * 1000;

export { openPurchases };

export function listPurchases(reads: Reads, { seq: bucket_seq }: MeteringBucket, customer_key: string, paging: Paging) {
  return pageOfRows(reads, "pack_purchases", { bucket_seq, customer_key }, paging);
}

export async function findPackPurchase(
  reads: Reads,
  bucket: MeteringBucket,
  customerKey: string,
  id: string,
): Promise<PackPurchase> {
  const purchase = await findRow(reads, "pack_purchases", { bucket_seq: bucket.seq, id });
  if (purchase?.customer_key !== customerKey) throw notFound("purchase");
  return purchase;
}

/**
 * Sells a pack to a customer who chose it. It replaces a purchase that was not paid online. Throws 409 while such a purchase
 * is being charged: the customer might pay twice.
 */
export async function purchasePack(
  context: BucketContext,
  customerKey: string,
  packExternalId: string,
): Promise<PackPurchase> {
  const { transaction, act, bucket } = context;
  await lockCustomerBilling(transaction, bucket, customerKey);
  await findCustomer(transaction, bucket, customerKey);
  const pack = await packNamed(transaction, bucket, packExternalId);
  if (!pack) throw invalid("/packExternalId", "is not a credit pack of the bucket");
  const provider = await providerFor(transaction, act, bucket);
  if (provider.paysOnline) await cancelUnpaid(context, customerKey);
  return sellPack(context, customerKey, pack, { isTopUp: false });
}

/** Whether the customer has to go to a page: not if it is paid, or if the provider charges a method that it has. */
export async function needsPaymentPage(
  reads: Reads,
  bucket: MeteringBucket,
  { state, customer_key }: Pick<PackPurchase, "state" | "customer_key">,
  provider: PaymentProvider,
): Promise<boolean> {
  if (state !== "open" || !provider.paysOnline) return false;
  const hasMethod = methodOf(await findCustomer(reads, bucket, customer_key)) !== undefined;
  return !(provider.keepsMethods && hasMethod);
}

async function cancelUnpaid(context: BucketContext, customerKey: string) {
  const { transaction, bucket } = context;
  const open = await openPurchases(transaction, bucket, customerKey);
  for (const { invoice_id } of open.filter(({ is_top_up }) => is_top_up === 0)) {
    const invoice = await findInvoice(transaction, bucket, invoice_id);
    if (await isBeingCharged(transaction, [invoice.seq])) throw new Problem("payment_in_progress");
    const voided = await voidInvoice(context, invoice.id);
    await packInvoiceChanged(context, voided);
  }
}

/** The customer's billing must be locked. */
export async function sellPack(
  context: BucketContext,
  customerKey: string,
  pack: Pack,
  { isTopUp }: { isTopUp: boolean },
): Promise<PackPurchase> {
  const { transaction, act, bucket } = context;
  const profile = await profileOf(transaction, act.account.seq);
  if (!profile) throw new Problem("billing_profile_missing");
  const provider = await providerFor(transaction, act, bucket);
  const id = newId("pprc", serverTimeOf(act));
  const draft = await createDraft(context, {
    customerKey,
    purchaseId: id,
    currency: pack.currency,
    lines: [
      {
        kind: "pack",
        description: pack.label,
        quantity: 1,
        amount: BigInt(pack.price),
        periodStart: act.now,
        periodEnd: act.now,
      },
    ],
    finalizesOn: null,
  });
  const invoice = await finalize(context, draft, profile);
  const total = BigInt(invoice.total);
  if (provider.payable(total, pack.currency) !== total) throw new Problem("credit_pack_not_payable");
  const purchase = await insertRow(transaction, "pack_purchases", {
    id,
    bucket_seq: bucket.seq,
    customer_key: customerKey,
    pack_external_id: pack.external_id,
    label: pack.label,
    is_top_up: isTopUp ? 1 : 0,
    state: "open",
    currency: pack.currency,
    price: pack.price,
    total: invoice.total,
    grant_meter: pack.grant_meter,
    grant_currency: pack.grant_currency,
    grant_amount: pack.grant_amount,
    expires_in_days: pack.expires_in_days,
    invoice_id: invoice.id,
    grant_id: null,
    paid_on: null,
    expires_on: provider.paysOnline ? act.now + purchaseMilliseconds : null,
    stopped_on: null,
    reversed_on: null,
    reversed_used: null,
    version: 1,
    created_on: act.now,
    updated_on: act.now,
  });
  recordPurchase(context, "pack-purchase.created", purchase);
  await packInvoiceChanged(context, invoice);
  return (await findRow(transaction, "pack_purchases", { bucket_seq: bucket.seq, id }))!;
}

/** Ends a purchase that was not paid in time. */
export async function expirePurchase(
  context: BucketContext<Cause>,
  due: Pick<PackPurchase, "id" | "customer_key" | "expires_on">,
): Promise<void> {
  const { transaction, act: cause, bucket } = context;
  await lockCustomerBilling(transaction, bucket, due.customer_key);
  const purchase = await lockRow(transaction, "pack_purchases", { bucket_seq: bucket.seq, id: due.id });
  // Another node may have ended it in the meantime.
  if (purchase?.state !== "open" || purchase.expires_on !== due.expires_on) return;
  const act = systemAct(cause, due.expires_on!);
  const invoice = await findInvoice(transaction, bucket, purchase.invoice_id);
  await stopPurchase({ ...context, act }, purchase, invoice);
}

/** Cancels the unpaid purchases of a customer whose account is deleted. */
export async function endPurchases(context: BucketContext, customerKey: string): Promise<void> {
  const { transaction, bucket } = context;
  for (const { invoice_id } of await openPurchases(transaction, bucket, customerKey)) {
    const voided = await voidInvoice(context, invoice_id);
    await packInvoiceChanged(context, voided);
  }
}

/**
 * Returns the price of what is left of a pack, with tax, by a credit note, and takes what is left first. If the refund fails,
 * it is restored. Returns the credit note.
 */
export async function refundPack(context: BucketContext, customerKey: string, purchaseId: string): Promise<Invoice> {
  const { transaction, act, bucket } = context;
  await lockCustomerBilling(transaction, bucket, customerKey);
  const purchase = await findPackPurchase(transaction, bucket, customerKey, purchaseId);
  if (purchase.state !== "paid") throw new Problem("purchase_not_paid");
  const invoice = await lockInvoice(transaction, bucket, purchase.invoice_id);
  await settleCredits(asSystem(context), customerKey);
  const left = await remainingCredit(transaction, bucket.seq, purchaseId, act.now);
  const amount = refundOf(purchase, invoice, left);
  if (amount <= 0n) throw new Problem("nothing_to_refund");
  const line = { kind: "credit", description: `Unused: ${purchase.label}`, quantity: 1, amount } as const;
  const credit = { ...line, periodStart: act.now, periodEnd: act.now };
  const note = await insertNote(context, invoice, [credit], {
    collected: String(amount),
    refunded: String(amount),
    refund_state: "pending",
    payment_reference: null,
  });
  await applyCredits(context, invoice, [credit], { refunded: amount });
  await reduceForRefund(context, purchaseId, note.id);
  // An active top-up would buy the refunded credit again.
  await disableTopUp(context, customerKey, "refunded");
  await changePurchase(context, "pack-purchase.refunded", purchase, {});
  return refundInvoice(context, invoice, note);
}
