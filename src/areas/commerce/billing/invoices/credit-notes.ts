import type { z } from "zod";
import { serverTimeOf } from "../../../../core/access.ts";
import { invalid, Problem } from "../../../../core/problems/problem.ts";
import { minorDigits } from "../../../../lib/currencies.ts";
import { smaller } from "../../../../lib/money.ts";
import { formatMinor, type Minor, parseMinor } from "../../../../lib/text/minor-units.ts";
import type { BucketContext } from "../../metering-buckets/metering-buckets.ts";
import { grantAmount } from "../credit-grants/grants.ts";
import { buyerOf } from "../customers/customers.ts";
import { invoiceUpdated } from "../payments/providers.ts";
import { type DraftLine, invoiceLinesOf, sumOf } from "../plan-terms/lines.ts";
import type { creditInput } from "../schemas/invoice-schema.ts";
import { profileOf } from "../settings/settings.ts";
import { unpaid } from "./invoice-actions.ts";
import * as store from "./invoice-store.ts";
import { emptyInvoice, type Invoice, invoiceSums, lockInvoice, numberFor, sellerOf } from "./invoices.ts";
import { changeInvoice, endRefund, payInvoice, recordInvoice, refundableOf, refundInvoice } from "./payments.ts";
import { isCreditable, type LineCredit, lineCreditsOf, returnedInDraft } from "./received.ts";
import { InvoiceTax } from "./taxes.ts";

type Credit = z.output<typeof creditInput>;
type CreditLine = Credit["lines"][number];

/**
 * Corrects a finalized invoice by a numbered credit note. It reduces what is due; what was paid already is added to the
 * customer's credits, or, as far as the payment method paid it, returned to the method.
 */
export async function creditInvoice(
  context: BucketContext,
  id: string,
  { lines: credits, to = "balance", reference }: Credit,
): Promise<Invoice> {
  const { transaction, act, bucket } = context;
  const invoice = await lockInvoice(transaction, bucket, id);
  if (invoice.corrects_id !== null || !["paid", ...unpaid].includes(invoice.status))
    throw new Problem("invoice_not_final");
  if (invoice.purchase_id !== null) throw new Problem("invoice_of_pack");
  const lines = creditLines(invoice, credits, act.now);
  const amount = sumOf(lines);
  if (amount > uncreditedOf(invoice)) throw new Problem("credit_exceeds_invoice");
  const refunded = to === "balance" ? 0n : refundableOf(invoice, amount);
  if (to === "payment-method" && refunded === 0n) throw new Problem("nothing_to_refund");
  const due = BigInt(invoice.amount_due);
  const note = await insertNote(context, invoice, lines, {
    collected: String(amount > due ? amount - due : 0n),
    refunded: String(refunded),
    refund_state: refunded === 0n ? null : "pending",
    payment_reference: reference ?? null,
  });
  const { returned } = await applyCredits(context, invoice, lines, { refunded });
  if (returned > 0n) await grantAmount(context, invoice, returned, { reason: "A credit note" });
  return refunded === 0n ? note : refundInvoice(context, invoice, note);
}

/** What can still be credited. */
export function uncreditedOf({ total, credited, netted }: Invoice): Minor {
  return BigInt(total) - BigInt(credited) - BigInt(netted);
}

/**
 * A numbered credit note of an invoice, which is not changed yet.
 * @param lines with tax
 */
export async function insertNote(
  context: BucketContext,
  invoice: Invoice,
  lines: DraftLine[],
  values: Pick<Invoice, "collected" | "refunded" | "refund_state" | "payment_reference">,
): Promise<Invoice> {
  const { transaction, act, bucket } = context;
  const profile = await profileOf(transaction, act.account.seq);
  if (!profile) throw new Problem("billing_profile_missing");
  const { id, currency, customer_key, subscription_id, purchase_id } = invoice;
  const taxed = InvoiceTax.of(invoiceLinesOf(invoice)).ofCreditNote(lines, BigInt(invoice.credited), act.now);
  const note = await store.insertInvoice(transaction, {
    ...emptyInvoice(act, bucket, customer_key, currency),
    subscription_id,
    purchase_id,
    corrects_id: id,
    status: "paid",
    number: await numberFor(context, profile, "CN-"),
    seller: sellerOf(profile),
    tax_behavior: invoice.tax_behavior,
    buyer: JSON.stringify(buyerOfNote(invoice, await buyerOf(transaction, bucket, customer_key))),
    ...invoiceSums(taxed, currency),
    ...values,
    amount_due: "0",
    finalized_on: act.now,
    recorded_on: serverTimeOf(act),
    paid_on: act.now,
  });
  recordInvoice(context, "credit-note.created", note);
  return note;
}

/** The customer of today, with the tax status of the invoice, whose tax is credited. */
function buyerOfNote({ buyer }: Invoice, customer: Awaited<ReturnType<typeof buyerOf>>) {
  const { taxStatus: _, ...shown } = customer;
  const { taxStatus } = (buyer === null ? {} : JSON.parse(buyer)) as Partial<typeof customer>;
  return { ...shown, ...(taxStatus === undefined ? {} : { taxStatus }) };
}

/** A credit of a paid invoice that the payment provider made by itself. */
interface ProviderCredit {
  amount: Minor;
  /** The part that was returned to the payment method. */
  refunded: Minor;
  description: string;
  /** Its id at the provider. */
  reference: string;
}

