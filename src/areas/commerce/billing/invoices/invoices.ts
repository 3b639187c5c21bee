import { type Act, serverTimeOf } from "../../../../core/access.ts";
import { notFound } from "../../../../core/problems/problem.ts";
import { newId } from "../../../../lib/ids.ts";
import type { Minor } from "../../../../lib/text/minor-units.ts";
import { locking, type OneRead, saveRow } from "../../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { BucketContext, MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { numberIn } from "../book/book.ts";
import { grantAmount } from "../credit-grants/grants.ts";
import { lockCustomerBilling } from "../credit-grants/wallet.ts";
import { buyerOf } from "../customers/customers.ts";
import type { PaymentProvider } from "../payments/interface.ts";
import { providerFor } from "../payments/providers.ts";
import { type DraftLine, invoiceLinesOf, storedLine, sumOf, totalOf } from "../plan-terms/lines.ts";
import { type BillingProfile, profileOf } from "../settings/settings.ts";
import { mailAbout } from "./billing-mails.ts";
import * as store from "./invoice-store.ts";
import { changeInvoice, payWithGrants, recordInvoice, requestPayment } from "./payments.ts";
import { behaviorOf, taxLines, taxTerms } from "./taxes.ts";

export type Invoice = store.InvoiceRow;

const dayMilliseconds = 24 * 60 * 60 * 1000;

export { listInvoices } from "./invoice-store.ts";

export async function findInvoice(reads: OneRead, bucket: MeteringBucket, id: string): Promise<Invoice> {
  const invoice = await store.findInvoice(reads, bucket.seq, id);
  if (!invoice) throw notFound("invoice");
  return invoice;
}

/** Locks an invoice, and before it the billing of its customer. */
export async function lockInvoice(transaction: WriteTransaction, bucket: MeteringBucket, id: string) {
  const { customer_key } = await findInvoice(transaction, bucket, id);
  await lockCustomerBilling(transaction, bucket, customer_key);
  return findInvoice(locking(transaction), bucket, id);
}

interface NewDraft {
  customerKey: string;
  /** What it bills: a subscription, or the purchase of a credit pack. */
  subscriptionId?: string;
  purchaseId?: string;
  currency: string;
  lines: DraftLine[];
  /** When it is finalized. Null if it is complete. */
  finalizesOn: number | null;
}

export async function createDraft(
  context: BucketContext,
  { customerKey, subscriptionId, purchaseId, currency, lines, finalizesOn }: NewDraft,
): Promise<Invoice> {
  const { transaction, act, bucket } = context;
  const row = await store.insertInvoice(transaction, {
    ...emptyInvoice(act, bucket, customerKey, currency),
    subscription_id: subscriptionId ?? null,
    purchase_id: purchaseId ?? null,
    // Lines are computed under it: a later change of the profile does not concern them.
    tax_behavior: (await profileOf(transaction, act.account.seq))?.taxBehavior ?? null,
    finalizes_on: finalizesOn,
    ...invoiceSums(lines, currency),
  });
  // A draft that only waits for overage may turn out to be empty.
  if (lines.length > 0) recordInvoice(context, "invoice.created", row);
  return row;
}

export function emptyInvoice(act: Act, bucket: MeteringBucket, customerKey: string, currency: string) {
  return {
    id: newId("inv", serverTimeOf(act)),
    bucket_seq: bucket.seq,
    customer_key: customerKey,
    subscription_id: null,
    purchase_id: null,
    corrects_id: null,
    status: "draft",
    number: null,
    currency,
    seller: null,
    buyer: null,
    tax_behavior: null,
    credited: "0",
    netted: "0",
    disputed: "0",
    line_credits: "{}",
    from_credits: "0",
    written_off: "0",
    collected: null,
    refunded: "0",
    refund_state: null,
    finalizes_on: null,
    finalized_on: null,
    recorded_on: null,
    due_on: null,
    failed_on: null,
    paid_on: null,
    payment_reference: null,
    collection_state: null,
    collection_url: null,
    version: 1,
    created_on: act.now,
    updated_on: act.now,
  };
}

/** The columns of lines and their sums. Taxes are the lines of kind `tax`. The subtotal is without them. */
export function invoiceSums(lines: DraftLine[], currency: string) {
  // A negative one is taken out of prices that include it.
  const tax = sumOf(lines.filter(({ kind, amount }) => kind === "tax" && amount > 0n));
  const total = totalOf(lines);
  return {
    lines: JSON.stringify(lines.map((line) => storedLine(line, currency))),
    subtotal: String(total - tax),
    tax: String(tax),
    total: String(total),
    amount_due: String(total),
  };
}

/** Adds lines to a draft, and the line that moves a negative total to a grant. */
export async function completeDraft(
  context: BucketContext,
  draft: Invoice,
  { lines: more, paid, writtenOff }: { lines: DraftLine[]; paid: Minor; writtenOff: Minor },
): Promise<Invoice> {
  const lines = [...invoiceLinesOf(draft), ...more];
  const subtotal = sumOf(lines);
  if (subtotal < 0n) {
    const { created_on: periodStart } = draft;
    const description = "Moved to the customer's credits";
    lines.push({ kind: "credit", description, quantity: 1, amount: -subtotal, periodStart, periodEnd: periodStart });
    await grantAmount(context, draft, -subtotal, { reason: "The rest of an invoice" });
  }
  const complete = await changeInvoice(context, draft, {
    ...invoiceSums(lines, draft.currency),
    from_credits: String(BigInt(draft.from_credits) + paid),
    written_off: String(BigInt(draft.written_off) + writtenOff),
    finalizes_on: null,
  });
  if (invoiceLinesOf(draft).length === 0) recordInvoice(context, "invoice.created", complete);
  return complete;
}

