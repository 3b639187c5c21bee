import type { z } from "zod";
import { invalid, Problem } from "../../../core/problems/problem.ts";
import { parsePrice } from "../../../lib/money.ts";
import type { Renewal } from "../../../lib/time/calendar.ts";
import type { PlanRow } from "./plan-store.ts";
import type { MeterRate, PlanFeatures, PlanPrice, PlanRates, PlanRollover, pricedFields } from "./price-schema.ts";

export type PricedFields = {
  [Field in keyof typeof pricedFields]?: z.output<(typeof pricedFields)[Field]> | null | undefined;
};

type PricedRow = Pick<PlanRow, "price" | "rates">;
type CheckedRow = PricedRow & Pick<PlanRow, "meters" | "rollover">;

export function priceOf({ price }: Pick<PlanRow, "price">): PlanPrice | undefined {
  return price === null ? undefined : (JSON.parse(price) as PlanPrice);
}

export function ratesOf({ rates }: Pick<PlanRow, "rates">): PlanRates {
  return rates === null ? {} : (JSON.parse(rates) as PlanRates);
}

export function rolloverOf({ rollover }: Pick<PlanRow, "rollover">): PlanRollover {
  return rollover === null ? {} : (JSON.parse(rollover) as PlanRollover);
}

/** Whether there is a fee, or usage that has a price. */
export function hasCosts({ price, rates }: Pick<PricedFields, "price" | "rates">): boolean {
  return (
    parsePrice(price?.amount ?? "0") !== 0n || Object.values(rates ?? {}).some(({ overage }) => overage !== "block")
  );
}

export function featuresOf({ features }: Pick<PlanRow, "features">): PlanFeatures {
  return features === null ? {} : (JSON.parse(features) as PlanFeatures);
}

/** The rates by which usage beyond the maximum has a price, of meters that the plan has. */
export function pricedRates(plan: PricedRow & Pick<PlanRow, "meters">): [meter: string, rate: MeterRate][] {
  if (plan.rates === null) return [];
  const meters = JSON.parse(plan.meters) as object;
  return Object.entries(ratesOf(plan)).filter(
    ([meter, { overage }]) => overage !== "block" && Object.hasOwn(meters, meter),
  );
}

/** Throws 400 if a plan has rates or a rollover but no price, or those of meters that it does not have. */
export function requireConsistentPrices(plan: CheckedRow, changed: PricedFields, pointer = ""): void {
  for (const name of ["rates", "rollover"] as const) {
    if (plan[name] !== null && plan.price === null)
      throw invalid(`${pointer}/price`, `is required for a plan with ${name}; its amount may be 0`);
    if (!changed[name]) continue;
    const meters = JSON.parse(plan.meters) as object;
    for (const meter of Object.keys(changed[name]))
      if (!Object.hasOwn(meters, meter))
        throw invalid(`${pointer}/${name}/${meter}`, "must be one of the plan's meters");
  }
}

/** Throws 400 if the plans cannot be billed together: they share currency and interval, and rate each meter once. */
export function requireBillable(plans: Pick<PlanRow, "price" | "rates" | "meters">[], renewal: Renewal): void {
  const rated = new Set<string>();
  let first: PlanPrice | undefined;
  for (const [index, plan] of plans.entries()) {
    for (const meter of Object.keys(ratesOf(plan))) {
      if (rated.has(meter)) throw new Problem("meter_rated_twice");
      rated.add(meter);
    }
    const price = priceOf(plan);
    if (!price) continue;
    const pointer = `/planExternalIds/${index}`;
    first ??= price;
    if (price.currency !== first.currency)
      throw invalid(pointer, `has a price in ${price.currency}, and another plan in ${first.currency}`);
    if (price.interval !== first.interval)
      throw invalid(pointer, `has a price per ${price.interval}, and another plan per ${first.interval}`);
    if (price.interval === "month" && renewal === "yearly")
      throw invalid(pointer, "has a monthly price, which is not possible with yearly quotas");
  }
}

/** The columns of the fields; those that are undefined are left out. */
export function pricedColumns(input: PricedFields) {
  const json = (value: object | null) => (value === null ? null : JSON.stringify(value));
  return {
    ...(input.price === undefined ? {} : { price: json(input.price) }),
    ...(input.rates === undefined ? {} : { rates: json(input.rates) }),
    ...(input.rollover === undefined ? {} : { rollover: json(input.rollover) }),
    ...(input.features === undefined ? {} : { features: json(input.features) }),
    ...(input.description === undefined ? {} : { description: input.description }),
    ...(input.isPublic === undefined ? {} : { is_public: input.isPublic === null ? null : Number(input.isPublic) }),
    ...(input.position === undefined ? {} : { list_position: input.position }),
  };
}

export const unpriced = {
  price: null,
  rates: null,
  rollover: null,
  features: null,
  description: null,
  is_public: null,
  list_position: null,
} as const;

export function presentPrices(plan: Pick<PlanRow, keyof typeof unpriced>) {
  return {
    ...(plan.price === null ? {} : { price: priceOf(plan)! }),
    ...(plan.rates === null ? {} : { rates: ratesOf(plan) }),
    ...(plan.rollover === null ? {} : { rollover: rolloverOf(plan) }),
    ...(plan.features === null ? {} : { features: featuresOf(plan) }),
    ...(plan.description === null ? {} : { description: plan.description }),
    ...(plan.is_public === null ? {} : { isPublic: plan.is_public === 1 }),
    ...(plan.list_position === null ? {} : { position: plan.list_position }),
  };
}
