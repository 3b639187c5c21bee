import { findPlanId, planHelp } from "../../support/find-plan.ts";
import { meteringBucket, meteringBucketOption } from "../../support/metering-bucket.ts";
import { remoteCommand, showFields } from "../../support/remote.ts";
import { argument } from "../../support/values.ts";

export const command = remoteCommand({
  summary: "Show a plan",
  arguments: { id: argument(planHelp) },
  options: meteringBucketOption,
  examples: [{ command: "tollgate plans show price_gold", text: "What it allows." }],
  async call(client, { id, bucket }) {
    const bucketId = await meteringBucket(client, bucket);
    return client.plans(bucketId).get(await findPlanId(client, bucketId, id));
  },
  show: showFields,
});
