import { smaller } from "../../../../lib/money.ts";
import type { Minor } from "../../../../lib/text/minor-units.ts";
import { locking } from "../../../../platform/storage/query.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { BucketContext, MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import type { ChargedFee } from "../../subscriptions/state.ts";
import { defaultTerms, isBeforeTax, type Money, noMoney, plus } from "../credit-grants/money-terms.ts";
import { grantReturn, moneyOf, moneyUsedFor } from "../credit-grants/returned-credits.ts";
import { findCustomer, presentBuyer } from "../customers/customers.ts";
import { type DraftLine, invoiceLinesOf, type LineReference, sumOf } from "../plan-terms/lines.ts";
import { profileOf } from "../settings/settings.ts";
import { applyCredits, type CreditOptions, insertNote, uncreditedOf } from "./credit-notes.ts";
import { unpaid } from "./invoice-actions.ts";
import * as store from "./invoice-store.ts";
import { type Invoice, invoiceSums } from "./invoices.ts";
import { changeInvoice } from "./payments.ts";
import { divided, type LineFunds, lineCreditsOf, lineFundsOf, owedOf, returnedInDraft } from "./received.ts";
import { behaviorOf, taxNames, taxTerms } from "./taxes.ts";

/** A charged fee, and the line that credits its unused share, whether it was paid or not. */
export interface UnusedFee {
  fee: ChargedFee;
  credit: DraftLine;
}

/** A line of an invoice. */
interface Place {
  invoice: Invoice;
  line: number;
}

/** The line of the next invoice, if it credits a part, and what is returned of the money that grants paid as usage occurred. */
interface Returned {
  credit?: DraftLine;
  used: Money;
}

/**
 * Returns the unused share of a fee. Returns the line of the next invoice, if that credits a part.
 * @param room how much of it, without tax, the next invoice can credit
 */
export async function returnFee(
  context: BucketContext,
  { fee, credit }: UnusedFee,
  room: Minor,
): Promise<DraftLine | undefined> {
  const place = await placeOf(context.transaction, context.bucket, fee);
  return place && (await returnLine(context, place, credit, room)).credit;
}

/** The invoice and line of a fee, if there is something to pay. */
export async function placeOf(
  transaction: WriteTransaction,
  bucket: MeteringBucket,
  { invoiceId, line }: ChargedFee,
): Promise<Place | undefined> {
  if (invoiceId === undefined || line === undefined) return undefined;
  const invoice = await store.findInvoice(locking(transaction), bucket.seq, invoiceId);
  return invoice && { invoice, line };
}

/**
 * Returns what was billed too much of a segment's usage: of its invoices, the newest first. No part of an invoice is returned
 * twice.
 * @param line the amount without tax, negative, and what was `billed` before
 * @param room how much of it the invoice of the draft can credit
 * @returns the lines of that invoice, and what is returned of the money that grants paid as the usage occurred
 */
export async function returnUsage(
  context: BucketContext,
  draft: Invoice,
  { line, billed }: { line: DraftLine; billed: Minor },
  room: Minor,
): Promise<{ lines: DraftLine[]; used: Money }> {
  const { transaction, bucket } = context;
  const lines: DraftLine[] = [];
  let rest = -line.amount;
  let left = room;
  let used = noMoney;
  const invoices = await store.allInvoicesOf(transaction, bucket.seq, draft.subscription_id!);
  const places = invoices.reverse().flatMap(({ id, ...row }) => {
    const all = invoiceLinesOf(row);
    return [...all.keys()]
      .filter((index) => id !== draft.id && isSameUsage(all[index]!, line))
      .map((index) => ({ id, index, owed: owedOf({ id }, all, index) }));
  });
  // What former corrections returned: those of the newest invoices.
  let former = places.reduce((sum, { owed }) => sum + owed, 0n) - billed;
  const { planId, meter, description, periodStart, periodEnd } = line;
  const credit = { kind: "proration", planId, meter, description, quantity: 1 } as const;
  for (const { id, index, owed } of places) {
    const skipped = former > 0n ? smaller(owed, former) : 0n;
    former -= skipped;
    const amount = smaller(rest, owed - skipped);
    if (amount <= 0n) continue;
    rest -= amount;
    const invoice = (await store.findInvoice(locking(transaction), bucket.seq, id))!;
    const part = { ...credit, amount: -amount, periodStart, periodEnd };
    const returned = await returnLine(context, { invoice, line: index }, part, left, draft);
    used = plus(used, returned.used);
    if (!returned.credit) continue;
    lines.push(returned.credit);
    left += returned.credit.amount;
  }
  return { lines, used };
}

