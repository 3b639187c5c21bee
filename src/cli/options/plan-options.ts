import type { Plan, Tollgate } from "../../client/index.ts";
import type { Option } from "../arguments/command.ts";
import { amountsOption, integer, oneOf, option, pairsOption } from "../arguments/values.ts";
import { UsageError } from "../process/usage-error.ts";

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

type Plans = ReturnType<Tollgate["plans"]>;

/** The id of a plan, given its id or its identifier in the billing system. */
export async function findPlanId(plans: Plans, given: string): Promise<string> {
  if (/^plan_[0-9A-Za-z]{24}$/.test(given)) return given;
  const [plan] = await plans.list({ planExternalId: given, limit: 1 }).all();
  return (plan ?? missing(given)).id;
}

/** Plans by id or by identifier in the billing system. */
export async function findPlans(plans: Plans, wanted: string[] | undefined): Promise<Plan[]> {
  if (!wanted) throw new UsageError("--plan is missing.", "For example: --plan price_gold");
  const all = await plans.list().all();
  return wanted.map(
    (name) => all.find(({ id, planExternalId }) => name === id || name === planExternalId) ?? missing(name),
  );
}

function missing(name: string): never {
  throw new UsageError(`There is no plan "${name}" in the bucket.`, "List them: tollgate plans list");
}
