import { apportion, smaller } from "../../../../lib/money.ts";
import type { Minor } from "../../../../lib/text/minor-units.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { defaultTerms, isBeforeTax, type MoneyTerms, termsKey } from "../credit-grants/money-terms.ts";
import { type MoneyAmount, moneyReturnedOf, moneyTakenFor } from "../credit-grants/returned-credits.ts";
import { type DraftLine, invoiceLinesOf, sumOf } from "../plan-terms/lines.ts";
import { findInvoice, type InvoiceRow } from "./invoice-store.ts";
import { InvoiceTax } from "./taxes.ts";

/**
 * What was credited of a line, with tax: of the invoice's total, and of the promotional grants and the credits of former
 * fees that reduced it.
 */
export interface LineCredit {
  money: string;
  promotional: string;
  former: string;
  /** Of usage: the part of `money` that paid grants paid as it occurred, and what promotional ones did in addition. */
  prepaid?: string | undefined;
  used?: string | undefined;
}

export function lineCreditsOf({ line_credits }: Pick<InvoiceRow, "line_credits">): Record<string, LineCredit> {
  return JSON.parse(line_credits) as Record<string, LineCredit>;
}

/** What a line has left, and of which money. All amounts are with tax, also those of promotional money. */
export interface LineFunds {
  tax: InvoiceTax;
  /** Its amount without what was credited of it. */
  left: Minor;
  /** What it has received from its invoice and not returned. The first one is money without terms. */
  funds: (MoneyTerms & { amount: Minor })[];
  /** Of usage: what paid grants paid as it occurred, and what promotional ones did. */
  prepaid: Minor;
  used: Minor;
}

/**
 * What a line of a finalized invoice has received: its share, by amount, of what the invoice received and did not return.
 * That is payments, grants, and credits of former fees. What grants paid for usage as it occurred belongs to the usage.
 */
export async function lineFundsOf(
  reads: Reads,
  bucket: MeteringBucket,
  invoice: InvoiceRow,
  line: number,
): Promise<LineFunds> {
  const lines = invoiceLinesOf(invoice);
  const isUsage = lines[line]?.kind === "overage";
  const tax = await taxOf(reads, bucket, invoice, lines);
  const taken = await moneyTakenFor(reads, bucket.seq, invoice);
  const asUsed = prepaidOf(invoice, lines, tax, taken);
  const weights = weightsOf(invoice, lines, tax, asUsed);
  const whole = await fundsOf(reads, bucket, invoice, lines, tax, taken, asUsed);
  const all = [...weights.values()].reduce((sum, weight) => sum + weight, 0n);
  const left = notNegative(weights.get(isUsage ? usage : line) ?? 0n);
  const funds = left === 0n ? [] : divided(whole, smaller((sumOf(whole) * left) / all, left));
  if (!isUsage) return { tax, left, funds, prepaid: 0n, used: 0n };
  const { meter } = lines[line]!;
  let own = tax.withTax(owedOf(invoice, lines, line));
  let [prepaidBack, usedBack] = [0n, 0n];
  for (const [index, credit] of Object.entries(lineCreditsOf(invoice))) {
    const { money, promotional, former, prepaid = "0", used = "0" } = credit;
    prepaidBack += BigInt(prepaid);
    if (lines[Number(index)]!.meter === meter) usedBack += BigInt(used);
    if (Number(index) === line) own -= BigInt(money) + BigInt(promotional) + BigInt(former) + BigInt(used);
  }
  const isVoid = invoice.status === "void";
  const prepaid = isVoid ? 0n : notNegative(asUsed - prepaidBack);
  const promotional = -sumOf(lines.filter((each) => isBeforeTax(each) && each.meter === meter));
  const used = isVoid ? 0n : notNegative(tax.withTax(promotional) - usedBack);
  return { tax, funds, prepaid, used, left: smaller(notNegative(own), left + prepaid + used) };
}

const notNegative = (amount: Minor): Minor => (amount > 0n ? amount : 0n);

/** Parts of money that add up to an amount, in proportion to what there is of each. */
export function divided(funds: LineFunds["funds"], amount: Minor): LineFunds["funds"] {
  const parts = apportion(
    amount,
    funds.map((each) => each.amount),
  );
  return funds.map((each, index) => ({ ...each, amount: parts[index]! }));
}

