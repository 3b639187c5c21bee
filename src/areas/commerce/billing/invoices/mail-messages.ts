import { minorDigits } from "../../../../lib/currencies.ts";
import { formatMinor } from "../../../../lib/text/minor-units.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import {
  type ComposedMail,
  type CustomerMailKind,
  composed,
  customerMailKinds,
  edited,
  type MailColors,
  type MailMessage,
  type MailTexts,
} from "../../../common/mail/message.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { accessEnd } from "../../subscriptions/state.ts";
import { findSubscription } from "../../subscriptions/subscriptions.ts";
import { findCustomerIfAny, methodLabel, methodOf } from "../customers/customers.ts";
import type { InvoiceLine } from "../plan-terms/lines.ts";
import { profileOf } from "../settings/settings.ts";
import { findInvoice, type InvoiceRow, invoicesOfSubscription } from "./invoice-store.ts";
import { taxNote } from "./taxes.ts";

export type BillingMailKind = Exclude<CustomerMailKind, "welcome" | "account-deleted">;
export const billingMailKinds = customerMailKinds.slice(2) as BillingMailKind[];

const maxLines = 20;

/** The portal of the customers of a bucket, where they see their invoices. Without one, the billing profile has the texts. */
export interface MailSite {
  title: string;
  mails?: MailTexts | undefined;
  /** Mail of test buckets, which is not sent, has no link. */
  origin?: string;
  colors?: MailColors;
}

/** Writes a mail from what is stored now. Returns undefined if it does not apply any more, or is switched off. */
export async function messageFor(
  reads: Reads,
  bucket: MeteringBucket,
  kind: BillingMailKind,
  about: string,
  account: string,
  now: number,
  site?: MailSite,
): Promise<ComposedMail | undefined> {
  const profile = await profileOf(reads, bucket.account_seq);
  const texts = (site ?? profile)?.mails?.[kind];
  if (texts?.isEnabled === false) return undefined;
  const [id = "", end = ""] = about.split(" ");
  const message = kind.startsWith("access")
    ? await accessMessage(reads, bucket, kind, id, Number(end), now)
    : kind === "spending"
      ? spendingMessage(about)
      : kind === "plan-changed"
        ? await planMessage(reads, bucket, id, end)
        : kind === "card-expires"
          ? await cardMessage(reads, bucket, id, about.slice(id.length + 1))
          : await invoiceMessage(reads, bucket, kind, id, profile?.bankDetails);
  if (!message) return undefined;
  const link = site?.origin && linkOf(kind, site.origin);
  return composed(site?.title ?? account, edited({ ...(link && { link }), ...message }, texts), site?.colors);
}

export function linkOf(kind: BillingMailKind, origin: string): NonNullable<MailMessage["link"]> {
  if (kind === "plan-changed") return { label: "Show your plan", url: `${origin}/plans` };
  if (kind === "card-expires") return { label: "Change your payment method", url: `${origin}/plans` };
  return { label: "Show your invoices", url: `${origin}/invoices` };
}

/** Undefined if the subscription has other plans by now, so that the mail about those is the only one. */
async function planMessage(
  reads: Reads,
  bucket: MeteringBucket,
  id: string,
  planSeqs: string,
): Promise<MailMessage | undefined> {
  if ((await accessEnd(reads, bucket.seq, id)) === undefined) return undefined;
  const subscription = await findSubscription(reads, bucket, id);
  if (subscription.plans.map(({ seq }) => seq).join() !== planSeqs) return undefined;
  return planChanged(subscription.plans.map(({ label }) => label).join(", "));
}

function planChanged(plans: string): MailMessage {
  return {
    subject: `Your plan is now ${plans}`,
    lines: [`Your plan was changed. It is now ${plans}.`],
    notes: ["Its limits apply from now on. If you did not expect this, reply to this mail."],
  };
}

/** Undefined if the customer was deleted, or has another card by now. */
async function cardMessage(reads: Reads, bucket: MeteringBucket, month: string, customerKey: string) {
  const customer = await findCustomerIfAny(reads, bucket, customerKey);
  const method = customer && methodOf(customer);
  const isSame = method !== undefined && "expires" in method && method.expires === month;
  return isSame ? cardExpires(methodLabel(customer!)!, month) : undefined;
}

function cardExpires(card: string, month: string): MailMessage {
  const shown = month.split("-").reverse().join("/");
  return {
    subject: `Your card expires at the end of ${shown}`,
    lines: [`Your payment method, ${card}, expires at the end of ${shown}.`, "Please add another one before then."],
    notes: ["Later payments would fail, and access would end."],
  };
}

