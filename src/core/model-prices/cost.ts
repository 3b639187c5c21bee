import type { Amount } from "../../lib/amount.ts";
import { type Price, roundedQuotient } from "../../lib/money.ts";
import { type ModelPrice, type RateSteps, ratesFor } from "./rates.ts";

/** An exact cost in 10^-18 of the currency's unit: a price per million has 12 decimals. */
export type Cost = bigint;

const million = 1_000_000n;
/** 10^-18 to the 10^-9 of amounts. */
const costPerAmount = 1_000_000_000n;
const amountScale = 1_000_000_000n;

export interface PricedTokens {
  input: number;
  cached: number;
  cacheWrite: number;
  cacheWrite1h: number;
  output: number;
  /** The spoken part of input. */
  audioInput?: number;
  /** The spoken part of output. */
  audioOutput?: number;
}

/** Service tiers that have the price of the target itself. */
const baseTiers = new Set(["default", "auto", "standard", "standard_only"]);

/** Returns the rates of the tier that was served, and whether the price has it. */
export function tierOf(price: ModelPrice, serviceTier: string | undefined): { steps: RateSteps; isPriced: boolean } {
  const steps = serviceTier === undefined ? undefined : price.tiers.get(serviceTier);
  const isPriced = steps !== undefined || serviceTier === undefined || baseTiers.has(serviceTier);
  return { steps: steps ?? price, isPriced: isPriced || price.currency === undefined };
}

/** Returns the exact cost of a request, without its tools. */
export function costOf(steps: RateSteps, tokens: PricedTokens): Cost {
  const rates = ratesFor(steps, tokens.input + tokens.cached + tokens.cacheWrite);
  const shortWrites = tokens.cacheWrite - tokens.cacheWrite1h;
  const { audioInput = 0, audioOutput = 0 } = tokens;
  return (
    costAt(rates.input, tokens.input - audioInput) +
    costAt(rates.audioInput, audioInput) +
    costAt(rates.cached, tokens.cached) +
    costAt(rates.cacheWrite, shortWrites) +
    costAt(rates.cacheWrite1h, tokens.cacheWrite1h) +
    costAt(rates.output, tokens.output - audioOutput) +
    costAt(rates.audioOutput, audioOutput)
  );
}

/** Most requests use few categories, and arithmetic with bigints is slow. */
function costAt(rate: Price, tokens: number): Cost {
  return tokens === 0 ? 0n : BigInt(tokens) * rate;
}

/** Returns the exact cost of the calls of the provider's tools, and the tools without a price. */
export function toolCostOf(
  { tools }: ModelPrice,
  calls: ReadonlyMap<string, number>,
): { cost: Cost; unpriced: string[] } {
  let cost = 0n;
  const unpriced: string[] = [];
  for (const [tool, count] of calls) {
    const price: Price | undefined = tools.get(tool);
    if (price !== undefined) cost += BigInt(count) * price * million;
    else if (count > 0) unpriced.push(tool);
  }
  return { cost, unpriced };
}

/** Returns cost times factor, rounded half up to 9 decimals. */
export function chargeOf(cost: Cost, factor: Amount): Amount {
  return roundedQuotient(cost * factor, costPerAmount * amountScale);
}

/** Returns the cost rounded half up to 9 decimals. */
export function roundedCost(cost: Cost): Amount {
  return roundedQuotient(cost, costPerAmount);
}
