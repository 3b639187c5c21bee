import type { Amount } from "../../lib/amount.ts";
import type { QuotaLimit, ShortageCode, SpendBudget } from "./quota-definition.ts";

/** An amount that is wanted of a meter, and the limit of the meter. */
export interface WantedAmount extends QuotaLimit {
  readonly counter: { readonly meter: string; readonly used: Amount };
  amount: Amount;
}

/** The first meter with too little left. */
export interface Shortage {
  meter: string;
  used: Amount;
  max: Amount;
  amount: Amount;
  code: ShortageCode;
}

/**
 * Decides whether amounts may be taken together: for the ledger, and for transactions, which have the same limits and
 * count differently. Undefined if they may.
 * @param usedOf the usage of any meter, of which only a budget needs more
 * @param times that many times the amounts
 */
export function shortageOf(
  wanted: readonly WantedAmount[],
  budget: SpendBudget | undefined,
  usedOf: (meter: string) => Amount,
  times = 1n,
): Shortage | undefined {
  for (const { counter, max, amount, code } of wanted) {
    const { used } = counter;
    if (max !== undefined && used + amount * times > max) return { meter: counter.meter, used, max, amount, code };
  }
  // Usage within the allowance costs nothing, so it stays possible when a cap is reached or no money is left.
  const priced = budget && wanted.find(({ counter, amount }) => amount > 0n && budget.meters.has(counter.meter));
  if (!priced) return undefined;
  const amountOf = (meter: string) => wanted.find(({ counter }) => counter.meter === meter)?.amount ?? 0n;
  const code = budget.rejects(usedOf, (meter) => usedOf(meter) + amountOf(meter) * times);
  if (!code) return undefined;
  const { counter, amount } = priced;
  const { meter, used } = counter;
  return { meter, used, max: used, amount, code };
}
