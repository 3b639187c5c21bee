import { apportion, parsePrice, roundedQuotient } from "../../../../lib/money.ts";
import type { Minor } from "../../../../lib/text/minor-units.ts";
import type { TaxStatus } from "../customers/customers.ts";
import { type DraftLine, sumOf, totalOf } from "../plan-terms/lines.ts";
import type { BillingProfile, TaxBehavior } from "../settings/settings.ts";
import type { InvoiceRow } from "./invoice-store.ts";

type TaxRate = NonNullable<BillingProfile["taxRates"]>[number];

/** Who pays an invoice, as far as taxes depend on it. */
export interface TaxedBuyer {
  address?: { country: string } | undefined;
  taxStatus?: TaxStatus | undefined;
}

/** The taxes of an invoice: added to its prices, included in them, or taken out of prices that include them. */
interface TaxTerms {
  kind: "added" | "included" | "removed";
  rates: TaxRate[];
}

/** The behavior of a draft, or, if it has none yet, that of the profile. */
export function behaviorOf(
  draft: Pick<InvoiceRow, "tax_behavior"> | undefined,
  { taxBehavior }: BillingProfile,
): TaxBehavior {
  return (draft?.tax_behavior as TaxBehavior | null | undefined) ?? taxBehavior;
}

/**
 * The taxes of a customer. A customer without tax pays an inclusive price without its tax: that of the customer's
 * country, or, where no rate applies, that of the seller's country.
 */
export function taxTerms(profile: BillingProfile, behavior: TaxBehavior, buyer: TaxedBuyer): TaxTerms {
  const { taxRates = [], address } = profile;
  const own = ratesFor(taxRates, buyer.address?.country);
  const isTaxed = (buyer.taxStatus ?? "taxable") === "taxable" && own.length > 0;
  if (behavior === "exclusive") return { kind: "added", rates: isTaxed ? own : [] };
  if (isTaxed) return { kind: "included", rates: own };
  return { kind: "removed", rates: own.length > 0 ? own : ratesFor(taxRates, address.country) };
}

function ratesFor(rates: TaxRate[], country: string | undefined): TaxRate[] {
  return rates.filter((rate) => rate.country === undefined || rate.country === country);
}

/** How `InvoiceTax` names the taxes of an invoice with these terms. */
export function taxNames({ kind, rates }: TaxTerms): string[] {
  return rates.flatMap((rate) => (percentageOf(rate) === 0n ? [] : nameOf(taxLine(kind, rate, 0n, 0))));
}

export function taxLines({ kind, rates }: TaxTerms, subtotal: Minor, at: number): DraftLine[] {
  if (subtotal <= 0n) return [];
  const amounts = kind === "added" ? addedTaxes(rates, subtotal) : includedTaxes(rates, subtotal);
  return rates
    .map((rate, index) => taxLine(kind, rate, kind === "removed" ? -amounts[index]! : amounts[index]!, at))
    .filter(({ amount }) => amount !== 0n);
}

const whole = 100n * 10n ** 12n;
const percentageOf = ({ percentage }: TaxRate) => parsePrice(percentage)!;

function addedTaxes(rates: TaxRate[], net: Minor): Minor[] {
  return rates.map((rate) => roundedQuotient(net * percentageOf(rate), whole));
}

/** The amount without taxes is rounded once, so that it does not depend on the number of rates. */
function includedTaxes(rates: TaxRate[], gross: Minor): Minor[] {
  const percentages = rates.map(percentageOf);
  const all = percentages.reduce((sum, each) => sum + each, 0n);
  return apportion(gross - roundedQuotient(gross * whole, whole + all), percentages);
}

function taxLine(kind: TaxTerms["kind"], { name, percentage }: TaxRate, amount: Minor, at: number): DraftLine {
  const rate = `${name} ${percentage} %`;
  const description = kind === "removed" ? `Without ${rate}` : rate;
  const line = { kind: "tax", description, quantity: 1, amount, periodStart: at, periodEnd: at } as const;
  return kind === "included" ? { ...line, isIncluded: true } : line;
}

/** Taxes that are included differ from those that are added. */
function nameOf({ description, isIncluded }: DraftLine): string {
  return `${description}${isIncluded ? " included" : ""}`;
}

