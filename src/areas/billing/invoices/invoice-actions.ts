import type { Act } from "../../../core/access.ts";
import { invalid, Problem } from "../../../core/problems/problem.ts";
import { minorDigits } from "../../../lib/currencies.ts";
import { parseMinor } from "../../../lib/money.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering/buckets.ts";
import { wake } from "../collection/collection-store.ts";
import { grantMoney } from "../credits/grants.ts";
import { findCustomer, presentBuyer } from "../customers/customers.ts";
import { profileOf } from "../settings/settings.ts";
import { recordInvoice } from "./invoice-changes.ts";
import * as store from "./invoice-store.ts";
import { emptyInvoice, findForUpdate, type Invoice, linesOf, numberFor, sellerOf, sums } from "./invoices.ts";
import { type DraftLine, sumOf } from "./lines.ts";
import { updatePayment } from "./payment-state.ts";
import { collect, pay } from "./payments.ts";

async function findOpen(
  transaction: WriteTransaction,
  bucket: MeteringBucket,
  id: string,
  statuses = ["open"],
): Promise<Invoice> {
  const invoice = await findForUpdate(transaction, bucket, id);
  if (!statuses.includes(invoice.status)) throw new Problem("invoice_not_open");
  return invoice;
}

/** An invoice that is given up can still be paid or voided. */
const unpaid = ["open", "uncollectible"];

/** Records a payment that was received outside of Tollgate. */
export async function markPaid(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  id: string,
  { paidOn = act.now, reference }: { paidOn?: number | undefined; reference?: string | undefined } = {},
): Promise<Invoice> {
  const invoice = await findOpen(transaction, bucket, id, unpaid);
  if (paidOn > act.now) throw invalid("/paidOn", "must not be in the future");
  await wake(transaction, invoice.seq, act.now);
  return pay(transaction, act, bucket, invoice, paidOn, reference ?? null);
}

/** Tries again to collect an open invoice from grants and the payment method. */
export async function collectInvoice(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  id: string,
): Promise<Invoice> {
  return collect(transaction, act, bucket, await findOpen(transaction, bucket, id));
}

/**
 * Gives up an open invoice: it is not collected any more. It stays unpaid and counts as failed from now on, also before
 * its due date, so that access ends after the grace period. A payment that arrives after all can be recorded.
 */
export async function markUncollectible(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  id: string,
): Promise<Invoice> {
  const before = await findOpen(transaction, bucket, id);
  const changed = {
    status: "uncollectible",
    failed_on: before.failed_on ?? act.now,
    version: before.version + 1,
    updated_on: act.now,
  };
  await store.updateInvoice(transaction, before.seq, changed);
  await wake(transaction, before.seq, act.now);
  const after = { ...before, ...changed };
  recordInvoice(transaction, act, bucket, "invoice.marked-uncollectible", after, before);
  await updatePayment(transaction, act, bucket, after.subscription_id);
  return after;
}

/**
 * Ends an open invoice that does not have to be paid. Its number stays, so that the series has no gap. What grants paid of
 * it is granted again.
 */
export async function voidInvoice(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  id: string,
): Promise<Invoice> {
  const before = await findOpen(transaction, bucket, id, unpaid);
  const changed = { status: "void", amount_due: "0", version: before.version + 1, updated_on: act.now };
  await store.updateInvoice(transaction, before.seq, changed);
  await wake(transaction, before.seq, act.now);
  const after = { ...before, ...changed };
  const fromBalance = BigInt(before.total) - BigInt(before.amount_due) - BigInt(before.credited);
  const reason = "An invoice was voided";
  if (fromBalance > 0n) await grantMoney(transaction, act, bucket, before, fromBalance, { reason });
  const promotional = -sumOf(linesOf(before).filter(({ funding }) => funding === "promotional"));
  if (promotional > 0n)
    await grantMoney(transaction, act, bucket, before, promotional, { reason, funding: "promotional" });
  recordInvoice(transaction, act, bucket, "invoice.voided", after, before);
  await updatePayment(transaction, act, bucket, after.subscription_id);
  return after;
}

/** Voids the unpaid invoices of a purchase. */
export async function voidOpen(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  subscriptionId: string,
): Promise<void> {
  for (const status of ["open", "uncollectible"] as const)
    for (const { id } of await store.invoicesOfSubscription(transaction, bucket.seq, subscriptionId, status))
      await voidInvoice(transaction, act, bucket, id);
}

export interface CreditLine {
  description: string;
  amount: string;
}

/**
 * Corrects a finalized invoice by a numbered credit note. It reduces what is due; what was paid already is added to the
 * customer's credits.
 */
export async function creditInvoice(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  id: string,
  credits: CreditLine[],
): Promise<Invoice> {
  const invoice = await findForUpdate(transaction, bucket, id);
  if (invoice.corrects_id !== null || !["paid", ...unpaid].includes(invoice.status))
    throw new Problem("invoice_not_final");
  const { currency, customer_key } = invoice;
  const lines = credits.map((line, index) => creditLine(line, index, currency, act.now));
  const amount = lines.reduce((sum, line) => sum + line.amount, 0n);
  const credited = BigInt(invoice.credited) + amount;
  if (credited > BigInt(invoice.total)) throw new Problem("credit_exceeds_invoice");
  const profile = await profileOf(transaction, act.account.seq);
  if (!profile) throw new Problem("billing_profile_missing");
  const note = await store.insertInvoice(transaction, {
    ...emptyInvoice(act, bucket, customer_key, currency),
    subscription_id: invoice.subscription_id,
    corrects_id: invoice.id,
    status: "paid",
    number: await numberFor(transaction, act, bucket, profile, "CN-"),
    seller: sellerOf(profile),
    buyer: JSON.stringify(presentBuyer(await findCustomer(transaction, bucket, customer_key))),
    ...sums(lines, currency),
    amount_due: "0",
    finalized_on: act.now,
    paid_on: act.now,
  });
  recordInvoice(transaction, act, bucket, "credit-note.created", note);
  await apply(transaction, act, bucket, { ...invoice, credited: String(credited) }, amount);
  return note;
}

async function apply(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  invoice: Invoice,
  amount: bigint,
): Promise<void> {
  const due = BigInt(invoice.amount_due);
  const reduced = amount < due ? amount : due;
  const amount_due = String(due - reduced);
  const changed = { credited: invoice.credited, amount_due, version: invoice.version + 1, updated_on: act.now };
  await store.updateInvoice(transaction, invoice.seq, changed);
  await wake(transaction, invoice.seq, act.now);
  if (amount > reduced)
    await grantMoney(transaction, act, bucket, invoice, amount - reduced, { reason: "A credit note" });
  if (unpaid.includes(invoice.status) && amount_due === "0")
    await pay(transaction, act, bucket, { ...invoice, ...changed }, act.now, null);
}

function creditLine({ description, amount }: CreditLine, index: number, currency: string, now: number): DraftLine {
  const digits = minorDigits(currency)!;
  const minor = parseMinor(amount, digits);
  if (minor === undefined)
    throw invalid(`/lines/${index}/amount`, `must have at most ${digits} decimals in ${currency}`);
  return { kind: "credit", description, quantity: 1, amount: minor, periodStart: now, periodEnd: now };
}
