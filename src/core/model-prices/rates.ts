import { type Price, parsePrice } from "../../lib/money.ts";
import type { TargetPrice } from "../artifact/model-price-schema.ts";

/** Prices per million tokens, in 10^-12 of the currency's unit. */
interface Rates {
  input: Price;
  cached: Price;
  cacheWrite: Price;
  cacheWrite1h: Price;
  output: Price;
  audioInput: Price;
  audioOutput: Price;
}

/** The rates of one tier: those of requests with a larger input replace the first ones. */
export interface RateSteps {
  base: Rates;
  /** In the order of inputTokens. */
  above: readonly { inputTokens: number; rates: Rates }[];
}

/** A price that is parsed. */
export interface ModelPrice extends RateSteps {
  /** Undefined if the target is free. */
  currency: string | undefined;
  tiers: ReadonlyMap<string, RateSteps>;
  /** Per call. */
  tools: ReadonlyMap<string, Price>;
}

interface RateTexts {
  input: string;
  cached?: string | undefined;
  cacheWrite?: string | undefined;
  cacheWrite1h?: string | undefined;
  output: string;
  audioInput?: string | undefined;
  audioOutput?: string | undefined;
}

interface StepTexts extends RateTexts {
  above?: (RateTexts & { inputTokens: number })[] | undefined;
}

const noRates: Rates = {
  input: 0n,
  cached: 0n,
  cacheWrite: 0n,
  cacheWrite1h: 0n,
  output: 0n,
  audioInput: 0n,
  audioOutput: 0n,
};
export const freePrice: ModelPrice = {
  base: noRates,
  above: [],
  currency: undefined,
  tiers: new Map(),
  tools: new Map(),
};

/** Parses a price of an artifact, which is valid. */
export function modelPrice(price: TargetPrice): ModelPrice {
  if (price === "free") return freePrice;
  const { currency, tiers = {}, tools = {} } = price;
  return {
    ...rateSteps(price),
    currency,
    tiers: new Map(Object.entries(tiers).map(([tier, steps]) => [tier, rateSteps(steps)])),
    tools: new Map(Object.entries(tools).map(([tool, text]) => [tool, parsePrice(text)!])),
  };
}

export function rateSteps(texts: StepTexts): RateSteps {
  const above = (texts.above ?? []).map((step) => ({ inputTokens: step.inputTokens, rates: ratesOf(step) }));
  return { base: ratesOf(texts), above };
}

function ratesOf({
  input,
  cached = input,
  cacheWrite = input,
  cacheWrite1h = cacheWrite,
  output,
  ...audio
}: RateTexts) {
  const { audioInput = input, audioOutput = output } = audio;
  return {
    input: parsePrice(input)!,
    cached: parsePrice(cached)!,
    cacheWrite: parsePrice(cacheWrite)!,
    cacheWrite1h: parsePrice(cacheWrite1h)!,
    output: parsePrice(output)!,
    audioInput: parsePrice(audioInput)!,
    audioOutput: parsePrice(audioOutput)!,
  };
}

/** Returns the rates of a request by its whole input. */
export function ratesFor({ base, above }: RateSteps, inputTokens: number): Rates {
  let rates = base;
  for (const step of above) if (inputTokens > step.inputTokens) rates = step.rates;
  return rates;
}