/** An invoice without an amount has no taxes: its former fees were credited with the tax of their invoice. */
async function taxOf(
  reads: Reads,
  bucket: MeteringBucket,
  { id }: Pick<InvoiceRow, "id">,
  lines: DraftLine[],
): Promise<InvoiceTax> {
  const former = lines.find(({ credits }) => credits !== undefined && credits.invoiceId !== id)?.credits;
  const tax = InvoiceTax.of(lines);
  if (tax.names.length > 0 || !former) return tax;
  const invoice = await findInvoice(reads, bucket.seq, former.invoiceId);
  return invoice ? taxOf(reads, bucket, invoice, invoiceLinesOf(invoice)) : tax;
}

/** The amounts of usage without what caps and promotional grants removed from them. */
function usageOf({ written_off }: InvoiceRow, lines: DraftLine[]): Minor {
  const usage = lines.filter((line) => line.kind === "overage" || (isBeforeTax(line) && line.meter !== undefined));
  const sum = sumOf(usage) - BigInt(written_off);
  return sum > 0n ? sum : 0n;
}

/** What paid grants paid for usage as it occurred. */
function prepaidOf(invoice: InvoiceRow, lines: DraftLine[], tax: InvoiceTax, taken: MoneyAmount[]): Minor {
  const atOnce = sumOf(taken.filter(({ funding }) => funding === "paid"));
  const asUsed = BigInt(invoice.from_credits) - atOnce;
  return asUsed > 0n ? smaller(asUsed, tax.withTax(usageOf(invoice, lines))) : 0n;
}

const usage = "usage";

/** What is left of the amounts of fees, by their index, and of usage. */
function weightsOf(
  invoice: InvoiceRow,
  lines: DraftLine[],
  tax: InvoiceTax,
  prepaid: Minor,
): Map<number | typeof usage, Minor> {
  const weights = new Map<number | typeof usage, Minor>();
  const firstTax = lines.findIndex(({ kind }) => kind === "tax");
  for (const [index, { kind, amount }] of lines.entries()) {
    if (!isCreditable({ kind, amount }) || kind === "overage") continue;
    const isTaxed = firstTax < 0 || index < firstTax;
    weights.set(index, isTaxed ? tax.withTax(amount - returnedInDraft(invoice, lines, index)) : amount);
  }
  weights.set(usage, tax.withTax(usageOf(invoice, lines)) - prepaid);
  const whole = [...weights.values()].reduce((sum, weight) => sum + weight, 0n);
  let named = 0n;
  const credits = Object.entries(lineCreditsOf(invoice));
  for (const [, { money }] of credits) named += BigInt(money);
  const shared = BigInt(invoice.credited) + BigInt(invoice.netted) - named;
  for (const [key, weight] of weights) {
    // Rounded up, so that the lines together never have more left than the invoice.
    const share = shared > 0n && whole > 0n ? (shared * weight + whole - 1n) / whole : 0n;
    weights.set(key, weight - share);
  }
  for (const [index, { money, promotional, former, prepaid = "0" }] of credits) {
    const key = weights.has(Number(index)) ? Number(index) : usage;
    weights.set(key, weights.get(key)! + BigInt(prepaid) - BigInt(money) - BigInt(promotional) - BigInt(former));
  }
  for (const [key, weight] of weights) if (weight < 0n) weights.set(key, 0n);
  return weights;
}

/** Whether a line is an amount that a customer owes: not a credit, nor a tax. */
export function isCreditable({ kind, amount }: Pick<DraftLine, "kind" | "amount">): boolean {
  return amount > 0n && kind !== "credit" && kind !== "tax";
}

/** What was returned of a line while its invoice was a draft. */
export function returnedInDraft({ id }: Pick<InvoiceRow, "id">, lines: DraftLine[], line: number): Minor {
  return -sumOf(lines.filter(({ credits }) => credits?.invoiceId === id && credits.line === line));
}

