import { meteringBucket, meteringBucketOption } from "../../support/metering-bucket.ts";
import { remoteCommand, showFields } from "../../support/remote.ts";
import { argument } from "../../support/values.ts";

export const command = remoteCommand({
  summary: "Show a plan",
  arguments: { id: argument("the plan's id") },
  options: meteringBucketOption,
  examples: [{ command: "tollgate plans show plan_0QGzNqW81Kx8VhTb3mPcRdZu", text: "What it allows." }],
  call: async (client, { id, bucket }) => client.plans(await meteringBucket(client, bucket)).get(id),
  show: showFields,
});
