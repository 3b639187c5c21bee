import type { Act } from "../../../../core/access.ts";
import { smaller } from "../../../../lib/money.ts";
import type { Minor } from "../../../../lib/text/minor-units.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { BucketContext, MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import type { ChargedFee } from "../../subscriptions/state.ts";
import { isBeforeTax } from "../credit-grants/money-terms.ts";
import { grantUnusedFee } from "../credit-grants/returned-credits.ts";
import { findCustomer, presentBuyer } from "../customers/customers.ts";
import { type DraftLine, invoiceLinesOf, type LineReference, sumOf } from "../plan-terms/lines.ts";
import { profileOf } from "../settings/settings.ts";
import { applyCredits, type CreditOptions, insertNote, uncreditedOf } from "./credit-notes.ts";
import { unpaid } from "./invoice-actions.ts";
import * as store from "./invoice-store.ts";
import { type Invoice, invoiceSums } from "./invoices.ts";
import { divided, type LineFunds, lineCreditsOf, lineFundsOf, returnedInDraft } from "./received.ts";
import { behaviorOf, taxNames, taxTerms } from "./taxes.ts";

/** A charged fee, and the line that credits its unused share, whether it was paid or not. */
export interface UnusedFee {
  fee: ChargedFee;
  credit: DraftLine;
}

/**
 * Returns the unused share of a fee, but not more than the fee has received. It first reduces what is due on the invoice of
 * the fee, by a credit note. The rest is returned in proportion to how the fee was paid, each part on its own terms.
 * @param room how much of it, without tax, the next invoice can credit, which is done if it has the same taxes
 * @returns the line of the next invoice, if it credits a part
 */
export async function returnFee(
  context: BucketContext,
  { fee, credit }: UnusedFee,
  room: Minor,
): Promise<DraftLine | undefined> {
  const { transaction, act, bucket } = context;
  const place = await placeOf(transaction, bucket, fee);
  if (!place) return undefined;
  const { invoice, line } = place;
  if (invoice.status === "draft") {
    await reduceDraft(transaction, act, invoice, line, credit);
    return undefined;
  }
  const lineFunds = await lineFundsOf(transaction, bucket, invoice, line);
  const { tax, left } = lineFunds;
  const wanted = smaller(tax.withTax(-credit.amount), left);
  const due = unpaid.includes(invoice.status) ? BigInt(invoice.amount_due) : 0n;
  const reduced = smaller(wanted, due);
  const { funds } = lineFunds;
  const parts = divided(funds, smaller(wanted - reduced, sumOf(funds)));
  const [plain] = parts;
  const netted = await nettedOf(context, invoice, lineFunds, plain?.amount ?? 0n, room);
  if (plain) plain.amount -= netted.gross;
  const promotional = sumOf(parts.filter(isBeforeTax));
  const money = sumOf(parts) - promotional;
  const reference = { invoiceId: invoice.id, line };
  await credited(context, invoice, { ...credit, credits: reference }, reduced + money, {
    netted: netted.gross,
    promotional,
  });
  for (const part of parts) {
    const amount = isBeforeTax(part) ? tax.withoutTax(part.amount) : part.amount;
    if (amount > 0n) await grantUnusedFee(context, invoice, { ...part, amount });
  }
  return netted.net > 0n ? { ...credit, amount: -netted.net, credits: reference } : undefined;
}

/** The invoice and line of a fee, if there is something to pay. */
export async function placeOf(
  transaction: WriteTransaction,
  bucket: MeteringBucket,
  { invoiceId, line }: ChargedFee,
): Promise<{ invoice: Invoice; line: number } | undefined> {
  if (invoiceId === undefined || line === undefined) return undefined;
  const invoice = await store.findInvoiceForUpdate(transaction, bucket.seq, invoiceId);
  return invoice && { invoice, line };
}

/** A draft has received nothing, and can be changed. */
export async function reduceDraft(
  transaction: WriteTransaction,
  act: Act,
  draft: Invoice,
  line: number,
  credit: DraftLine,
): Promise<void> {
  const lines = invoiceLinesOf(draft);
  const left = lines[line]!.amount - returnedInDraft(draft, lines, line);
  const amount = smaller(smaller(-credit.amount, left), sumOf(lines));
  if (amount <= 0n) return;
  lines.push({ ...credit, amount: -amount, credits: { invoiceId: draft.id, line } });
  await store.updateInvoice(transaction, draft, {
    ...invoiceSums(lines, draft.currency),
    version: draft.version + 1,
    updated_on: act.now,
  });
}

/**
 * The part of money without terms that the next invoice credits: none if its taxes are others.
 * @param draft the next invoice, if it exists already
 */
export async function nettedOf(
  { transaction, act, bucket }: BucketContext,
  { customer_key }: Invoice,
  { tax }: Pick<LineFunds, "tax">,
  money: Minor,
  room: Minor,
  draft?: Pick<Invoice, "tax_behavior">,
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
export async function credited(
  context: BucketContext,
  invoice: Invoice,
  credit: DraftLine & { credits: LineReference },
  amount: Minor,
  more: Pick<CreditOptions, "prepaid" | "used"> & { netted: Minor; promotional: Minor },
): Promise<void> {
  if (amount + more.netted + more.promotional + (more.used ?? 0n) === 0n) return;
  const room = invoice.status === "void" ? 0n : uncreditedOf(invoice) - more.netted;
  const here = room > 0n ? smaller(amount, room) : 0n;
  const lines = here > 0n ? [{ ...credit, amount: here }] : [];
  if (here > 0n) {
    const due = BigInt(invoice.amount_due);
    const collected = String(here > due ? here - due : 0n);
    const none = { refunded: "0", refund_state: null, payment_reference: null };
    await insertNote(context, invoice, lines, { collected, ...none });
  }
  const former = amount - here;
  await applyCredits(context, invoice, lines, { ...more, former, line: credit.credits.line });
  await creditFormer(context, invoice, former);
}

/** Credits former fees on their own invoices, which count it as credited by a later invoice until now. */
async function creditFormer(context: BucketContext, { id, ...row }: Invoice, amount: Minor): Promise<void> {
  const { transaction, act, bucket } = context;
  let rest = amount;
  for (const { credits } of invoiceLinesOf(row)) {
    if (rest === 0n) return;
    if (!credits || credits.invoiceId === id) continue;
    const former = await store.findInvoiceForUpdate(transaction, bucket.seq, credits.invoiceId);
    const back = former ? smaller(rest, BigInt(former.netted)) : 0n;
    if (!former || back === 0n) continue;
    rest -= back;
    const { planId, description, periodEnd } = invoiceLinesOf(former)[credits.line]!;
    const period = { periodStart: act.now, periodEnd };
    const credit = { kind: "proration", planId, description, quantity: 1, amount: 0n, ...period, credits } as const;
    await credited(context, withoutNetted(former, credits.line, back), credit, back, {
      netted: 0n,
      promotional: 0n,
    });
  }
}

function withoutNetted(invoice: Invoice, line: number, amount: Minor): Invoice {
  const lineCredits = lineCreditsOf(invoice);
  const credit = lineCredits[line]!;
  lineCredits[line] = { ...credit, money: String(BigInt(credit.money) - amount) };
  const netted = String(BigInt(invoice.netted) - amount);
  return { ...invoice, netted, line_credits: JSON.stringify(lineCredits) };
}