/** Why a customer pays no tax. */
export function taxNote({ taxStatus }: TaxedBuyer): string | undefined {
  if (taxStatus === "reverse-charge") return "Reverse charge: the customer is liable for the tax.";
  return taxStatus === "exempt" ? "The customer is exempt from tax." : undefined;
}

/** The lines before the taxes. Lines after them are carried over from other invoices, and include tax. */
function taxedLines(lines: DraftLine[]): DraftLine[] {
  const first = lines.findIndex(({ kind }) => kind === "tax");
  return first < 0 ? lines : lines.slice(0, first);
}

/** The lines without their taxes, which are shared by amount where prices include them. */
export function linesWithoutTax(lines: DraftLine[]): DraftLine[] {
  const taxed = taxedLines(lines);
  const taxes = lines.filter(({ kind }) => kind === "tax");
  const inside = sumOf(taxes.filter(({ isIncluded }) => isIncluded)) - sumOf(taxes.filter(({ amount }) => amount < 0n));
  const shares = apportion(
    inside,
    taxed.map(({ amount }) => amount),
  );
  return [
    ...taxed.map((line, index) => ({ ...line, amount: line.amount - shares[index]! })),
    ...lines.slice(taxed.length).filter(({ kind }) => kind !== "tax"),
  ];
}

/**
 * The tax of an invoice: what a price costs with it, and which price an amount with it has. Both are the same for prices
 * that include tax, and a customer without tax pays less than such a price.
 */
export class InvoiceTax {
  private constructor(
    readonly names: string[],
    private readonly price: Minor,
    private readonly paid: Minor,
    private readonly taxes: DraftLine[],
  ) {}

  static of(lines: DraftLine[]): InvoiceTax {
    const taxes = lines.filter(({ kind }) => kind === "tax");
    const price = sumOf(taxedLines(lines));
    const names = taxes.map(nameOf);
    const charged = taxes.filter(({ amount }) => amount > 0n);
    const paid = price + totalOf(taxes);
    // Without an amount there is no tax either: each amount is then the same with tax.
    return price <= 0n || paid <= 0n
      ? new InvoiceTax(names, 1n, 1n, charged)
      : new InvoiceTax(names, price, paid, charged);
  }

  withTax(amount: Minor): Minor {
    return roundedQuotient(amount * this.paid, this.price);
  }

  /** Rounded down where a price is larger than what is paid for it: otherwise it could exceed what was received. */
  withoutTax(amount: Minor): Minor {
    const [numerator, denominator] = [amount * this.price, this.paid];
    return this.price > this.paid ? numerator / denominator : roundedQuotient(numerator, denominator);
  }

  /** What was taken as usage occurred for an amount that it paid: the price, also where a customer without tax pays less. */
  takenFor(amount: Minor): Minor {
    return this.price > this.paid ? this.withoutTax(amount) : amount;
  }

  /**
   * The lines of a credit note, without tax unless prices include it, and its taxes. The taxes of all credit notes add up
   * to that of the invoice.
   * @param lines with tax
   * @param credited what earlier credit notes credited, with tax
   */
  ofCreditNote(lines: DraftLine[], credited: Minor, at: number): DraftLine[] {
    const tax = this.#taxOf(credited + sumOf(lines)) - this.#taxOf(credited);
    if (tax === 0n) return lines;
    const added = sumOf(this.taxes.filter(({ isIncluded }) => !isIncluded)) === 0n ? 0n : tax;
    const ofLines = apportion(
      added,
      lines.map((line) => line.amount),
    );
    const ofTaxes = apportion(
      tax,
      this.taxes.map((line) => line.amount),
    );
    return [
      ...lines.map((line, index) => ({ ...line, amount: line.amount - ofLines[index]! })),
      ...this.taxes
        .map((line, index) => ({ ...line, amount: ofTaxes[index]!, periodStart: at, periodEnd: at }))
        .filter((line) => line.amount !== 0n),
    ];
  }

  #taxOf(amount: Minor): Minor {
    const all = sumOf(this.taxes);
    const share = roundedQuotient(all * amount, this.paid);
    return share < all ? share : all;
  }
}
