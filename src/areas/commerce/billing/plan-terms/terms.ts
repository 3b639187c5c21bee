import type { Meters } from "../../plans/plans.ts";
import type { PlanPrice, PlanRates, PlanRollover } from "../../plans/price-schema.ts";

/** The terms of a plan as they were when a segment began. */
export interface PlanTerms {
  seq: number;
  id: string;
  label: string;
  price: PlanPrice | null;
  rates: PlanRates | null;
  rollover: PlanRollover | null;
  meters: Meters;
}

/** The terms of a segment. */
export interface Terms {
  plans: PlanTerms[];
  /** The maximums after a prorated change of plans, in billionths, instead of those of the plans. */
  allowance: Record<string, string> | null;
}

/** The meters whose overage has a price under the terms. */
export function pricedMeters({ plans }: Terms): string[] {
  return plans.flatMap(({ rates, meters }) =>
    Object.entries(rates ?? {})
      .filter(([meter, { overage }]) => overage !== "block" && Object.hasOwn(meters, meter))
      .map(([meter]) => meter),
  );
}

export function hasPrepaidMeters({ plans }: Terms): boolean {
  return plans.some(({ rates }) => Object.values(rates ?? {}).some(({ overage }) => overage === "prepaid"));
}

export function currencyOf({ plans }: Terms): string | undefined {
  return plans.find(({ price }) => price !== null)?.price?.currency;
}
