import { serverTimeOf } from "../../../../core/access.ts";
import { recordChange } from "../../../../core/changes/record.ts";
import { ifFound } from "../../../../core/problems/problem.ts";
import type { Minor } from "../../../../lib/text/minor-units.ts";
import type { ChangeKind } from "../../../../platform/storage/change.ts";
import { locking } from "../../../../platform/storage/query.ts";
import { type BucketContext, namedMeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { type PaymentData, setBilling } from "../../subscriptions/state.ts";
import { findRowForUpdate } from "../../subscriptions/subscriptions.ts";
import { creditsChanged, grantAmount, restoreAfterRefund } from "../credit-grants/grants.ts";
import { beforeTaxIn } from "../credit-grants/money-terms.ts";
import { grantAgain, moneyOfInvoice } from "../credit-grants/returned-credits.ts";
import { lockCustomerBilling, lockEndedPeriods, Wallet } from "../credit-grants/wallet.ts";
import { readMethod } from "../customers/customers.ts";
import type { PaymentProvider } from "../payments/interface.ts";
import { invoiceUpdated, modeOf, providerFor } from "../payments/providers.ts";
import { creditLine, type DraftLine, invoiceLinesOf } from "../plan-terms/lines.ts";
import { profileOf } from "../settings/settings.ts";
import { mailAbout, mailAccess } from "./billing-mails.ts";
import * as store from "./invoice-store.ts";
import { presentInvoice } from "./present-invoice.ts";

type Invoice = store.InvoiceRow;
type Payable = Pick<Invoice, "id" | "customer_key" | "currency" | "created_on" | "from_credits">;

async function openWallet({ transaction, act, bucket }: BucketContext, customerKey: string) {
  await lockEndedPeriods(transaction, bucket, customerKey);
  const wallet = await Wallet.read(transaction, bucket.seq, customerKey, act.now);
  // What is left of money depends on all usage.
  if (wallet.grants.length > 0) await lockCustomerBilling(transaction, bucket, customerKey);
  return wallet;
}

/** Money that pays an invoice is no longer there for prepaid usage. */
async function saveWallet(context: BucketContext, customerKey: string, wallet: Wallet): Promise<void> {
  if (!wallet.hasChanged) return;
  await wallet.save(context);
  await creditsChanged(context, customerKey);
}

/**
 * Pays an invoice that is being finalized with what is left of money grants, in order: promotional and prepaid money
 * reduces it before tax, paid money pays it after tax. `paid` includes what grants paid as usage occurred, `left` is what is left of
 * paid grants.
 */
export async function payWithGrants(
  context: BucketContext,
  draft: Payable & Pick<Invoice, "subscription_id" | "lines">,
  subtotal: Minor,
  taxOn: (subtotal: Minor) => Minor,
): Promise<{ lines: DraftLine[]; paid: Minor; left: Minor }> {
  const { transaction, bucket } = context;
  const wallet = await openWallet(context, draft.customer_key);
  const totalOf = (net: Minor) => net + taxOn(net);
  let paid = BigInt(draft.from_credits);
  let net = subtotal;
  let prepaid = 0n;
  const purpose = { invoiceId: draft.id };
  for (const grant of wallet.usable({ currency: draft.currency })) {
    if (totalOf(net) <= paid) break;
    if (grant.funding === "paid") paid += wallet.take([grant], totalOf(net) - paid, purpose).paid;
    else {
      const taken = wallet.take([grant], largestReduction(net, paid, totalOf), purpose);
      net -= beforeTaxIn(taken);
      prepaid += taken.prepaid;
    }
  }
  await saveWallet(context, draft.customer_key, wallet);
  // A customer without tax pays less than prices that include it, and credits of a plan change reduce an invoice.
  const total = totalOf(net);
  if (paid > total) {
    const meters = new Set(invoiceLinesOf(draft).flatMap(({ meter }) => meter ?? []));
    const reason = "Returned: grants paid more than the total of an invoice";
    for (const money of await moneyOfInvoice(transaction, bucket.seq, draft, meters, "paid", paid - total))
      await grantAgain(context, draft, money, reason);
    paid = total;
  }
  const period = { periodStart: draft.created_on, periodEnd: draft.created_on };
  const promotional = subtotal - net - prepaid;
  const lines = [
    ...(promotional === 0n ? [] : [creditLine("promotional", promotional, period)]),
    ...(prepaid === 0n ? [] : [creditLine("prepaid", prepaid, period)]),
  ];
  return { lines, paid, left: wallet.balanceOf({ currency: draft.currency }, "paid") };
}

/** The largest amount by which a subtotal can be reduced so that the total covers what was paid. */
function largestReduction(net: Minor, paid: Minor, totalOf: (net: Minor) => Minor): Minor {
  let low = 0n;
  let high = net > 0n ? net : 0n;
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if (totalOf(net - middle) >= paid) low = middle;
    else high = middle - 1n;
  }
  return low;
}

