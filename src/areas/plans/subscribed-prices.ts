import { invalid } from "../../core/problems/problem.ts";
import type { Reads } from "../../platform/storage/storage.ts";
import type { PlanRow } from "./plan-store.ts";
import { plansWithSubscriptions } from "./plan-store.ts";
import { plansBeside, renewalsOfPlan } from "./price-store.ts";
import { priceOf, requireBillable } from "./prices.ts";

/**
 * Throws 400 if a new price or rate cannot apply to existing subscriptions. Their currency and interval are fixed: fees
 * that are charged already are credited in the same currency.
 */
export async function requireSubscribersBillable(reads: Reads, before: PlanRow, after: PlanRow): Promise<void> {
  const isSubscribed = (await plansWithSubscriptions(reads, [before.seq])).size > 0;
  if (!isSubscribed) return;
  const old = priceOf(before);
  const price = priceOf(after);
  for (const name of ["currency", "interval"] as const)
    if (old && price && old[name] !== price[name])
      throw invalid(`/price/${name}`, "must not change while the plan has subscriptions");
  const renewals = await renewalsOfPlan(reads, after.seq);
  if (price?.interval === "month" && renewals.includes("yearly"))
    throw invalid("/price/interval", "must be year: the plan has subscriptions with yearly quotas");
  for (const other of await plansBeside(reads, after.seq)) requireCompatible(after, other);
}

function requireCompatible(plan: PlanRow, other: PlanRow): void {
  requireBillable(
    [
      { ...plan, price: null },
      { ...other, price: null },
    ],
    "monthly",
  );
  const price = priceOf(plan);
  const beside = priceOf(other);
  for (const name of ["currency", "interval"] as const)
    if (price && beside && price[name] !== beside[name])
      throw invalid(`/price/${name}`, `must be ${beside[name]}, as in another plan of the same subscription`);
}
