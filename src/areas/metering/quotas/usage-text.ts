import { type Amount, numberOf } from "../../../lib/amount.ts";
import type { Period } from "../../../lib/time/calendar.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { Allowance } from "../../subscriptions/allowance.ts";
import { creditsAfter, type MeterCredits } from "../spending-limits.ts";
import type { MeterUsage } from "../usage/usage.ts";

/** The texts before and after the usage of a meter. */
interface MeterText {
  meter: string;
  max: Amount;
  before: string;
  after: string;
  credits: MeterCredits | undefined;
}

/**
 * Returns a function that writes the usage of all meters and the end of the period as members of a JSON object, without
 * the braces. What does not change is written once, because verify-key writes it with each response.
 */
export function usageTexts(
  allowed: ReadonlyMap<string, Allowance>,
  period: Period,
  credits: ReadonlyMap<string, MeterCredits> | undefined,
): (usedOf: (meter: string) => Amount) => string {
  const end = `},"periodEnd":"${formatDateTime(period.end)}"`;
  let texts: MeterText[] | undefined;
  return (usedOf) => {
    // Most quotas are used by gateways only, and some have thousands of meters.
    texts ??= Array.from(allowed, ([meter, allowance]) => textOf(meter, allowance, credits?.get(meter)));
    let text = '"meters":{';
    let separator = "";
    for (const { meter, max, before, after, credits } of texts) {
      const used = usedOf(meter);
      text += `${separator}${before}${numberOf(used)}${after}${numberOf(max > used ? max - used : 0n)}`;
      text += credits ? `,"credits":${numberOf(creditsAfter(credits, used))}}` : "}";
      separator = ",";
    }
    return text + end;
  };
}

/** The same for usage that is known. */
export function usageTextOf(meters: Record<string, MeterUsage>, periodEnd: number): string {
  return `"meters":${JSON.stringify(meters)},"periodEnd":"${formatDateTime(periodEnd)}"`;
}

function textOf(meter: string, { label, max }: Allowance, credits: MeterCredits | undefined): MeterText {
  const before = `${JSON.stringify(meter)}:{${label === undefined ? "" : `"label":${JSON.stringify(label)},`}"used":`;
  return { meter, max, before, after: `,"max":${numberOf(max)},"available":`, credits };
}
