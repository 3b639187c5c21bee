import type { Minor } from "./text/minor-units.ts";

/**
 * An exact price in 10^-12 of a currency's unit, such as the price of one request. It is never a floating-point number.
 */
export type Price = bigint;

/** The number of decimals of a price. */
export const priceDecimals = 12;
const priceScale = 10n ** BigInt(priceDecimals);

/** Twelve digits before the point: every amount and the products of quantities remain far from any limit. */
const decimalPattern = /^(0|[1-9]\d{0,11})(?:\.(\d{1,12}))?$/;

/** Parses a decimal that is not negative, such as `0.0015`. Returns undefined if it is not one. */
export function parsePrice(text: string): Price | undefined {
  const match = decimalPattern.exec(text);
  if (!match) return undefined;
  const [, whole = "0", fraction = ""] = match;
  return BigInt(whole) * priceScale + BigInt(fraction.padEnd(priceDecimals, "0"));
}

/** An exact fraction with a positive denominator. */
export interface Fraction {
  numerator: bigint;
  denominator: bigint;
}

export const one: Fraction = { numerator: 1n, denominator: 1n };

export function fraction(numerator: bigint | number, denominator: bigint | number): Fraction {
  return { numerator: BigInt(numerator), denominator: BigInt(denominator) };
}

export function isLess(left: Fraction, right: Fraction): boolean {
  return left.numerator * right.denominator < right.numerator * left.denominator;
}

export function larger(left: Fraction, right: Fraction): Fraction {
  return isLess(left, right) ? right : left;
}

/** 1 − the fraction. */
export function rest({ numerator, denominator }: Fraction): Fraction {
  return { numerator: denominator - numerator, denominator };
}

/** Rounds half away from zero, as invoices do. The denominator must be positive. */
export function roundedQuotient(numerator: bigint, denominator: bigint): bigint {
  const magnitude = numerator < 0n ? -numerator : numerator;
  const rounded = (2n * magnitude + denominator) / (2n * denominator);
  return numerator < 0n ? -rounded : rounded;
}

/** Returns a share of a price in minor units, rounded once. */
export function shareOfPrice(price: Price, { numerator, denominator }: Fraction, digits: number): Minor {
  return roundedQuotient(price * numerator * 10n ** BigInt(digits), denominator * priceScale);
}

/** Divides an amount in proportion to weights that are not negative. The parts add up to it. */
export function apportion(amount: Minor, weights: bigint[]): Minor[] {
  const sum = weights.reduce((added, weight) => added + weight, 0n);
  let before = 0n;
  let weighed = 0n;
  return weights.map((weight) => {
    weighed += weight;
    const until = sum === 0n ? 0n : roundedQuotient(amount * weighed, sum);
    const part = until - before;
    before = until;
    return part;
  });
}

export function smaller(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}
