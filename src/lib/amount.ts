import { formatMinor } from "./text/minor-units.ts";

/**
 * An exact amount in billionths. Floating point is inexact: 0.1 added ten times is not 1, and 1e16 + 1 is 1e16. Storage has
 * two integers, the whole and the billionths, and sums each by itself, so a sum does not depend on its order.
 */
export type Amount = bigint;

const billion = 1_000_000_000n;
const decimals = 9;

/** The largest amount that JSON numbers carry exactly. */
export const maxAmount = Number.MAX_SAFE_INTEGER;

/** Returns undefined if the number is not finite, too large, or has more than nine decimals. */
export function amountOf(value: number): Amount | undefined {
  if (!Number.isFinite(value) || Math.abs(value) > maxAmount) return undefined;
  if (Number.isInteger(value)) return BigInt(value) * billion;
  // JavaScript writes the shortest text that parses to the same number, which is the text that the sender wrote.
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e-(\d+))?$/.exec(String(value));
  if (!match) return undefined;
  const [, sign, whole = "0", fraction = "", exponent = "0"] = match;
  const places = fraction.length + Number(exponent);
  if (places > decimals) return undefined;
  const amount = BigInt(whole + fraction) * 10n ** BigInt(decimals - places);
  return sign === "-" ? -amount : amount;
}

/** The nearest JSON number; exact for everything that amountOf accepts. */
export function numberOf(amount: Amount): number {
  const billionths = Number(amount);
  // Most amounts are small. The quotient of two exact numbers is the number that is nearest.
  if (Number.isSafeInteger(billionths)) return billionths / 1e9;
  const whole = amount / billion;
  const rest = amount - whole * billion;
  if (rest === 0n) return Number(whole);
  return Number(`${amount < 0n ? "-" : ""}${abs(whole)}.${String(abs(rest)).padStart(decimals, "0")}`);
}

/** Returns an amount as a decimal without trailing zeros, such as `0.0015`. */
export function decimalOf(amount: Amount): string {
  return formatMinor(amount, decimals).replace(/\.?0+$/, "");
}

/** The two integers to store. The billionths are never negative. */
export function partsOf(amount: Amount): { whole: bigint; billionths: bigint } {
  const billionths = ((amount % billion) + billion) % billion;
  return { whole: (amount - billionths) / billion, billionths };
}

/** Creates an amount from summed parts; the sum of billionths may exceed one whole. */
export function amountFromParts(whole: number | bigint | string, billionths: number | bigint | string): Amount {
  return BigInt(whole) * billion + BigInt(billionths);
}

/** Returns `share` of an amount, such as a prorated maximum, rounded to the nearest billionth. */
export function shareOf(amount: Amount, share: number): Amount {
  const scaled = amountOf(Number(share.toFixed(decimals)))!;
  const product = amount * scaled;
  const half = billion / 2n;
  return (product >= 0n ? product + half : product - half) / billion;
}

function abs(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}
