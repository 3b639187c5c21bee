import { meteringBucket, meteringBucketOption } from "../../support/metering-bucket.ts";
import { remoteCommand, showFields } from "../../support/remote.ts";
import { argument } from "../../support/values.ts";

export const command = remoteCommand({
  summary: "Show a subscription",
  arguments: { id: argument("the subscription's id") },
  options: meteringBucketOption,
  examples: [
    {
      command: "tollgate subscriptions show sbsc_0QGzNqW81Kx8VhTb3mPcRdZu",
      text: "What is used of it: tollgate usage show",
    },
  ],
  call: async (client, { id, bucket }) => client.subscriptions(await meteringBucket(client, bucket)).get(id),
  show: showFields,
});
