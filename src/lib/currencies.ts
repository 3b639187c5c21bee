import { currencyCodes } from "./text/currency-codes.ts";

const digitsOf = new Map(
  Object.entries(currencyCodes).flatMap(([digits, codes]) =>
    codes.split(/\s+/).map((code) => [code, Number(digits)] as const),
  ),
);

/** Returns the number of digits of the minor unit: 2 for EUR, 0 for JPY, 3 for KWD. Undefined for an unknown code. */
export function minorDigits(currency: string): number | undefined {
  return digitsOf.get(currency);
}

/** Currencies have at most this number of digits. */
export const maxDigits = 4;
