import { currencyCodes } from "./text/currency-codes.ts";
import { formatMinor, type Minor, parseMinor } from "./text/minor-units.ts";

const digitsOf = new Map(
  Object.entries(currencyCodes).flatMap(([digits, codes]) =>
    codes.split(/\s+/).map((code) => [code, Number(digits)] as const),
  ),
);

/** Returns the number of digits of the minor unit: 2 for EUR, 0 for JPY, 3 for KWD. Undefined for an unknown code. */
export function minorDigits(currency: string): number | undefined {
  return digitsOf.get(currency);
}

/** Formats an amount, which may be stored as text, with the decimals of its currency. */
export function formatMinorOf(currency: string, minor: Minor | string): string {
  return formatMinor(BigInt(minor), minorDigits(currency)!);
}

/** Parses an amount that is known to be one of the currency. */
export function parseMinorOf(currency: string, amount: string): Minor {
  return parseMinor(amount, minorDigits(currency)!)!;
}

/** Currencies have at most this number of digits. */
export const maxDigits = 4;
