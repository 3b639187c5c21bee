import { invalid } from "../../../core/problems/problem.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../metering-buckets/metering-buckets.ts";
import type { Plan } from "../plans/plans.ts";
import { findPlans } from "../plans/plans.ts";

/** Returns the plans in the order of the ids. Throws if one does not exist or is listed twice. */
export async function plansNamed(reads: Reads, bucket: MeteringBucket, externalIds: string[]): Promise<Plan[]> {
  const known = new Map(
    (await findPlans(reads, bucket.seq, "external_id", externalIds)).map((plan) => [plan.external_id, plan]),
  );
  return externalIds.map((externalId, index) => {
    const plan = known.get(externalId);
    if (!plan) throw invalid(`/planExternalIds/${index}`, "is not a plan of this bucket");
    if (externalIds.indexOf(externalId) !== index) throw invalid(`/planExternalIds/${index}`, "is listed twice");
    return plan;
  });
}

/** Throws unless the ids are those of the plans, in any order. */
export async function requireSamePlans(
  reads: Reads,
  bucket: MeteringBucket,
  ids: string[],
  plans: Plan[],
): Promise<void> {
  const known = new Set((await findPlans(reads, bucket.seq, "id", ids)).map((plan) => plan.id));
  for (const [index, id] of ids.entries()) {
    if (!known.has(id)) throw invalid(`/planIds/${index}`, "is not a plan of this bucket");
    if (!plans.some((plan) => plan.id === id)) throw invalid(`/planIds/${index}`, "is not among planExternalIds");
    if (ids.indexOf(id) !== index) throw invalid(`/planIds/${index}`, "is listed twice");
  }
  for (const [index, plan] of plans.entries())
    if (!ids.includes(plan.id)) throw invalid(`/planExternalIds/${index}`, "is not among planIds");
}
