import { meteringBucket, meteringBucketOption } from "../../support/metering-bucket.ts";
import { deleteCommand } from "../../support/remote.ts";
import { argument } from "../../support/values.ts";

export const command = deleteCommand({
  summary: "Delete a subscription and what was counted for it",
  details: "To end it and keep the books: tollgate subscriptions update --status canceled",
  arguments: { id: argument("the subscription's id") },
  options: meteringBucketOption,
  examples: [{ command: "tollgate subscriptions delete sbsc_0QGzNqW81Kx8VhTb3mPcRdZu", text: "Asks first." }],
  what: ({ id }) => `the subscription ${id}, with what was counted for it`,
  delete: async (client, { id, bucket }) => client.subscriptions(await meteringBucket(client, bucket)).delete(id),
});
