import { minorDigits } from "../../../../../lib/currencies.ts";
import type { Minor } from "../../../../../lib/text/minor-units.ts";

/** Currencies whose amounts Stripe expects in whole units. */
const wholeUnits = new Set("BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF".split(" "));
/** Currencies whose amounts Stripe expects in thousandths, in steps of ten. */
const thousandths = new Set("BHD JOD KWD OMR TND".split(" "));

/**
 * The smallest amounts that Stripe collects, in its units. That of other currencies is about 0.50 USD and follows the
 * exchange rate, so it is not checked here.
 */
const minimums: Record<string, bigint> = {
  AED: 200n,
  AUD: 50n,
  BGN: 100n,
  BRL: 50n,
  CAD: 50n,
  CHF: 50n,
  CZK: 1500n,
  DKK: 250n,
  EUR: 50n,
  GBP: 30n,
  HKD: 400n,
  HUF: 17_500n,
  INR: 50n,
  JPY: 50n,
  MXN: 1000n,
  MYR: 200n,
  NOK: 300n,
  NZD: 50n,
  PLN: 200n,
  RON: 200n,
  SEK: 300n,
  SGD: 50n,
  THB: 1000n,
  USD: 50n,
};

function stripeDigits(currency: string): number {
  return wholeUnits.has(currency) ? 0 : thousandths.has(currency) ? 3 : 2;
}

/**
 * The amount in the units that Stripe expects, which are not those of ISO 4217 for some currencies. Parts that they
 * cannot express are truncated; `collectable` returns amounts without such parts.
 */
export function toStripe(amount: Minor, currency: string): bigint {
  const difference = stripeDigits(currency) - minorDigits(currency)!;
  const converted = difference >= 0 ? amount * 10n ** BigInt(difference) : amount / 10n ** BigInt(-difference);
  return thousandths.has(currency) ? converted - (converted % 10n) : converted;
}

/** Converts an amount in the units of Stripe to the minor units of ISO 4217. Smaller parts are truncated. */
export function fromStripe(amount: bigint, currency: string): Minor {
  const difference = minorDigits(currency)! - stripeDigits(currency);
  return difference >= 0 ? amount * 10n ** BigInt(difference) : amount / 10n ** BigInt(-difference);
}

/** The part of an amount that Stripe can collect: 0 if it is below the minimum of the currency. */
export function collectable(amount: Minor, currency: string): Minor {
  const difference = minorDigits(currency)! - stripeDigits(currency);
  const step = thousandths.has(currency) ? 10n : difference > 0 ? 10n ** BigInt(difference) : 1n;
  const whole = amount - (amount % step);
  return toStripe(whole, currency) < (minimums[currency] ?? 1n) ? 0n : whole;
}
