import { type Amount, numberOf } from "../../../../lib/amount.ts";
import type { Period } from "../../../../lib/time/calendar.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { Allowance } from "../../subscriptions/allowance.ts";
import { creditsAfter, type MeterCredits } from "../spending-limits.ts";
import type { MeterUsage } from "../usage/usage.ts";

/** The texts before and after the usage of a meter. */
interface MeterText {
  meter: string;
  max: Amount;
  before: string;
  after: string;
}

/**
 * Writes the usage of all meters and the end of the period as members of a JSON object, without the braces. What does not
 * change is written once, because verify-key writes it with each response.
 */
export class UsageText {
  readonly #periodEnd: string;

  constructor(
    private readonly allowed: ReadonlyMap<string, Allowance>,
    period: Period,
    private readonly credits: ReadonlyMap<string, MeterCredits> | undefined,
  ) {
    this.#periodEnd = formatDateTime(period.end);
  }

  with(usedOf: (meter: string) => Amount): string {
    let text = '"meters":{';
    let separator = "";
    for (const { meter, max, before, after } of meterTexts(this.allowed)) {
      const used = usedOf(meter);
      text += `${separator}${before}${numberOf(used)}${after}${numberOf(max > used ? max - used : 0n)}`;
      const bought = this.credits?.get(meter);
      text += bought ? `,"credits":${numberOf(creditsAfter(bought, used))}}` : "}";
      separator = ",";
    }
    return `${text}},"periodEnd":"${this.#periodEnd}"`;
  }
}

/** Written once for all subscriptions of a plan, when it is first needed: most quotas are used by gateways only. */
const known = new WeakMap<ReadonlyMap<string, Allowance>, MeterText[]>();

function meterTexts(allowed: ReadonlyMap<string, Allowance>): MeterText[] {
  let texts = known.get(allowed);
  if (texts) return texts;
  texts = Array.from(allowed, ([meter, allowance]) => textOf(meter, allowance));
  known.set(allowed, texts);
  return texts;
}

/** The same for usage that is known. */
export function usageTextOf(meters: Record<string, MeterUsage>, periodEnd: number): string {
  return `"meters":${JSON.stringify(meters)},"periodEnd":"${formatDateTime(periodEnd)}"`;
}

function textOf(meter: string, { label, max }: Allowance): MeterText {
  const before = `${JSON.stringify(meter)}:{${label === undefined ? "" : `"label":${JSON.stringify(label)},`}"used":`;
  return { meter, max, before, after: `,"max":${numberOf(max)},"available":` };
}
