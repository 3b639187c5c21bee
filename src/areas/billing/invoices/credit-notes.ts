import type { z } from "zod";
import type { Act } from "../../../core/access.ts";
import { invalid, Problem } from "../../../core/problems/problem.ts";
import { minorDigits } from "../../../lib/currencies.ts";
import { type Minor, parseMinor } from "../../../lib/money.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { findCollection, wakeCollection } from "../collection/collection-store.ts";
import { grantMoney } from "../credit-grants/grants.ts";
import { findCustomer, presentBuyer } from "../customers/customers.ts";
import type { creditInput } from "../schemas/invoice-schema.ts";
import { providerFor } from "../settings/providers.ts";
import { profileOf } from "../settings/settings.ts";
import { unpaid } from "./invoice-actions.ts";
import { recordInvoice } from "./invoice-changes.ts";
import * as store from "./invoice-store.ts";
import { emptyInvoice, type Invoice, invoiceSums, lockInvoice, numberFor, sellerOf } from "./invoices.ts";
import type { DraftLine } from "./lines.ts";
import { payInvoice } from "./payments.ts";
import { collectedOf, endRefund, refundableOf, refundInvoice } from "./refunds.ts";

type Credit = z.output<typeof creditInput>;
type CreditLine = Credit["lines"][number];

/**
 * Corrects a finalized invoice by a numbered credit note. It reduces what is due; what was paid already is added to the
 * customer's credits, or, as far as the payment method paid it, returned to the method.
 */
export async function creditInvoice(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  id: string,
  { lines: credits, to = "balance", reference }: Credit,
): Promise<Invoice> {
  const invoice = await lockInvoice(transaction, bucket, id);
  if (invoice.corrects_id !== null || !["paid", ...unpaid].includes(invoice.status))
    throw new Problem("invoice_not_final");
  const { currency } = invoice;
  const lines = credits.map((line, index) => creditLine(line, index, currency, act.now));
  const amount = lines.reduce((sum, line) => sum + line.amount, 0n);
  const credited = BigInt(invoice.credited) + amount;
  if (credited > BigInt(invoice.total)) throw new Problem("credit_exceeds_invoice");
  const refunded = to === "balance" ? 0n : refundableOf(invoice, amount);
  if (to === "payment-method" && refunded === 0n) throw new Problem("nothing_to_refund");
  const due = BigInt(invoice.amount_due);
  const note = await insertNote(transaction, act, bucket, invoice, lines, {
    collected: String(amount > due ? amount - due : 0n),
    refunded: String(refunded),
    refund_state: refunded === 0n ? null : "pending",
    payment_reference: reference ?? null,
  });
  await apply(transaction, act, bucket, invoice, amount, refunded);
  // Stripe returns it after the transaction, see stripe/paid-credits.ts.
  const isAtStripe =
    (await providerFor(transaction, act, bucket)) === "stripe" &&
    (await findCollection(transaction, invoice.seq)) !== undefined;
  return refunded === 0n || isAtStripe ? note : refundInvoice(transaction, act, bucket, note);
}

/** A numbered credit note of an invoice, which is not changed yet. */
async function insertNote(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  { id, currency, customer_key, subscription_id }: Invoice,
  lines: DraftLine[],
  values: Pick<Invoice, "collected" | "refunded" | "refund_state" | "payment_reference">,
): Promise<Invoice> {
  const profile = await profileOf(transaction, act.account.seq);
  if (!profile) throw new Problem("billing_profile_missing");
  const note = await store.insertInvoice(transaction, {
    ...emptyInvoice(act, bucket, customer_key, currency),
    subscription_id,
    corrects_id: id,
    status: "paid",
    number: await numberFor(transaction, act, bucket, profile, "CN-"),
    seller: sellerOf(profile),
    buyer: JSON.stringify(presentBuyer(await findCustomer(transaction, bucket, customer_key))),
    ...invoiceSums(lines, currency),
    ...values,
    amount_due: "0",
    finalized_on: act.now,
    paid_on: act.now,
  });
  recordInvoice(transaction, act, bucket, "credit-note.created", note);
  return note;
}

/** A credit of a paid invoice that the payment provider made by itself. */
export interface ProviderCredit {
  amount: Minor;
  /** The part that was returned to the payment method. */
  refunded: Minor;
  description: string;
  /** Its id at the provider. */
  reference: string;
}

/** Records what the provider credited, as far as the invoice is not credited already. Nothing is granted. */
export async function recordCredit(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  id: string,
  { amount, refunded, description, reference }: ProviderCredit,
): Promise<void> {
  const invoice = await lockInvoice(transaction, bucket, id);
  const left = BigInt(invoice.total) - BigInt(invoice.credited);
  // A part that is refunded here already may be the same money.
  const counted = amount - refunded + refundableOf(invoice, refunded);
  const credited = counted < left ? counted : left;
  if (credited <= 0n) return;
  const returned = refundableOf(invoice, refunded < credited ? refunded : credited);
  const line = { kind: "credit", description, quantity: 1, amount: credited } as const;
  const note = await insertNote(
    transaction,
    act,
    bucket,
    invoice,
    [{ ...line, periodStart: act.now, periodEnd: act.now }],
    {
      // The provider has it already.
      collected: "0",
      refunded: String(returned),
      refund_state: returned === 0n ? null : "pending",
      payment_reference: reference,
    },
  );
  await store.updateInvoice(transaction, invoice.seq, {
    credited: String(BigInt(invoice.credited) + credited),
    collected: collectedOf(invoice),
    refunded: String(BigInt(invoice.refunded) + returned),
    version: invoice.version + 1,
    updated_on: act.now,
  });
  if (returned > 0n) await endRefund(transaction, act, bucket, note, returned);
}

async function apply(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  invoice: Invoice,
  amount: bigint,
  refunded: bigint,
): Promise<void> {
  const due = BigInt(invoice.amount_due);
  const reduced = amount < due ? amount : due;
  const amount_due = String(due - reduced);
  const changed = {
    credited: String(BigInt(invoice.credited) + amount),
    collected: collectedOf(invoice),
    refunded: String(BigInt(invoice.refunded) + refunded),
    amount_due,
    version: invoice.version + 1,
    updated_on: act.now,
  };
  await store.updateInvoice(transaction, invoice.seq, changed);
  await wakeCollection(transaction, invoice.seq, act.now);
  const granted = amount - reduced - refunded;
  if (granted > 0n) await grantMoney(transaction, act, bucket, invoice, granted, { reason: "A credit note" });
  if (unpaid.includes(invoice.status) && amount_due === "0")
    await payInvoice(transaction, act, bucket, { ...invoice, ...changed }, act.now, null);
}

function creditLine({ description, amount }: CreditLine, index: number, currency: string, now: number): DraftLine {
  const digits = minorDigits(currency)!;
  const minor = parseMinor(amount, digits);
  if (minor === undefined)
    throw invalid(`/lines/${index}/amount`, `must have at most ${digits} decimals in ${currency}`);
  return { kind: "credit", description, quantity: 1, amount: minor, periodStart: now, periodEnd: now };
}
