import type { TargetPrice } from "../../../core/artifact/model-price-schema.ts";
import { type Cost, costOf, tierOf, toolCostOf } from "../../../core/model-prices/cost.ts";
import type { KnownPrices } from "../../../core/model-prices/known-prices.ts";
import { freePrice, type ModelPrice, modelPrice } from "../../../core/model-prices/rates.ts";
import type { TokenCounts } from "../../exchange/model-use.ts";

/** A target of an alias. */
interface PricedTarget {
  /** The name of the provider in the project. */
  provider: string;
  url: string;
  model: string;
  price?: TargetPrice | undefined;
}

/** What a response says of how it was served. */
interface ServedBy {
  model: string | undefined;
  serviceTier: string | undefined;
  tools: ReadonlyMap<string, number>;
}

export interface ServedCost {
  /** Exact. */
  cost: Cost;
  currency: string | undefined;
  /** What had no price, and cost that of the target or nothing: a model, a tier or tools. */
  unpriced: string | undefined;
}

const parsedPrices = new WeakMap<object, ModelPrice>();

function parsed(price: TargetPrice): ModelPrice {
  if (price === "free") return freePrice;
  let known = parsedPrices.get(price);
  if (!known) {
    known = modelPrice(price);
    parsedPrices.set(price, known);
  }
  return known;
}

/** Returns the price of a target: its own, or that of the known model. Undefined if it has none. */
export function priceOf(target: PricedTarget, known: KnownPrices, time: number): ModelPrice | undefined {
  return target.price === undefined ? known.find(target.url, target.model, time) : parsed(target.price);
}

/** Whether nothing costs anything. */
export function isFree(price: ModelPrice | undefined): boolean {
  if (!price || price.tiers.size > 0 || price.tools.size > 0) return false;
  return [price, ...price.above.map(({ rates }) => ({ base: rates }))].every(({ base }) =>
    Object.values(base).every((rate) => rate === 0n),
  );
}

/** Returns the cost of a request by the model, tier and context length that were served. */
export function servedCost(
  target: PricedTarget,
  others: Iterable<PricedTarget>,
  known: KnownPrices,
  { model, serviceTier, tools }: ServedBy,
  tokens: TokenCounts,
  time: number,
): ServedCost {
  const own = priceOf(target, known, time);
  const served = model === undefined ? own : servedPrice(target, others, known, model, time);
  const price = served ?? own;
  if (!price) return { cost: 0n, currency: undefined, unpriced: model ?? target.model };
  const tier = tierOf(price, serviceTier);
  // Tools are priced by the target alone.
  const called = toolCostOf(own ?? price, tools);
  const unpriced = !served
    ? model
    : !tier.isPriced
      ? `${model ?? target.model}, tier ${serviceTier}`
      : called.unpriced.length > 0 && own !== freePrice
        ? `${model ?? target.model}, ${called.unpriced.join(", ")}`
        : undefined;
  return { cost: costOf(tier.steps, tokens) + called.cost, currency: price.currency, unpriced };
}

function servedPrice(
  target: PricedTarget,
  others: Iterable<PricedTarget>,
  known: KnownPrices,
  served: string,
  time: number,
): ModelPrice | undefined {
  const isServed = ({ url, model }: PricedTarget) => isSameModel(model, served) || known.isSame(url, model, served);
  if (target.price === "free" || isServed(target)) return priceOf(target, known, time);
  for (const other of others)
    if (other.provider === target.provider && other.price !== undefined && isServed(other)) return parsed(other.price);
  return known.find(target.url, served, time);
}

/** Whether the served model is the one that was requested: providers add a date, a tag or a path. */
function isSameModel(requested: string, served: string): boolean {
  const name = served.toLowerCase();
  const wanted = requested.toLowerCase();
  if (name === wanted || name.endsWith(`/${wanted}`) || wanted.endsWith(`/${name}`)) return true;
  return name.startsWith(wanted) && /^(?:-\d{4}-\d{2}-\d{2}|-\d{8}|:latest)$/.test(name.slice(wanted.length));
}
