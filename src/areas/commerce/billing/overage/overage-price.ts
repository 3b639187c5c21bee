import { type Amount, amountOf } from "../../../../lib/amount.ts";
import { parsePrice, priceDecimals, roundedQuotient, smaller } from "../../../../lib/money.ts";
import type { Minor } from "../../../../lib/text/minor-units.ts";
import type { MeterRate } from "../../plans/price-schema.ts";

/** Amounts are in billionths, prices in 10^-12: a product is in 10^-21. */
const amountScale = 10n ** 9n;
export const productScale = amountScale * 10n ** BigInt(priceDecimals);

/** The price of units beyond the allowance, rounded once to minor units. */
export function overagePrice(units: Amount, rate: MeterRate, digits: number): Minor {
  return roundedQuotient(exactPrice(units, rate) * 10n ** BigInt(digits), productScale);
}

/** In 10^-21 of a currency's unit. More units may cost less: with volume tiers the price of all units can fall. */
function exactPrice(units: Amount, rate: MeterRate): bigint {
  return exactPricing(rate)(units);
}

/** Returns `exactPrice` of a rate. Parsing the rate costs more than the price, which caps need for each request. */
export function exactPricing({ tiers = [], tierMode, packageSize }: MeterRate): (units: Amount) => bigint {
  const size = tierMode === "package" ? amountOf(packageSize!)! : undefined;
  const parsed = tiers.map(({ upTo, unitAmount, flatAmount }) => ({
    upTo: upTo === null ? undefined : amountOf(upTo)!,
    unitPrice: parsePrice(unitAmount)!,
    flatPrice: flatAmount === undefined ? 0n : parsePrice(flatAmount)! * amountScale,
  }));
  if (tierMode === "volume")
    return (units) => {
      const tier = parsed.find(({ upTo }) => upTo === undefined || units <= upTo);
      return tier && units > 0n ? units * tier.unitPrice + tier.flatPrice : 0n;
    };
  return (units) => {
    let total = 0n;
    let reached = 0n;
    for (const { upTo, unitPrice, flatPrice } of parsed) {
      if (units <= reached) break;
      const limit = upTo === undefined ? units : smaller(units, upTo);
      const count =
        size === undefined ? limit - reached : (packages(limit, size) - packages(reached, size)) * amountScale;
      total += count * unitPrice + flatPrice;
      reached = limit;
    }
    return total;
  };
}

/** A package that is begun counts as a whole. */
function packages(units: Amount, size: Amount): bigint {
  return (units + size - 1n) / size;
}

/** What is billed of a segment: from the larger of the allowance and the usage before it, to the usage at its end. */
export function overageUnits(allowance: Amount, usedBefore: Amount, usedAtEnd: Amount): Amount {
  const start = allowance > usedBefore ? allowance : usedBefore;
  return usedAtEnd > start ? usedAtEnd - start : 0n;
}
