/**
 * An exact amount in billionths. Floating point is inexact: 0.1 added ten times is not 1, and 1e16 + 1 is 1e16. Storage has
 * two integers, the whole and the billionths, and sums each by itself, so a sum does not depend on its order.
 */
export type Amount = bigint;

const billion = 1_000_000_000n;
const decimals = 9;

/** The largest amount that JSON numbers carry exactly. */
export const largestAmount = Number.MAX_SAFE_INTEGER;

/** Undefined if the number is not finite, too large, or finer than a billionth. */
export function amountOf(value: number): Amount | undefined {
  if (!Number.isFinite(value) || Math.abs(value) > largestAmount) return undefined;
  if (Number.isInteger(value)) return BigInt(value) * billion;
  // JavaScript formats the shortest text that parses to the same number: what the sender wrote.
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
  // Most amounts are whole and small: divide those as numbers.
  const billionths = Number(amount);
  if (Number.isSafeInteger(billionths) && billionths % 1e9 === 0) return billionths / 1e9;
  const whole = amount / billion;
  const rest = amount - whole * billion;
  if (rest === 0n) return Number(whole);
  return Number(`${amount < 0n ? "-" : ""}${abs(whole)}.${String(abs(rest)).padStart(decimals, "0")}`);
}

/** For storage; the billionths are never negative. */
export function partsOf(amount: Amount): { whole: bigint; billionths: bigint } {
  const billionths = ((amount % billion) + billion) % billion;
  return { whole: (amount - billionths) / billion, billionths };
}

/** From sums of parts, in which the billionths may have grown beyond one. */
export function amountFromParts(whole: number | bigint | string, billionths: number | bigint | string): Amount {
  return BigInt(whole) * billion + BigInt(billionths);
}

/** `share` of an amount, such as a prorated maximum, to the nearest billionth. */
export function shareOf(amount: Amount, share: number): Amount {
  const scaled = amountOf(Number(share.toFixed(decimals)))!;
  const product = amount * scaled;
  const half = billion / 2n;
  return (product >= 0n ? product + half : product - half) / billion;
}

function abs(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}
