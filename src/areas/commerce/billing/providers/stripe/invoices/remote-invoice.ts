import type { Stripe } from "stripe";
import { parseMinorOf } from "../../../../../../lib/currencies.ts";
import type { Invoice } from "../../../invoices/invoices.ts";
import { taxNote } from "../../../invoices/taxes.ts";
import type { InvoiceLine } from "../../../plan-terms/lines.ts";
import { toStripe } from "../amounts.ts";
import { metadata, once } from "../api.ts";
import type { Buyer } from "../customers/customers.ts";

/** The maximum number of items of an invoice. Further lines become one item. */
const maxItems = 200;
const secondMilliseconds = 1000;

/** An item that the invoice at Stripe must have. */
interface WantedItem {
  line: string;
  amount: number;
  description: string;
  period: { start: number; end: number };
}

/** What Stripe has to collect, in its units. */
export function expectedAmount({ amount_due, currency }: Pick<Invoice, "amount_due" | "currency">): bigint {
  return toStripe(BigInt(amount_due), currency);
}

/**
 * The lines of the invoice, and one for the difference to what is due: what grants and credit notes paid, and what the
 * units of Stripe cannot express.
 */
function wantedItems(invoice: Invoice): WantedItem[] {
  const { currency } = invoice;
  const lines = [...(JSON.parse(invoice.lines) as InvoiceLine[]).entries()].filter(([, line]) => !line.isIncluded);
  const amountOf = (line: InvoiceLine) => toStripe(parseMinorOf(currency, line.amount), currency);
  const items = lines.slice(0, maxItems).map(([index, line]) => ({
    line: String(index),
    amount: Number(amountOf(line)),
    description: (line.description ?? line.meter ?? line.kind).slice(0, 500),
    period: {
      start: Math.floor(Date.parse(line.periodStart) / secondMilliseconds),
      end: Math.floor(Date.parse(line.periodEnd) / secondMilliseconds),
    },
  }));
  const at = Math.floor(invoice.created_on / secondMilliseconds);
  const period = { start: at, end: at };
  const rest = lines.slice(maxItems).reduce((sum, [, line]) => sum + amountOf(line), 0n);
  if (lines.length > maxItems) items.push({ line: "rest", amount: Number(rest), description: "Further lines", period });
  const difference = expectedAmount(invoice) - items.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  if (difference !== 0n)
    items.push({ line: "paid", amount: Number(difference), description: "Credits and payments", period });
  return items;
}

/**
 * Finds the invoice that an earlier call may have created. Lists of Stripe contain what was created before, which its
 * search does not promise.
 */
export async function findRemote(
  api: Stripe,
  customer: string,
  invoiceId: string,
  since: number,
): Promise<Stripe.Invoice | undefined> {
  // Clocks differ, and a call may have been on its way.
  const created = { gte: Math.floor(since / secondMilliseconds) - 3600 };
  for await (const invoice of api.invoices.list({ customer, created, limit: 100 }))
    if (invoice.metadata?.[metadata.invoice] === invoiceId) return invoice;
  return undefined;
}

/** A draft that Stripe does not finalize by itself: it might lack items. */
export function createRemote(
  api: Stripe,
  { id, currency, lines }: Pick<Invoice, "id" | "currency" | "lines">,
  { customer, buyer, generation }: { customer: string; buyer: Buyer; generation: number },
): Promise<Stripe.Invoice> {
  const taxIds = (buyer.taxIds ?? []).slice(0, 4).map((value) => ({ name: "Tax ID", value }));
  // Taxes that prices include are no items, and Stripe's page is what the customer gets.
  const included = (JSON.parse(lines) as InvoiceLine[]).filter(({ isIncluded }) => isIncluded);
  const notes = included.map(({ description, amount }) => `Includes ${description}: ${amount} ${currency}`);
  const footer = [...notes, taxNote(buyer) ?? ""].filter((note) => note !== "").join("\n");
  return api.invoices.create(
    {
      customer,
      currency: currency.toLowerCase(),
      collection_method: "charge_automatically",
      auto_advance: false,
      pending_invoice_items_behavior: "exclude",
      ...(taxIds.length === 0 ? {} : { custom_fields: taxIds }),
      ...(footer === "" ? {} : { footer }),
      metadata: { [metadata.invoice]: id },
    },
    once(id, generation, "invoice"),
  );
}

interface ItemOptions {
  customer: string;
  generation: number;
  /** It was just created, so it has no items. */
  isNew: boolean;
  /** Prolongs the lease. */
  beforeEach(): Promise<void>;
}

/** Adds missing items, and removes those that do not belong to the invoice or are there twice. */
export async function completeItems(
  api: Stripe,
  invoice: Invoice,
  remote: Stripe.Invoice,
  { customer, generation, isNew, beforeEach }: ItemOptions,
): Promise<void> {
  const missing = new Map(wantedItems(invoice).map((item) => [item.line, item]));
  if (!isNew)
    for await (const item of api.invoiceItems.list({ invoice: remote.id, limit: 100 })) {
      const line = item.metadata?.[metadata.line] ?? "";
      if (missing.get(line)?.amount === item.amount) missing.delete(line);
      else await api.invoiceItems.del(item.id);
    }
  for (const { line, amount, description, period } of missing.values()) {
    await beforeEach();
    await api.invoiceItems.create(
      {
        customer,
        invoice: remote.id,
        currency: invoice.currency.toLowerCase(),
        amount,
        description,
        period,
        metadata: { [metadata.invoice]: invoice.id, [metadata.line]: line },
      },
      once(invoice.id, generation, "item", line, amount),
    );
  }
}

/** With the payment, whose state tells whether the bank requires a second step. */
export function retrieveRemote(api: Stripe, id: string): Promise<Stripe.Invoice> {
  return api.invoices.retrieve(id, { expand: ["payments.data.payment.payment_intent"] });
}

/** Whether the customer has to confirm the last payment at the bank. */
export function needsAction({ payments }: Stripe.Invoice): boolean {
  return (payments?.data ?? []).some(({ status, payment: { payment_intent } }) => {
    const isOpen = status === "open";
    return isOpen && typeof payment_intent === "object" && payment_intent.status === "requires_action";
  });
}

/** What the invoice at Stripe is for, without what credit notes took off before it was paid. */
export function owedAt({ total, pre_payment_credit_notes_amount }: Stripe.Invoice): bigint {
  return BigInt(total - pre_payment_credit_notes_amount);
}

/** The money that Stripe took from the customer: not what was paid elsewhere and only recorded there. */
export function takenAt({ payments }: Stripe.Invoice): bigint {
  return (payments?.data ?? []).reduce((sum, { status, amount_paid, payment: { type } }) => {
    const isTaken = status === "paid" && type !== "payment_record";
    return isTaken ? sum + BigInt(amount_paid ?? 0) : sum;
  }, 0n);
}

/** Bank debits are processed for days. */
export function isProcessing({ payments }: Stripe.Invoice): boolean {
  return (payments?.data ?? []).some(({ payment: { payment_intent } }) => {
    return typeof payment_intent === "object" && payment_intent.status === "processing";
  });
}

/** The payment of an invoice that Stripe took. Null if it was not paid there. */
export function paymentIntentOf({ payments }: Stripe.Invoice): string | null {
  const paid = (payments?.data ?? []).find(({ status }) => status === "paid");
  const intent = paid?.payment.payment_intent ?? null;
  return intent === null || typeof intent === "string" ? intent : intent.id;
}
