import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = remoteCommand({
  summary: "Void what is left of a grant",
  details: "What it has paid stays paid.",
  arguments: { customer: argument("the customer's name"), id: argument("the grant's id") },
  options: meteringBucketOption,
  examples: [{ command: "tollgate grants void acme grnt_0QGzNqW81Kx8VhTb3mPcRdZu", text: "It cannot be undone." }],
  call: async (client, { customer, id, bucket }) =>
    client.grants(await meteringBucket(client, bucket), customer).void(id),
  show: showFields,
});
