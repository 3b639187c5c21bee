import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = remoteCommand({
  summary: "Show a grant",
  arguments: { customer: argument("the customer's name"), id: argument("the grant's id") },
  options: meteringBucketOption,
  examples: [
    {
      command: "tollgate grants show acme grnt_0QGzNqW81Kx8VhTb3mPcRdZu",
      text: "What it paid is shown by tollgate grants entries.",
    },
  ],
  call: async (client, { customer, id, bucket }) =>
    client.grants(await meteringBucket(client, bucket), customer).get(id),
  show: showFields,
});