/** Records what the provider credited, as far as the invoice is not credited already. Nothing is granted. */
export async function recordCredit(
  context: BucketContext,
  id: string,
  { amount, refunded, description, reference }: ProviderCredit,
): Promise<void> {
  const { transaction, act, bucket } = context;
  const invoice = await lockInvoice(transaction, bucket, id);
  const left = uncreditedOf(invoice);
  // A part that is refunded here already may be the same money.
  const counted = amount - refunded + refundableOf(invoice, refunded);
  const credited = counted < left ? counted : left;
  if (credited <= 0n) return;
  const returned = refundableOf(invoice, refunded < credited ? refunded : credited);
  const line = { kind: "credit", description, quantity: 1, amount: credited } as const;
  const note = await insertNote(context, invoice, [{ ...line, periodStart: act.now, periodEnd: act.now }], {
    // The provider has it already.
    collected: "0",
    refunded: String(returned),
    refund_state: returned === 0n ? null : "pending",
    payment_reference: reference,
  });
  await changeInvoice(context, invoice, {
    credited: String(BigInt(invoice.credited) + credited),
    refunded: String(BigInt(invoice.refunded) + returned),
  });
  if (returned > 0n) await endRefund(context, note, returned);
}

/** What else is returned with a credit note. Amounts are with tax. */
export interface CreditOptions {
  /** The part of the credit that goes back to the payment method. */
  refunded?: Minor;
  /** What a later invoice credits of the line of the credit, in addition. */
  netted?: Minor;
  /** What promotional grants paid of the line of the credit, and get back in addition. */
  promotional?: Minor;
  /** What credits of former fees paid of the line of the credit, and is returned in addition. */
  former?: Minor;
  /** Of usage: the part of the credit that paid grants paid as it occurred, and what promotional ones get back in addition. */
  prepaid?: Minor;
  used?: Minor;
  line?: number;
}

/**
 * Changes an invoice by the lines of a credit note: reduces what is due, and pays the invoice if nothing is left. Returns
 * what was paid already, which the caller returns to the customer.
 */
export async function applyCredits(
  context: BucketContext,
  invoice: Invoice,
  lines: DraftLine[],
  { refunded = 0n, netted = 0n, promotional = 0n, former = 0n, prepaid = 0n, used = 0n, line }: CreditOptions,
): Promise<{ returned: Minor }> {
  const { act } = context;
  const amount = sumOf(lines);
  const due = BigInt(invoice.amount_due);
  const reduced = smaller(amount, due);
  const lineCredits = lineCreditsOf(invoice);
  const count = (index: number, more: Record<"money", Minor> & Partial<Record<keyof LineCredit, Minor>>) => {
    const before = lineCredits[index] ?? { money: "0", promotional: "0", former: "0" };
    lineCredits[index] = {
      ...addedTo(before, "prepaid", more.prepaid),
      ...addedTo(before, "used", more.used),
      money: String(BigInt(before.money) + more.money),
      promotional: String(BigInt(before.promotional) + (more.promotional ?? 0n)),
      former: String(BigInt(before.former) + (more.former ?? 0n)),
    };
  };
  for (const each of lines) if (each.credits) count(each.credits.line, { money: each.amount });
  if (line !== undefined && netted + promotional + former + prepaid + used > 0n)
    count(line, { money: netted, promotional, former, prepaid, used });
  const changed = await changeInvoice(context, invoice, {
    credited: String(BigInt(invoice.credited) + amount),
    netted: String(BigInt(invoice.netted) + netted),
    line_credits: JSON.stringify(lineCredits),
    refunded: String(BigInt(invoice.refunded) + refunded),
    amount_due: String(due - reduced),
  });
  await invoiceUpdated(context, invoice);
  if (unpaid.includes(invoice.status) && changed.amount_due === "0") await payInvoice(context, changed, act.now, null);
  return { returned: amount - reduced - refunded };
}

function addedTo(before: LineCredit, name: "prepaid" | "used", more = 0n) {
  const sum = BigInt(before[name] ?? "0") + more;
  return sum === 0n ? {} : { [name]: String(sum) };
}

/** The lines of a credit note, with tax. */
function creditLines(invoice: Invoice, credits: CreditLine[], now: number): DraftLine[] {
  const { id, currency } = invoice;
  const digits = minorDigits(currency)!;
  const lines = invoiceLinesOf(invoice);
  const tax = InvoiceTax.of(lines);
  const known = lineCreditsOf(invoice);
  const named = new Map(Object.entries(known).map(([line, { money }]) => [Number(line), BigInt(money)]));
  return credits.map(({ description, amount, line }, index) => {
    const minor = parseMinor(amount, digits);
    if (minor === undefined)
      throw invalid(`/lines/${index}/amount`, `must have at most ${digits} decimals in ${currency}`);
    const credit: DraftLine = {
      kind: "credit",
      description,
      quantity: 1,
      amount: minor,
      periodStart: now,
      periodEnd: now,
    };
    if (line === undefined) return credit;
    const credited = lines[line];
    if (!credited || !isCreditable(credited))
      throw invalid(`/lines/${index}/line`, "must be the index of a line of the invoice that is no credit and no tax");
    named.set(line, (named.get(line) ?? 0n) + minor);
    const whole = tax.withTax(credited.amount - returnedInDraft(invoice, lines, line));
    if (named.get(line)! > whole)
      throw invalid(
        `/lines/${index}/amount`,
        `must not exceed ${formatMinor(whole, digits)}, the amount of the line with tax, with earlier credits of it`,
      );
    const { planId, meter } = credited;
    return { ...credit, ...(planId ? { planId } : {}), ...(meter ? { meter } : {}), credits: { invoiceId: id, line } };
  });
}
