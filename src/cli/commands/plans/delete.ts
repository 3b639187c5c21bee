import { argument } from "../../arguments/values.ts";
import { deleteCommand } from "../../connection/remote.ts";
import { findPlanId, planHelp } from "../../options/find-plan.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = deleteCommand({
  summary: "Delete a plan without subscriptions",
  arguments: { id: argument(planHelp) },
  options: meteringBucketOption,
  examples: [{ command: "tollgate plans delete price_gold", text: "Asks first." }],
  what: ({ id }) => `the plan ${id}`,
  async delete(client, { id, bucket }) {
    const bucketId = await meteringBucket(client, bucket);
    return client.plans(bucketId).delete(await findPlanId(client, bucketId, id));
  },
});
