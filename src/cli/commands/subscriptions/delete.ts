import { argument } from "../../arguments/values.ts";
import { deleteCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = deleteCommand({
  summary: "Delete a subscription and its usage",
  details: "To end it and keep its usage: tollgate subscriptions update --status canceled",
  arguments: { id: argument("the subscription's id") },
  options: meteringBucketOption,
  examples: [{ command: "tollgate subscriptions delete sbsc_0QGzNqW81Kx8VhTb3mPcRdZu", text: "Asks first." }],
  what: ({ id }) => `the subscription ${id}, with its usage`,
  delete: async (client, { id, bucket }) => client.subscriptions(await meteringBucket(client, bucket)).delete(id),
});
