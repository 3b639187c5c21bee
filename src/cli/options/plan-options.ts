import type { Option } from "../arguments/command.ts";
import { amountsOption, integer, oneOf, option, pairsOption } from "../arguments/values.ts";

/** The fields of a plan except its name and its identifier. */
export const planOptions = {
  meter: amountsOption("the maximum of a meter in a period, such as requests=1000"),
  meterLabel: pairsOption("the display name of a meter; may be repeated", "METER=TEXT", String) as Option<
    Record<string, string> | undefined
  >,
  trialDays: option("the length of a trial in days", integer),
  trialEnd: option("the status of a subscription after its trial", oneOf("paused", "canceled")),
};

/** The meters of a plan as the API takes them; undefined if absent. */
export function metersOf(
  amounts: Record<string, number> | undefined,
  labels: Record<string, string> | undefined,
): Record<string, { label?: string; max: number }> | undefined {
  if (!amounts) return undefined;
  return Object.fromEntries(Object.entries(amounts).map(([meter, max]) => [meter, { label: labels?.[meter], max }]));
}
