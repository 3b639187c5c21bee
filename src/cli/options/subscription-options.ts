import type { Plan, Tollgate } from "../../client/index.ts";
import { oneOf } from "../arguments/values.ts";
import { UsageError } from "../process/usage-error.ts";

const words = [
  "active",
  "trialing",
  "inactive",
  "incomplete",
  "incomplete-expired",
  "past-due",
  "canceled",
  "unpaid",
] as const;

export const statuses = { ...oneOf(...words), placeholder: "STATUS" };

export const statusesText = `A status is one of ${words.join(", ")}.`;

/** Plans by id or by identifier in the billing system. */
export async function findPlans(client: Tollgate, bucketId: string, wanted: string[]): Promise<Plan[]> {
  const all = await client.plans(bucketId).list().all();
  return wanted.map((name) => {
    const plan = all.find(({ id, planExternalId }) => name === id || name === planExternalId);
    if (!plan) throw new UsageError(`There is no plan "${name}" in the bucket.`, "List them: tollgate plans list");
    return plan;
  });
}
