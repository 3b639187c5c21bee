import { readFile } from "node:fs/promises";
import type { PlanCreate } from "../../client/index.ts";
import type { Values } from "../arguments/command.ts";
import { boolean, integer, named, oneOf, option, pairsOption, tagValue } from "../arguments/values.ts";
import { UsageError } from "../process/usage-error.ts";

const rolloverPlaceholder = "METER=MAXIMUM[,PERIODS]";

type Rollover = NonNullable<PlanCreate["rollover"]>[string];

function rolloverOf(text: string): Rollover {
  const [, maximum, periods] = /^([^,]+)(?:,(.+))?$/.exec(text) ?? [];
  const rollover = {
    maximum: Number(maximum ?? Number.NaN),
    ...(periods === undefined ? {} : { periods: Number(periods) }),
  };
  if (Object.values(rollover).some(Number.isNaN))
    throw new UsageError(`must be ${rolloverPlaceholder}, not "…=${text}"`);
  return rollover;
}

/** What a plan costs, and what those see who choose one. */
export const priceOptions = {
  price: option("the fee of each period, such as 30.00; with --currency", named("AMOUNT")),
  currency: option("the currency of the price, such as EUR", named("CODE")),
  interval: option("the period of the price; month by default", oneOf("month", "year")),
  rates: option("a JSON file with the prices of usage beyond a maximum, by meter", named("FILE", "file")),
  rollover: pairsOption(
    "the most that is carried over of a meter's unused units, for 1 period by default; may be repeated, all of them",
    rolloverPlaceholder,
    rolloverOf,
  ),
  feature: pairsOption("a feature; may be repeated, all of them", "NAME=VALUE", tagValue),
  description: option("what the plan is for"),
  public: option("whether customers see the plan in the portal", boolean),
  position: option("its place among the plans", integer),
};

type Given = Partial<Values<Record<never, never>, typeof priceOptions>>;

/** The fields of the options as the API takes them; undefined if absent. */
export async function pricedOf({
  price,
  currency,
  interval,
  rates,
  rollover,
  feature,
  description,
  public: isPublic,
  position,
}: Given) {
  if ((price === undefined) !== (currency === undefined) || (interval !== undefined && price === undefined))
    throw new UsageError("A price needs an amount and a currency.", "Give both: --price 30.00 --currency EUR");
  return {
    price: price === undefined ? undefined : { currency: currency!, amount: price, interval: interval ?? "month" },
    rates: rates === undefined ? undefined : await readRates(rates),
    rollover,
    features: feature as PlanCreate["features"],
    description,
    isPublic,
    position,
  } as const;
}

/** The server checks its content. */
async function readRates(file: string): Promise<NonNullable<PlanCreate["rates"]>> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) throw new UsageError(`${file} cannot be read.`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${(error as Error).message}`);
  }
}