/**
 * Numbers a complete draft, copies seller and buyer, adds taxes, and requests payment of what is due, first from grants.
 * A credit pack is sold for its price: no grant pays it, and it is not added to what other invoices carried over.
 */
export async function finalize(context: BucketContext, draft: Invoice, profile: BillingProfile): Promise<Invoice> {
  const { transaction, act, bucket } = context;
  const buyer = await buyerOf(transaction, bucket, draft.customer_key);
  const provider = await providerFor(transaction, act, bucket);
  const untaxed = invoiceLinesOf(draft);
  const behavior = behaviorOf(draft, profile);
  const terms = taxTerms(profile, behavior, buyer);
  const taxesOn = (subtotal: Minor) => taxLines(terms, subtotal, draft.created_on);
  const isSale = draft.purchase_id !== null;
  const credits = isSale
    ? { lines: [], paid: 0n, left: 0n }
    : await payWithGrants(context, draft, sumOf(untaxed), (subtotal) => totalOf(taxesOn(subtotal)));
  untaxed.push(...credits.lines);
  const lines = [...untaxed, ...taxesOn(sumOf(untaxed))];
  const total = totalOf(lines);
  const carried = isSale
    ? { lines: [], due: total }
    : await carriedLines(transaction, bucket, {
        customerKey: draft.customer_key,
        currency: draft.currency,
        total,
        prepaid: credits.paid + credits.left,
        at: draft.created_on,
        provider,
      });
  lines.push(...carried.lines);
  // The number of an invoice that the provider issues becomes known with it.
  const hasOwnNumber = !provider.issuesInvoices || carried.due === 0n;
  const open = await changeInvoice(context, draft, {
    status: "open",
    number: hasOwnNumber ? await numberFor(context, profile, "") : null,
    seller: sellerOf(profile),
    buyer: JSON.stringify(buyer),
    tax_behavior: behavior,
    ...invoiceSums(lines, draft.currency),
    amount_due: String(totalOf(lines) - credits.paid),
    from_credits: String(credits.paid),
    finalizes_on: null,
    finalized_on: act.now,
    recorded_on: serverTimeOf(act),
    due_on: act.now + profile.termsDays * dayMilliseconds,
  });
  recordInvoice(context, "invoice.finalized", open);
  const requested = await requestPayment(context, provider, open);
  // A customer who buys a credit pack online is on the way to the payment page.
  const isAnnounced = requested.failed_on === null && !provider.issuesInvoices && !(isSale && provider.paysOnline);
  if (isAnnounced && requested.status === "open") await mailAbout(context, "invoice", requested);
  return requested;
}

export function sellerOf({ legalName, address, taxId }: BillingProfile): string {
  return JSON.stringify({ legalName, address, ...(taxId === undefined ? {} : { taxId }) });
}

/** Test buckets have series of their own, so that they leave no gaps. */
export async function numberFor(
  { transaction, act, bucket }: BucketContext,
  { numberPrefix }: BillingProfile,
  kind: "" | "CN-",
): Promise<string> {
  const prefix = `${bucket.test_clock === null ? "" : "TEST-"}${numberPrefix}`;
  // Transactions that number both would deadlock if they locked them in a different order.
  if (kind !== "") await store.lockNumbers(transaction, act.account.seq, prefix);
  const series = prefix + kind;
  return numberIn(series, await store.nextNumber(transaction, act.account.seq, series));
}

export async function carriedAmount(
  reads: Reads,
  bucketSeq: number,
  customerKey: string,
  currency: string,
): Promise<bigint> {
  const row = await reads.one<{ amount: string }>(
    "SELECT amount FROM carried_amounts WHERE bucket_seq = ? AND customer_key = ? AND currency = ?",
    [bucketSeq, customerKey, currency],
  );
  return BigInt(row?.amount ?? 0);
}

export async function setCarriedAmount(
  transaction: WriteTransaction,
  bucketSeq: number,
  customerKey: string,
  currency: string,
  amount: bigint,
): Promise<void> {
  const row = { bucket_seq: bucketSeq, customer_key: customerKey, currency, amount: String(amount) };
  await saveRow(transaction, "carried_amounts", row, ["bucket_seq", "customer_key", "currency"]);
}

interface CarriedOptions {
  customerKey: string;
  currency: string;
  /** The sum of the lines with taxes. */
  total: Minor;
  /** What other money of the customer will pay. */
  prepaid: Minor;
  /** The time of the lines. */
  at: number;
  provider: PaymentProvider;
}

/**
 * The lines that add what earlier invoices carried over, and carry over what the provider cannot charge yet. They come
 * after taxes, which the carried amount includes already.
 */
export async function carriedLines(
  transaction: WriteTransaction,
  bucket: MeteringBucket,
  { customerKey, currency, total, prepaid, at, provider }: CarriedOptions,
) {
  await transaction.lock(`carried ${bucket.seq} ${customerKey}`);
  const before = await carriedAmount(transaction, bucket.seq, customerKey, currency);
  const due = total + before > prepaid ? total + before - prepaid : 0n;
  const after = due - provider.payable(due, currency);
  if (after !== before) await setCarriedAmount(transaction, bucket.seq, customerKey, currency, after);
  const line = (kind: "manual" | "credit", description: string, amount: Minor) => ({
    kind,
    description,
    quantity: 1,
    amount,
    periodStart: at,
    periodEnd: at,
  });
  return {
    lines: [
      ...(before === 0n ? [] : [line("manual", "Carried over", before)]),
      ...(after === 0n ? [] : [line("credit", "Carried over to the next invoice", -after)]),
    ],
    /** What the provider will charge. */
    due: due - after,
  };
}
