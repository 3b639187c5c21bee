import { findPlanId, planHelp } from "../../support/find-plan.ts";
import { meteringBucket, meteringBucketOption } from "../../support/metering-bucket.ts";
import { deleteCommand } from "../../support/remote.ts";
import { argument } from "../../support/values.ts";

export const command = deleteCommand({
  summary: "Delete a plan that nobody subscribes to",
  arguments: { id: argument(planHelp) },
  options: meteringBucketOption,
  examples: [{ command: "tollgate plans delete price_gold", text: "Asks first." }],
  what: ({ id }) => `the plan ${id}`,
  async delete(client, { id, bucket }) {
    const bucketId = await meteringBucket(client, bucket);
    return client.plans(bucketId).delete(await findPlanId(client, bucketId, id));
  },
});