function isSameUsage({ kind, meter, amount, periodStart }: DraftLine, line: DraftLine): boolean {
  return kind === "overage" && amount > 0n && meter === line.meter && periodStart === line.periodStart;
}

/**
 * Returns a part of a line's amount, but not more than the line has received. It first reduces what is due on its invoice, by a
 * credit note. The rest is returned in proportion to how the line was paid, each part on its own terms.
 * @param credit the amount without tax, negative
 * @param room how much of it, without tax, the next invoice can credit, which is done if it has the same taxes
 * @param draft the next invoice, if it exists already
 */
async function returnLine(
  context: BucketContext,
  { invoice, line }: Place,
  credit: DraftLine,
  room: Minor,
  draft?: Invoice,
): Promise<Returned> {
  const { transaction, bucket } = context;
  if (invoice.status === "draft") {
    await reduceDraft(context, invoice, line, credit);
    return { used: noMoney };
  }
  const { tax, left, funds, prepaid, used } = await lineFundsOf(transaction, bucket, invoice, line);
  const wanted = smaller(tax.withTax(-credit.amount), left);
  const due = unpaid.includes(invoice.status) ? BigInt(invoice.amount_due) : 0n;
  const reduced = smaller(wanted, due);
  const asUsed = [
    { ...defaultTerms, amount: prepaid },
    { ...defaultTerms, funding: "promotional" as const, amount: used },
  ];
  const all = [...funds, ...asUsed];
  const parts = divided(all, smaller(wanted - reduced, sumOf(all)));
  const [prepaidPart, usedPart] = parts.splice(-2);
  const [plain] = parts;
  const netted = await nettedOf(context, invoice, { tax }, plain?.amount ?? 0n, room, draft);
  if (plain) plain.amount -= netted.gross;
  const promotional = sumOf(parts.filter(isBeforeTax));
  const money = sumOf(parts) - promotional + prepaidPart!.amount;
  const reference = { invoiceId: invoice.id, line };
  await credited(context, invoice, { ...credit, credits: reference }, reduced + money, {
    netted: netted.gross,
    promotional,
    prepaid: prepaidPart!.amount,
    used: usedPart!.amount,
  });
  const { kind, meter } = invoiceLinesOf(invoice)[line]!;
  const ofGrants = await moneyUsedFor(transaction, bucket.seq, invoice, meter, usedPart!);
  const ofPaidGrants = await moneyUsedFor(transaction, bucket.seq, invoice, meter, prepaidPart!);
  for (const part of [...parts, ...ofPaidGrants, ...ofGrants]) {
    const amount = isBeforeTax(part) ? tax.withoutTax(part.amount) : part.amount;
    if (amount > 0n) await grantReturn(context, invoice, { ...part, amount }, kind === "overage" ? "usage" : "fee");
  }
  const ofPacks = tax.withoutTax(moneyOf(ofGrants).prepaid);
  const back = {
    promotional: tax.withoutTax(usedPart!.amount) - ofPacks,
    prepaid: ofPacks,
    paid: tax.takenFor(prepaidPart!.amount),
  };
  return { used: back, ...(netted.net > 0n && { credit: { ...credit, amount: -netted.net, credits: reference } }) };
}

/** A draft has received nothing, and can be changed. */
async function reduceDraft(context: BucketContext, draft: Invoice, line: number, credit: DraftLine): Promise<void> {
  const lines = invoiceLinesOf(draft);
  const left = lines[line]!.amount - returnedInDraft(draft, lines, line);
  const amount = smaller(smaller(-credit.amount, left), sumOf(lines));
  if (amount <= 0n) return;
  lines.push({ ...credit, amount: -amount, credits: { invoiceId: draft.id, line } });
  await changeInvoice(context, draft, invoiceSums(lines, draft.currency));
}

