import { locking } from "../../../../platform/storage/query.ts";
import { asSystem, type BucketContext } from "../../metering-buckets/metering-buckets.ts";
import {
  expireGrant,
  type Grant,
  grantAmount,
  remainingCredit,
  usedCredit,
  voidPurchaseGrants,
} from "../credit-grants/grants.ts";
import { lockCustomerBilling } from "../credit-grants/wallet.ts";
import { disableTopUp } from "../customers/customers.ts";
import { mailAbout } from "../invoices/billing-mails.ts";
import { voidInvoice } from "../invoices/invoice-actions.ts";
import { findInvoice, type InvoiceRow } from "../invoices/invoice-store.ts";
import { providerFor } from "../payments/providers.ts";
import { settleCredits } from "../spending/credit-settlement.ts";
import { findPurchase } from "./pack-store.ts";
import { changePurchase, type PackPurchase } from "./present-purchases.ts";

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
  const purchase = await findPurchase(locking(transaction), bucket.seq, purchase_id);
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
  const outcome = await provider.stopPayments(transaction, [seq], act.now);
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
  const purchase = await findPurchase(locking(transaction), bucket.seq, purchase_id);
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
