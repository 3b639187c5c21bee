import type { Reads } from "../../../platform/storage/storage.ts";
import { usageAt } from "../../metering/usage/usage.ts";
import type { Plan } from "../../plans/plans.ts";
import type { Subscription } from "../../subscriptions/subscriptions.ts";

type Meters = Record<string, { label?: string; max: number }>;

const metersOf = ({ meters }: Pick<Plan, "meters">) => JSON.parse(meters) as Meters;

/** What each meter allows in a period under the current plans and under another one, beside what was used. */
export async function limitChanges(reads: Reads, current: Subscription | undefined, plan: Plan, now: number) {
  const used = current ? (await usageAt(reads, current, now)).meters : {};
  const before: Meters = {};
  for (const each of current?.plans ?? [])
    for (const [meter, { label, max }] of Object.entries(metersOf(each)))
      before[meter] = { max: (before[meter]?.max ?? 0) + max, ...labeled(before[meter]?.label ?? label) };
  const after = metersOf(plan);
  return [...new Set([...Object.keys(after), ...Object.keys(before)])].map((meter) => ({
    meter,
    ...labeled(after[meter]?.label ?? before[meter]?.label),
    ...(before[meter] ? { before: before[meter].max } : {}),
    ...(after[meter] ? { after: after[meter].max } : {}),
    used: used[meter]?.used ?? 0,
  }));
}

const labeled = (label: string | undefined) => (label === undefined ? {} : { label });
