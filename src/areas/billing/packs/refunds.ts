import { Problem } from "../../../core/problems/problem.ts";
import { smaller } from "../../../lib/money.ts";
import type { Minor } from "../../../lib/text/minor-units.ts";
import { asSystem, type BucketContext } from "../../metering-buckets/metering-buckets.ts";
import { reduceForRefund, remainingCredit } from "../credit-grants/purchase-grants.ts";
import { lockCustomerBilling } from "../credit-grants/wallet.ts";
import { disableTopUp } from "../customers/top-up.ts";
import { applyCredits, insertNote, uncreditedOf } from "../invoices/credit-notes.ts";
import { type Invoice, lockInvoice } from "../invoices/invoices.ts";
import { refundableOf, refundInvoice } from "../invoices/refunds.ts";
import { settleCredits } from "../spending/credit-settlement.ts";
import { changePurchase, type PackPurchase } from "./purchase-changes.ts";
import { findPackPurchase } from "./purchases.ts";

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

/** (Price + tax) × left ÷ granted, rounded down. What was returned already is not returned again. */
export function refundOf({ total, grant_amount }: PackPurchase, invoice: Invoice, left: bigint): Minor {
  const granted = BigInt(grant_amount);
  const share = (BigInt(total) * smaller(left, granted)) / granted;
  return smaller(refundableOf(invoice, share), uncreditedOf(invoice));
}