async function invoiceMessage(
  reads: Reads,
  bucket: MeteringBucket,
  kind: BillingMailKind,
  id: string,
  bankDetails: string | undefined,
): Promise<MailMessage | undefined> {
  const invoice = await findInvoice(reads, bucket.seq, id);
  if (!invoice || invoice.seller === null) return undefined;
  const corrected = kind === "refund" ? await findInvoice(reads, bucket.seq, invoice.corrects_id!) : undefined;
  return aboutInvoice(kind, invoice, { corrected: corrected?.number ?? invoice.corrects_id, bankDetails });
}

function aboutInvoice(
  kind: BillingMailKind,
  invoice: InvoiceRow,
  { corrected, bankDetails }: { corrected?: string | null; bankDetails?: string | undefined },
): MailMessage | undefined {
  const { legalName } = JSON.parse(invoice.seller!) as { legalName: string };
  const name = invoice.number === null ? `Invoice of ${legalName}` : `Invoice ${invoice.number} of ${legalName}`;
  if (kind === "refund") {
    return {
      subject: `Refund of ${moneyOf(invoice, "refunded")} from ${legalName}`,
      lines: [`We have refunded ${moneyOf(invoice, "refunded")} of invoice ${corrected}:`, linesOf(invoice)],
      notes: [`Credit note ${invoice.number}. Your bank may take a few days to show the money.`],
    };
  }
  if (kind === "top-up-failed") return topUpFailure(invoice, legalName);
  if (kind === "top-up-action") return invoice.status === "open" ? topUpAction(invoice, legalName) : undefined;
  const due = invoice.due_on === null ? "" : ` It is due on ${dayOf(invoice.due_on)}.`;
  if (kind === "receipt") {
    if (invoice.status !== "paid") return undefined;
    return {
      subject: `Receipt for ${lower(name)}`,
      lines: [`We have received ${moneyOf(invoice, "total")} for ${lower(name)}. Thank you.`, linesOf(invoice)],
      notes: [`Paid on ${dayOf(invoice.paid_on!)}.`],
    };
  }
  if (invoice.status !== "open") return undefined;
  if (kind === "payment-failed")
    return {
      subject: `Payment failed: ${lower(name)}`,
      lines: [
        `${moneyOf(invoice, "amount_due")} for ${lower(name)} could not be collected, or was not paid by its due date.`,
        "Please pay it, or use another payment method.",
      ],
      notes: ["If it is not paid, access ends after the grace period."],
    };
  const note = taxNote(JSON.parse(invoice.buyer ?? "{}"));
  return {
    subject: `${name}: ${moneyOf(invoice, "amount_due")}`,
    lines: [`Please pay ${moneyOf(invoice, "amount_due")} for ${lower(name)}.${due}`, linesOf(invoice)],
    notes: [...(bankDetails ? [bankDetails] : []), ...(note === undefined ? [] : [note])],
  };
}

function topUpFailure(invoice: InvoiceRow, legalName: string): MailMessage {
  return {
    subject: `Automatic top-up failed: ${moneyOf(invoice, "total")} to ${legalName}`,
    lines: [
      `The automatic top-up of your credit could not be paid: ${moneyOf(invoice, "total")} to ${legalName}.`,
      "No credit was added, and the automatic top-up has been turned off.",
    ],
    notes: ["Check your payment method, and turn the automatic top-up on again."],
  };
}

function topUpAction(invoice: InvoiceRow, legalName: string): MailMessage {
  const url = invoice.collection_url;
  return {
    subject: `Confirm your payment of ${moneyOf(invoice, "amount_due")}`,
    lines: [
      `Your bank asks you to confirm the automatic top-up of your credit: ${moneyOf(invoice, "amount_due")} to ${legalName}.`,
    ],
    ...(url === null ? {} : { link: { label: "Confirm the payment", url } }),
    notes: ["Nothing is charged, and no credit is added, until you do."],
  };
}

async function accessMessage(
  reads: Reads,
  bucket: MeteringBucket,
  kind: BillingMailKind,
  subscriptionId: string,
  end: number,
  now: number,
): Promise<MailMessage | undefined> {
  const current = await accessEnd(reads, bucket.seq, subscriptionId);
  if (current === undefined) return undefined;
  if (kind === "access-restored") return current !== null && current <= now ? undefined : aboutAccess(kind, end, "");
  // It was paid, or the grace period is another one now.
  if (current !== end) return undefined;
  const unpaid = [
    ...(await invoicesOfSubscription(reads, bucket.seq, subscriptionId, "open")),
    ...(await invoicesOfSubscription(reads, bucket.seq, subscriptionId, "uncollectible")),
  ];
  const owed = unpaid.map((invoice) => `${invoice.number ?? "Invoice"}: ${moneyOf(invoice, "amount_due")}`).join("\n");
  return aboutAccess(kind, end, owed);
}