/** Pays as much of an open invoice as paid grants have. Returns what remains due. */
export async function payFromGrants(
  context: BucketContext,
  { id, customer_key, currency, amount_due }: Payable & Pick<Invoice, "amount_due">,
): Promise<Minor> {
  const due = BigInt(amount_due);
  if (due <= 0n) return due;
  const wallet = await openWallet(context, customer_key);
  const { paid } = wallet.take(wallet.usable({ currency }, "paid"), due, { invoiceId: id });
  await saveWallet(context, customer_key, wallet);
  return due - paid;
}

/**
 * Pays an open invoice from the customer's grants, unless it sells a credit pack, and requests payment of the rest from the
 * provider. Without a payment method, or if the bank requires a second step, it stays open until it is due.
 */
export async function requestPayment(
  context: BucketContext,
  provider: PaymentProvider,
  open: Invoice,
): Promise<Invoice> {
  const { transaction, act, bucket } = context;
  const isSale = open.purchase_id !== null;
  const due = isSale ? BigInt(open.amount_due) : await payFromGrants(context, open);
  const from_credits = String(BigInt(open.from_credits) + BigInt(open.amount_due) - due);
  const invoice = { ...open, amount_due: String(due), from_credits };
  if (due === 0n) await invoiceUpdated(context, open);
  if (due === 0n) return payInvoice(context, invoice, act.now, null);
  if (invoice.amount_due !== open.amount_due)
    await store.updateInvoice(transaction, open, { amount_due: invoice.amount_due, from_credits });
  const outcome = await provider.requestPayment(transaction, {
    accountSeq: act.account.seq,
    mode: modeOf(bucket),
    invoiceSeq: invoice.seq,
    now: serverTimeOf(act),
    method: () => readMethod(transaction, bucket, invoice.customer_key),
  });
  if (outcome === "paid") return payInvoice(context, invoice, act.now, null);
  if (outcome === "failed") return failPayment(context, invoice, act.now);
  if (outcome === "requested" && invoice.collection_state === null)
    await store.updateInvoice(transaction, invoice, { collection_state: "pending" });
  await updatePayment(context, invoice.subscription_id);
  return invoice;
}

export async function payInvoice(
  context: BucketContext,
  before: Invoice,
  paidOn: number,
  reference: string | null,
): Promise<Invoice> {
  const paid = await changeInvoice(context, before, {
    status: "paid",
    amount_due: "0",
    from_credits: before.from_credits,
    collected: before.amount_due,
    paid_on: paidOn,
    payment_reference: reference,
  });
  recordInvoice(context, "invoice.paid", paid, before);
  if (paid.total !== "0" && paid.total !== paid.credited) await mailAbout(context, "receipt", paid);
  await updatePayment(context, paid.subscription_id, paidOn);
  return paid;
}

/** Announces that a payment failed, once for each attempt. */
export async function failPayment(context: BucketContext, before: Invoice, failedOn: number): Promise<Invoice> {
  // The time of the first failure remains: the grace period is not prolonged by another attempt.
  const failed = await changeInvoice(context, before, { failed_on: before.failed_on ?? failedOn });
  recordInvoice(context, "invoice.payment-failed", failed, before);
  // A customer who buys a credit pack sees it on the page.
  if (failed.purchase_id === null) await mailAbout(context, "payment-failed", failed);
  await updatePayment(context, failed.subscription_id);
  return failed;
}

/** How much of a credit can be returned to the payment method. What grants paid is returned as a grant. */
export function refundableOf(invoice: Invoice, amount: Minor): Minor {
  if (invoice.status !== "paid") return 0n;
  const left = BigInt(invoice.collected ?? "0") - BigInt(invoice.refunded);
  return amount < left ? amount : left;
}

