import type { Tollgate } from "../../client/index.ts";
import { UsageError } from "../process/usage-error.ts";

export const planHelp = "the plan's id, or its identifier in your billing system";

/** The id of a plan, given its id or its identifier in the billing system. */
export async function findPlanId(client: Tollgate, bucketId: string, given: string): Promise<string> {
  if (/^plan_[0-9A-Za-z]{24}$/.test(given)) return given;
  const [plan] = await client.plans(bucketId).list({ planExternalId: given, limit: 1 }).all();
  if (!plan) throw new UsageError(`There is no plan "${given}" in the bucket.`, "List them: tollgate plans list");
  return plan.id;
}
