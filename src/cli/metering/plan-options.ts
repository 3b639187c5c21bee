import type { Option } from "../arguments/command.ts";
import { amountsOption, integer, oneOf, option, pairsOption } from "../arguments/values.ts";

/** The fields of a plan except its name and its identifier. */
export const planOptions = {
  meter: amountsOption("what may be used in a period, such as requests=1000"),
  meterLabel: pairsOption("what a meter is called for people; may be repeated", "METER=TEXT", String) as Option<
    Record<string, string> | undefined
  >,
  trialDays: option("how long a trial is", integer),
  trialEnd: option("what becomes of a subscription after it", oneOf("paused", "canceled")),
};

/** The meters of a plan as the API takes them; undefined if absent. */
export function metersOf(
  amounts: Record<string, number> | undefined,
  labels: Record<string, string> | undefined,
): Record<string, { label?: string; max: number }> | undefined {
  if (!amounts) return undefined;
  return Object.fromEntries(Object.entries(amounts).map(([meter, max]) => [meter, { label: labels?.[meter], max }]));
}
