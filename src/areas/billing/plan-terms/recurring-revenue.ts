import { minorDigits } from "../../../lib/currencies.ts";
import { fraction, type Price, parsePrice, shareOfPrice } from "../../../lib/money.ts";
import { Slice, yieldToEventLoop } from "../../../lib/tasks/slices.ts";
import { formatMinor } from "../../../lib/text/minor-units.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { pricesOfPlans } from "../../plans/plans.ts";
import { priceOf } from "../../plans/prices.ts";
import { activePlansAfter } from "../../subscriptions/subscription-rows.ts";

export interface RecurringRevenue {
  currency: string;
  amount: string;
  subscriptions: number;
}

/** A sum of fees of a year, so that monthly and yearly prices are added exactly. */
interface YearSum {
  price: Price;
  subscriptions: number;
}

/**
 * The fees of a month, by currency: the present prices of the plans of all active subscriptions, yearly ones divided by
 * twelve, without usage, credits and taxes. Trials, and subscriptions that are paused, unpaid or canceled, do not
 * count; one that will be canceled counts until then.
 */
export async function recurringRevenue(reads: Reads, bucketSeqs: number[], now: number): Promise<RecurringRevenue[]> {
  const sums = new Map<string, YearSum>();
  for (const bucketSeq of bucketSeqs) await addBucket(reads, sums, bucketSeq, now);
  return [...sums]
    .map(([currency, { price, subscriptions }]) => {
      const digits = minorDigits(currency)!;
      return { currency, amount: formatMinor(shareOfPrice(price, fraction(1, 12), digits), digits), subscriptions };
    })
    .sort((one, other) => one.currency.localeCompare(other.currency));
}

async function addBucket(reads: Reads, sums: Map<string, YearSum>, bucketSeq: number, now: number): Promise<void> {
  const fees = new Map<number, { currency: string; yearly: Price }>();
  for (const { seq, price: text } of await pricesOfPlans(reads, bucketSeq)) {
    const price = priceOf({ price: text })!;
    const amount = parsePrice(price.amount)!;
    const yearly = price.interval === "year" ? amount : amount * 12n;
    if (yearly > 0n) fees.set(seq, { currency: price.currency, yearly });
  }
  if (fees.size === 0) return;
  const slice = new Slice();
  let counted = 0;
  for (let after = 0; ; ) {
    const { plans, last } = await activePlansAfter(reads, bucketSeq, after, now);
    for (const { seq, plan_seq } of plans) {
      if (slice.isOver) await slice.next();
      const fee = fees.get(plan_seq);
      if (!fee) continue;
      const sum = sums.get(fee.currency) ?? { price: 0n, subscriptions: 0 };
      // The plans of a subscription have the same currency and are next to each other.
      const isNext = seq !== counted;
      counted = seq;
      sums.set(fee.currency, { price: sum.price + fee.yearly, subscriptions: sum.subscriptions + (isNext ? 1 : 0) });
    }
    if (last === undefined) return;
    after = last;
    await yieldToEventLoop();
  }
}