/** The part of money without terms that the next invoice credits: none if its taxes are others. */
async function nettedOf(
  { transaction, act, bucket }: BucketContext,
  { customer_key }: Invoice,
  { tax }: Pick<LineFunds, "tax">,
  money: Minor,
  room: Minor,
  draft: Pick<Invoice, "tax_behavior"> | undefined,
): Promise<{ net: Minor; gross: Minor }> {
  const none = { net: 0n, gross: 0n };
  if (money <= 0n || room <= 0n) return none;
  const profile = await profileOf(transaction, act.account.seq);
  if (!profile) return none;
  const buyer = presentBuyer(await findCustomer(transaction, bucket, customer_key));
  if (taxNames(taxTerms(profile, behaviorOf(draft, profile), buyer)).join() !== tax.names.join()) return none;
  const net = tax.withoutTax(money);
  return net <= room ? { net, gross: money } : { net: room, gross: smaller(tax.withTax(room), money) };
}

/**
 * Records what is returned of a line, with a credit note for what the next invoice does not credit. A credit note has at
 * most the total: what credits of former fees have paid is credited on the invoices of those fees.
 */
async function credited(
  context: BucketContext,
  invoice: Invoice,
  credit: DraftLine & { credits: LineReference },
  amount: Minor,
  more: Pick<CreditOptions, "prepaid" | "used"> & { netted: Minor; promotional: Minor },
): Promise<void> {
  if (amount + more.netted + more.promotional + (more.used ?? 0n) === 0n) return;
  const isVoid = invoice.status === "void";
  const due = BigInt(invoice.amount_due);
  const room = isVoid ? 0n : uncreditedOf(invoice);
  // What is due is credited first: otherwise it stays due, although all of the line was returned.
  const netted = isVoid ? more.netted : notMore(more.netted, room - smaller(amount, due));
  const here = notMore(amount, room - netted);
  const lines = here > 0n ? [{ ...credit, amount: here }] : [];
  if (here > 0n) {
    const collected = String(here > due ? here - due : 0n);
    const none = { refunded: "0", refund_state: null, payment_reference: null };
    await insertNote(context, invoice, lines, { collected, ...none });
  }
  const former = amount - here;
  const ofFormer = former + more.netted - netted;
  await applyCredits(context, invoice, lines, { ...more, netted, former: ofFormer, line: credit.credits.line });
  await creditFormer(context, invoice, former);
}

/** An amount as far as there is room for it. */
function notMore(amount: Minor, room: Minor): Minor {
  return room > 0n ? smaller(amount, room) : 0n;
}

/** Credits former fees on their own invoices, which count it as credited by a later invoice until now. */
async function creditFormer(context: BucketContext, { id, ...row }: Invoice, amount: Minor): Promise<void> {
  const { transaction, act, bucket } = context;
  let rest = amount;
  for (const { credits } of invoiceLinesOf(row)) {
    if (rest === 0n) return;
    if (!credits || credits.invoiceId === id) continue;
    const former = await store.findInvoice(locking(transaction), bucket.seq, credits.invoiceId);
    const back = former ? smaller(rest, BigInt(former.netted)) : 0n;
    if (!former || back === 0n) continue;
    rest -= back;
    const { planId, description, periodEnd } = invoiceLinesOf(former)[credits.line]!;
    const period = { periodStart: act.now, periodEnd };
    const credit = { kind: "proration", planId, description, quantity: 1, amount: 0n, ...period, credits } as const;
    await credited(context, withoutNetted(former, credits.line, back), credit, back, { netted: 0n, promotional: 0n });
  }
}

function withoutNetted(invoice: Invoice, line: number, amount: Minor): Invoice {
  const lineCredits = lineCreditsOf(invoice);
  const credit = lineCredits[line]!;
  lineCredits[line] = { ...credit, money: String(BigInt(credit.money) - amount) };
  const netted = String(BigInt(invoice.netted) - amount);
  return { ...invoice, netted, line_credits: JSON.stringify(lineCredits) };
}