/** The amount of a line of usage without what no prepaid money covered, and without what was returned in the draft. */
export function owedOf(invoice: Pick<InvoiceRow, "id">, lines: DraftLine[], line: number): Minor {
  const { meter, periodStart, periodEnd, amount } = lines[line]!;
  const uncovered = lines.filter(
    (each) =>
      each.kind === "credit" &&
      each.funding === undefined &&
      each.meter === meter &&
      each.periodStart === periodStart &&
      each.periodEnd === periodEnd,
  );
  return amount + sumOf(uncovered) - returnedInDraft(invoice, lines, line);
}

/** What the invoice has received and not returned, by its terms. */
async function fundsOf(
  reads: Reads,
  bucket: MeteringBucket,
  invoice: InvoiceRow,
  lines: DraftLine[],
  tax: InvoiceTax,
  taken: MoneyAmount[],
  prepaid: Minor,
): Promise<LineFunds["funds"]> {
  const isVoid = invoice.status === "void";
  let plain = tax.withTax(formerFees(invoice, lines));
  let money = plain;
  const withTerms: LineFunds["funds"] = [];
  const returned = await moneyReturnedOf(reads, bucket.seq, invoice);
  const add = (terms: MoneyTerms, received: Minor) => {
    const back = returned.find((each) => isSame(each, terms))?.amount ?? 0n;
    const amount = received > back ? received - back : 0n;
    if (amount > 0n) withTerms.push({ ...terms, amount });
  };
  // What grants paid of a void invoice was granted again.
  if (!isVoid) {
    const ofGrants = BigInt(invoice.from_credits) - prepaid;
    money += BigInt(invoice.collected ?? "0") + ofGrants;
    for (const each of taken)
      if (each.funding === "paid" && !isSame(each, defaultTerms)) add(each, smaller(each.amount, ofGrants));
    const promotional = taken.filter(isBeforeTax);
    for (const each of promotional) add(each, each.amount);
    const shown = -sumOf(lines.filter((line) => isBeforeTax(line) && line.meter === undefined));
    const unknown = shown - sumOf(promotional);
    if (unknown > 0n) add({ ...defaultTerms, funding: "promotional" }, unknown);
  }
  money -= moneyReturnedBy(invoice);
  if (money < 0n) money = 0n;
  const paid = withTerms.filter(({ funding }) => funding === "paid");
  const sum = sumOf(paid);
  // A credit note may have returned money that had terms without them.
  if (sum > money) for (const each of paid) each.amount = (each.amount * money) / sum;
  plain = money - sumOf(paid);
  for (const each of withTerms) if (isBeforeTax(each)) each.amount = tax.withTax(each.amount);
  return [{ ...defaultTerms, amount: plain }, ...withTerms];
}

function isSame(left: MoneyTerms, right: MoneyTerms): boolean {
  return termsKey(left) === termsKey(right);
}

/** Credits of former fees that reduced the invoice, without those that it moved to a grant. */
function formerFees({ id }: InvoiceRow, lines: DraftLine[]): Minor {
  const credits = lines.filter(
    ({ kind, amount, credits }) => kind === "proration" && amount < 0n && credits?.invoiceId !== id,
  );
  const moved = lines.filter(({ kind, amount }) => kind === "credit" && amount > 0n);
  const sum = -sumOf(credits) - sumOf(moved);
  return sum > 0n ? sum : 0n;
}

/** The part of credit notes, and of later invoices, that did not only reduce what was due. */
function moneyReturnedBy(invoice: InvoiceRow): Minor {
  const lineCredits = Object.values(lineCreditsOf(invoice));
  const former = lineCredits.reduce((sum, each) => sum + BigInt(each.former), 0n);
  const prepaid = lineCredits.reduce((sum, each) => sum + BigInt(each.prepaid ?? "0"), 0n);
  const netted = BigInt(invoice.netted) + former;
  if (invoice.status !== "paid") return netted;
  const { total, from_credits, credited } = invoice;
  const reduced = BigInt(total) - BigInt(from_credits) - BigInt(invoice.collected ?? "0");
  const returned = BigInt(credited) - prepaid - (reduced > 0n ? reduced : 0n);
  return netted + (returned > 0n ? returned : 0n);
}