function aboutAccess(kind: BillingMailKind, end: number, owed: string): MailMessage {
  if (kind === "access-restored")
    return {
      subject: "Your access is restored",
      lines: ["Your invoices are paid, and requests with your keys are accepted again. Thank you."],
      notes: [],
    };
  if (kind === "access-ending")
    return {
      subject: "Your access ends tomorrow",
      lines: [`Requests with your keys are rejected from ${timeOf(end)} on, because these invoices are unpaid:`, owed],
      notes: ["Your access continues if they are paid before then."],
    };
  return {
    subject: "Your access has ended",
    lines: ["Requests with your keys are rejected, because these invoices are unpaid:", owed],
    notes: ["Access returns as soon as they are paid."],
  };
}

/** What a mail looks like, with invented data. */
export function sampleBillingMessage(kind: BillingMailKind, legalName: string, now: number): MailMessage {
  const line = { kind: "plan", description: "Gold", quantity: 1, amount: "29.00" };
  const invoice = {
    number: "ACME-000012",
    seller: JSON.stringify({ legalName }),
    currency: "EUR",
    status: kind === "receipt" ? "paid" : "open",
    lines: JSON.stringify([line]),
    from_credits: "0",
    ...{ total: "2900", amount_due: "2900", refunded: "2900", paid_on: now, due_on: now + 14 * 86_400_000 },
    ...{ buyer: null, collection_url: "https://pay.example" },
  } as unknown as InvoiceRow;
  const spending = { subscriptionId: "", periodEnd: now, threshold: 80, currency: "EUR" };
  if (kind === "spending")
    return spendingMessage(spendingSubject({ ...spending, cap: { amount: "50.00", action: "block" } }));
  if (kind === "plan-changed") return planChanged("Gold");
  if (kind === "card-expires") return cardExpires("visa ending in 4242", new Date(now).toISOString().slice(0, 7));
  if (kind.startsWith("access")) return aboutAccess(kind, now + 86_400_000, "ACME-000012: 29.00 EUR");
  return aboutInvoice(kind, invoice, { corrected: "ACME-000011" })!;
}

const lower = (name: string) => name.replace(/^Invoice/, "invoice");
const dayOf = (time: number) => formatDateTime(time).slice(0, 10);
const timeOf = (time: number) => `${formatDateTime(time).slice(0, 16).replace("T", " ")} UTC`;

function moneyOf(invoice: InvoiceRow, name: "total" | "amount_due" | "refunded"): string {
  return `${formatMinor(BigInt(invoice[name]), minorDigits(invoice.currency)!)} ${invoice.currency}`;
}

function linesOf({ lines, currency, from_credits }: InvoiceRow): string {
  const all = JSON.parse(lines) as InvoiceLine[];
  const shown = all.slice(0, maxLines).map((line) => {
    const name = line.description ?? line.meter ?? "";
    return `${line.isIncluded ? `Includes ${name}` : name}: ${line.amount} ${currency}`;
  });
  const paid = formatMinor(-BigInt(from_credits), minorDigits(currency)!);
  return [
    ...shown,
    ...(all.length > maxLines ? [`and ${all.length - maxLines} more lines`] : []),
    ...(from_credits === "0" ? [] : [`Paid from credits: ${paid} ${currency}`]),
  ].join("\n");
}

/** What a mail about spending says. Everything is part of its subject in the queue, so that it is sent once for each. */
export interface ReachedSpending {
  subscriptionId: string;
  periodEnd: number;
  /** A percentage of the cap. */
  threshold: number;
  cap: { amount: string; action: "block" | "notify" };
  currency: string;
}

export function spendingSubject({ subscriptionId, periodEnd, threshold, cap, currency }: ReachedSpending): string {
  return [subscriptionId, periodEnd, threshold, cap.amount, currency, cap.action].join(" ");
}

export function spendingMessage(subject: string): MailMessage {
  const [, periodEnd, threshold, amount, currency, action] = subject.split(" ");
  const cap = `${amount} ${currency}`;
  const end = formatDateTime(Number(periodEnd)).slice(0, 10);
  const isReached = threshold === "100";
  const share = isReached ? "" : `${threshold} % of `;
  const rejected = isReached
    ? `Requests that would cost more are rejected until the next period begins on ${end}, or the limit is raised.`
    : "When all of it is spent, requests that would cost more are rejected.";
  return {
    subject: `Usage beyond your plan has cost ${share}your limit of ${cap}`,
    lines: [
      `Usage beyond your plan has cost ${share}your limit of ${cap} in the period until ${end}.`,
      action === "block" ? rejected : "Nothing is rejected, and usage beyond your plan is still billed.",
    ],
    notes: ["The price of the plan itself does not count towards the limit."],
  };
}
