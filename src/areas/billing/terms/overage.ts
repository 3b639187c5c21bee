import { type Amount, amountOf } from "../../../lib/amount.ts";
import { type Minor, parsePrice, priceDecimals, roundedQuotient } from "../../../lib/money.ts";
import type { MeterRate } from "../../metering/price-schema.ts";

/** Amounts are in billionths, prices in 10^-12: a product is in 10^-21. */
const amountScale = 10n ** 9n;
export const productScale = amountScale * 10n ** BigInt(priceDecimals);

/** The price of units beyond the allowance, rounded once to minor units. */
export function overagePrice(units: Amount, rate: MeterRate, digits: number): Minor {
  return roundedQuotient(exactPrice(units, rate) * 10n ** BigInt(digits), productScale);
}

/** In 10^-21 of a currency's unit. */
export function exactPrice(units: Amount, { tiers = [], tierMode, packageSize }: MeterRate): bigint {
  const size = tierMode === "package" ? amountOf(packageSize!)! : undefined;
  let total = 0n;
  let reached = 0n;
  for (const { upTo, unitAmount, flatAmount } of tiers) {
    if (units <= reached) break;
    const limit = upTo === null ? units : smaller(units, amountOf(upTo)!);
    const count =
      size === undefined ? limit - reached : (packages(limit, size) - packages(reached, size)) * amountScale;
    total += count * parsePrice(unitAmount)!;
    if (flatAmount !== undefined) total += parsePrice(flatAmount)! * amountScale;
    reached = limit;
  }
  return total;
}

/** A package that is begun counts as a whole. */
function packages(units: Amount, size: Amount): bigint {
  return (units + size - 1n) / size;
}

function smaller(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}

/** What is billed of a segment: from the larger of the allowance and the usage before it, to the usage at its end. */
export function overageUnits(allowance: Amount, usedBefore: Amount, usedAtEnd: Amount): Amount {
  const start = allowance > usedBefore ? allowance : usedBefore;
  return usedAtEnd > start ? usedAtEnd - start : 0n;
}
