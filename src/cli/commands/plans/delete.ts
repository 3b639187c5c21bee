import { meteringBucket, meteringBucketOption } from "../../support/metering-bucket.ts";
import { deleteCommand } from "../../support/remote.ts";
import { argument } from "../../support/values.ts";

export const command = deleteCommand({
  summary: "Delete a plan that nobody subscribes to",
  arguments: { id: argument("the plan's id") },
  options: meteringBucketOption,
  examples: [{ command: "tollgate plans delete plan_0QGzNqW81Kx8VhTb3mPcRdZu", text: "Asks first." }],
  what: ({ id }) => `the plan ${id}`,
  delete: async (client, { id, bucket }) => client.plans(await meteringBucket(client, bucket)).delete(id),
});
