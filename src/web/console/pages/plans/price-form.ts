import type { Plan, PlanCreate } from "../../../../client/index.ts";

/** A tier as it is typed. Without `upTo` it has no end. */
export const emptyTier = { upTo: "", unitAmount: "", flatAmount: "" };

/** The price of usage beyond the limit of a meter, as it is typed. */
export interface RateForm {
  overage: Rate["overage"];
  tierMode: NonNullable<Rate["tierMode"]>;
  packageSize: string;
  tiers: (typeof emptyTier)[];
}

type Rate = NonNullable<Plan["rates"]>[string];

export function rateForm(rate: Rate | undefined): RateForm {
  const tiers = (rate?.tiers ?? []).map(({ upTo, unitAmount, flatAmount = "" }) => ({
    upTo: upTo === null ? "" : String(upTo),
    unitAmount,
    flatAmount,
  }));
  return {
    overage: rate?.overage ?? "block",
    tierMode: rate?.tierMode ?? "graduated",
    packageSize: rate?.packageSize === undefined ? "" : String(rate.packageSize),
    tiers: tiers.length === 0 ? [emptyTier] : tiers,
  };
}

function rateOf({ overage, tierMode, packageSize, tiers }: RateForm): Rate {
  return {
    overage,
    tierMode,
    packageSize: tierMode === "package" ? Number(packageSize) : undefined,
    tiers: tiers.map(({ upTo, unitAmount, flatAmount }) => ({
      upTo: upTo.trim() === "" ? null : Number(upTo),
      unitAmount,
      flatAmount: flatAmount || undefined,
    })),
  };
}

/** The rates of the meters whose usage beyond the limit has a price; undefined without any. */
export function ratesOf(meters: MeterForm[]): PlanCreate["rates"] {
  const priced = meters.filter(({ name, rate }) => name !== "" && rate.overage !== "block");
  return priced.length === 0 ? undefined : Object.fromEntries(priced.map(({ name, rate }) => [name, rateOf(rate)]));
}

/** What is carried over of a meter's unused units, as it is typed. Empty: nothing. */
export interface RolloverForm {
  maximum: string;
  periods: string;
}

export function rolloverForm(rollover: NonNullable<Plan["rollover"]>[string] | undefined): RolloverForm {
  return { maximum: rollover ? String(rollover.maximum) : "", periods: String(rollover?.periods ?? 1) };
}

/** Undefined without any. */
export function rolloverOf(meters: MeterForm[]): PlanCreate["rollover"] {
  const carried = meters.filter(({ name, rollover }) => name !== "" && rollover.maximum.trim() !== "");
  if (carried.length === 0) return undefined;
  return Object.fromEntries(
    carried.map(({ name, rollover: { maximum, periods } }) => [
      name,
      { maximum: Number(maximum), periods: periods.trim() === "" ? undefined : Number(periods) },
    ]),
  );
}

/** A meter of a plan, as it is typed. One without a name is left out. */
export interface MeterForm {
  name: string;
  label: string;
  max: string;
  rate: RateForm;
  rollover: RolloverForm;
}

export const emptyMeter: MeterForm = {
  name: "",
  label: "",
  max: "",
  rate: rateForm(undefined),
  rollover: rolloverForm(undefined),
};

export const meterForms = ({ meters, rates, rollover }: Plan): MeterForm[] =>
  Object.entries(meters).map(([name, { label = "", max }]) => ({
    name,
    label,
    max: String(max),
    rate: rateForm(rates?.[name]),
    rollover: rolloverForm(rollover?.[name]),
  }));

/** The limits by meter; undefined for text that is not a number. */
export function limitsOf(meters: MeterForm[]): Record<string, number | undefined> {
  const named = meters.filter(({ name }) => name !== "");
  return Object.fromEntries(
    named.map(({ name, max }) => [name, max.trim() === "" || Number.isNaN(Number(max)) ? undefined : Number(max)]),
  );
}

/** A limit that is not a number counts as none; saving requires numbers. */
export function metersOf(meters: MeterForm[]): Plan["meters"] {
  const labels = new Map(meters.map(({ name, label }) => [name, label || undefined]));
  const limits = Object.entries(limitsOf(meters));
  return Object.fromEntries(limits.map(([name, max = Number.NaN]) => [name, { max, label: labels.get(name) }]));
}

export const priceForm = (plan: Plan | undefined) => ({
  amount: plan?.price?.amount ?? "",
  currency: plan?.price?.currency ?? "EUR",
  interval: plan?.price?.interval ?? ("month" as const),
  description: plan?.description ?? "",
  features: Object.entries(plan?.features ?? {})
    .map(([name, value]) => (value === true ? name : `${name}: ${value}`))
    .join("\n"),
  isPublic: plan?.isPublic ?? false,
  position: plan?.position === undefined ? "" : String(plan.position),
});

export type PriceForm = ReturnType<typeof priceForm>;

/** The part of a form that is about what subscribers pay and get. */
export interface TermsForm {
  price: PriceForm;
  meters: MeterForm[];
}

/** "sso" is a feature; "seats: 5" has a number or a text. */
function featuresOf(text: string): PlanCreate["features"] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) return undefined;
  const pairs = lines.map((line) => {
    const [name = "", ...rest] = line.split(":");
    const value = rest.join(":").trim();
    return [name.trim(), value === "" ? true : Number.isNaN(Number(value)) ? value : Number(value)] as const;
  });
  return Object.fromEntries(pairs);
}

/** Undefined members are absent: a new plan leaves them out, and a change removes them. */
export function pricedOf({ amount, currency, interval, description, features, isPublic, position }: PriceForm) {
  return {
    price: amount.trim() === "" ? undefined : { amount: amount.trim(), currency: currency.trim(), interval },
    description: description || undefined,
    features: featuresOf(features),
    isPublic: isPublic || undefined,
    position: position === "" ? undefined : Number(position),
  };
}

/**
 * What usage in a period costs beyond what is included, as an example: undefined if it would be rejected. The server
 * computes what is billed, with exact decimals.
 */
export function exampleCost(usage: number, max: number, { overage, ...form }: RateForm): number | undefined {
  const units = Math.max(usage - max, 0);
  if (units === 0) return 0;
  if (overage === "block") return undefined;
  const { tiers, tierMode, packageSize = 1 } = rateOf({ overage, ...form });
  const all = (tiers ?? []).map(({ upTo, unitAmount, flatAmount = "0" }) => ({
    end: upTo ?? Number.POSITIVE_INFINITY,
    unit: Number(unitAmount),
    flat: Number(flatAmount),
  }));
  if (tierMode === "volume") {
    const tier = all.find(({ end }) => units <= end);
    return tier ? units * tier.unit + tier.flat : 0;
  }
  const counted = (to: number) => (tierMode === "package" ? Math.ceil(to / packageSize) : to);
  let [total, reached] = [0, 0];
  for (const { end, unit, flat } of all) {
    if (units <= reached) break;
    const to = Math.min(units, end);
    total += (counted(to) - counted(reached)) * unit + flat;
    reached = to;
  }
  return total;
}
