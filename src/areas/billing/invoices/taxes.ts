import { apportion, type Minor, parsePrice, roundedQuotient } from "../../../lib/money.ts";
import type { BillingProfile } from "../settings/settings.ts";
import { type DraftLine, sumOf } from "./lines.ts";

/** The name of each tax that applies to customers in a country. */
export function taxNames({ taxRates = [] }: BillingProfile, country: string | undefined): string[] {
  return ratesFor(taxRates, country).map(nameOf);
}

export function taxLines(
  { taxRates = [] }: BillingProfile,
  country: string | undefined,
  subtotal: Minor,
  { created_on }: { created_on: number },
): DraftLine[] {
  if (subtotal <= 0n) return [];
  return ratesFor(taxRates, country)
    .map((rate) => taxLine(nameOf(rate), roundedQuotient(subtotal * parsePrice(rate.percentage)!, scale), created_on))
    .filter(({ amount }) => amount !== 0n);
}

const scale = 100n * 10n ** 12n;

type TaxRate = NonNullable<BillingProfile["taxRates"]>[number];

function ratesFor(rates: TaxRate[], country: string | undefined): TaxRate[] {
  return rates.filter((rate) => rate.country === undefined || rate.country === country);
}

function nameOf({ name, percentage }: TaxRate): string {
  return `${name} ${percentage} %`;
}

function taxLine(description: string, amount: Minor, at: number): DraftLine {
  return { kind: "tax", description, quantity: 1, amount, periodStart: at, periodEnd: at };
}

/** The tax of an invoice: amounts of its lines with and without tax, and the names of its taxes. */
export class InvoiceTax {
  private constructor(
    readonly names: string[],
    private readonly net: Minor,
    private readonly gross: Minor,
    private readonly taxes: DraftLine[],
  ) {}

  /** Lines after the taxes are carried over from other invoices, and include tax. */
  static of(lines: DraftLine[]): InvoiceTax {
    const taxes = lines.filter(({ kind }) => kind === "tax");
    const first = lines.findIndex(({ kind }) => kind === "tax");
    const net = sumOf(first < 0 ? lines : lines.slice(0, first));
    const names = taxes.map(({ description }) => description!);
    // Without an amount there is no tax either: each amount is then the same with tax.
    return net <= 0n ? new InvoiceTax(names, 1n, 1n, taxes) : new InvoiceTax(names, net, net + sumOf(taxes), taxes);
  }

  withTax(amount: Minor): Minor {
    return roundedQuotient(amount * this.gross, this.net);
  }

  withoutTax(amount: Minor): Minor {
    return roundedQuotient(amount * this.net, this.gross);
  }

  /**
   * The lines of a credit note without tax, and its taxes. The taxes of all credit notes add up to that of the invoice.
   * @param lines with tax
   * @param credited what earlier credit notes credited, with tax
   */
  ofCreditNote(lines: DraftLine[], credited: Minor, at: number): DraftLine[] {
    const amount = sumOf(lines);
    const tax = this.#taxOf(credited + amount) - this.#taxOf(credited);
    if (tax === 0n) return lines;
    const ofLines = apportion(
      tax,
      lines.map((line) => line.amount),
    );
    const ofTaxes = apportion(
      tax,
      this.taxes.map((line) => line.amount),
    );
    return [
      ...lines.map((line, index) => ({ ...line, amount: line.amount - ofLines[index]! })),
      ...this.taxes
        .map(({ description }, index) => taxLine(description!, ofTaxes[index]!, at))
        .filter((line) => line.amount !== 0n),
    ];
  }

  #taxOf(amount: Minor): Minor {
    const all = sumOf(this.taxes);
    const share = roundedQuotient(all * amount, this.gross);
    return share < all ? share : all;
  }
}