/** Returns the money of a credit note to the payment method: now, or later by the service of the provider. */
export async function refundInvoice(
  context: BucketContext,
  { seq: invoiceSeq }: Pick<Invoice, "seq">,
  note: Invoice,
): Promise<Invoice> {
  const { transaction, act, bucket } = context;
  const provider = await providerFor(transaction, act, bucket);
  const returned = await provider.refund(transaction, {
    invoiceSeq,
    amount: BigInt(note.refunded),
    method: () => readMethod(transaction, bucket, note.customer_key),
  });
  return returned === "requested" ? note : endRefund(context, note, returned);
}

/**
 * Records how much of a refund the payment method got: it failed if that is nothing. The rest becomes a money grant. Of a
 * credit pack, the credit is restored instead, and the credit note is void if nothing was returned.
 */
export async function endRefund(context: BucketContext, before: Invoice, returned: Minor): Promise<Invoice> {
  const { transaction, bucket } = context;
  const amount = BigInt(before.refunded) - returned;
  const isSale = before.purchase_id !== null;
  const failed = { refund_state: "failed", ...(isSale ? { status: "void" } : {}) };
  const result = returned > 0n ? { refund_state: "succeeded", refunded: String(returned) } : failed;
  const after = await changeInvoice(context, before, result);
  recordInvoice(context, returned > 0n ? "credit-note.refunded" : "credit-note.refund-failed", after, before);
  if (returned > 0n) await mailAbout(context, "refund", after);
  if (amount === 0n) return after;
  const invoice = (await store.findInvoice(locking(transaction), bucket.seq, before.corrects_id!))!;
  await changeInvoice(context, invoice, {
    refunded: String(BigInt(invoice.refunded) - amount),
    // A credit note that is void credits nothing: the rest can be refunded again.
    ...(isSale ? { credited: String(BigInt(invoice.credited) - amount) } : {}),
  });
  if (before.purchase_id !== null) {
    const whole = BigInt(before.refunded);
    await restoreAfterRefund(context, before.purchase_id, before.id, { failed: amount, whole });
  } else await grantAmount(context, invoice, amount, { reason: "A refund failed" });
  return after;
}

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** Derives the payment state of a subscription, and when access ends, from its unpaid invoices. */
export async function updatePayment(
  context: BucketContext,
  subscriptionId: string | null,
  paidOn?: number,
): Promise<void> {
  const { transaction, act, bucket } = context;
  // Invoices outlive subscriptions.
  const row = subscriptionId && (await ifFound(findRowForUpdate(transaction, bucket, subscriptionId)));
  if (!row) return;
  const open = await store.invoicesOfSubscription(transaction, bucket.seq, row.id, "open", "uncollectible");
  const graceDays = (await profileOf(transaction, act.account.seq))?.graceDays ?? 0;
  const failures = open.map((invoice) => invoice.failed_on ?? invoice.due_on!);
  const before = row.payment === null ? {} : (JSON.parse(row.payment) as PaymentData);
  const failsOn = open.length === 0 ? undefined : Math.min(...failures);
  const payment: PaymentData = {
    ...(open.length === 0 ? {} : { openSince: Math.min(...open.map((each) => each.finalized_on!)), failsOn }),
    paidOn: paidOn ?? before.paidOn,
  };
  const blocksOn = failsOn === undefined ? null : failsOn + graceDays * dayMilliseconds;
  await setBilling(context, row, { payment: JSON.stringify(payment), blocks_on: blocksOn });
  await mailAccess(context, { ...row, before: row.blocks_on, after: blocksOn });
}

/** Changes an invoice, which then has another version. Returns it. */
export async function changeInvoice(
  { transaction, act }: Pick<BucketContext, "transaction" | "act">,
  before: Invoice,
  values: Partial<Invoice>,
): Promise<Invoice> {
  const changed = { ...values, version: before.version + 1, updated_on: act.now };
  await store.updateInvoice(transaction, before, changed);
  return { ...before, ...changed };
}

export function recordInvoice(
  { transaction, act, bucket }: BucketContext,
  kind: Extract<ChangeKind, `invoice.${string}` | `credit-note.${string}`>,
  after: Invoice,
  before?: Invoice,
): void {
  const type = kind.startsWith("credit-note.") ? "credit-note" : "invoice";
  const resource = { type, id: after.id, name: after.number ?? undefined, parent: namedMeteringBucket(bucket) };
  const snapshots = { before: before && presentInvoice(before), after: presentInvoice(after) };
  const action = kind.replace("-failed", "_failed").replace("-uncollectible", "_uncollectible");
  recordChange(transaction, act, kind, { ...resource, ...snapshots, action });
}
