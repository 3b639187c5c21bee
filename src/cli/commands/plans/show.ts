import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { findPlanId, planHelp } from "../../options/find-plan.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = remoteCommand({
  summary: "Show a plan",
  arguments: { id: argument(planHelp) },
  options: meteringBucketOption,
  examples: [{ command: "tollgate plans show price_gold", text: "With its limits." }],
  async call(client, { id, bucket }) {
    const bucketId = await meteringBucket(client, bucket);
    return client.plans(bucketId).get(await findPlanId(client, bucketId, id));
  },
  show: showFields,
});
