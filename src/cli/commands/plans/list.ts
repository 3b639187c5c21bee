import { option } from "../../arguments/values.ts";
import { listCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = listCommand({
  summary: "List the plans of a metering bucket",
  arguments: {},
  options: { ...meteringBucketOption, externalId: option("only the plan with this identifier in your billing system") },
  examples: [{ command: "tollgate plans list", text: "With the limits of each." }],
  things: "plans",
  columns: ["label", "planExternalId", "id", "meters", "hasSubscriptions", "createdOn"],
  list: async (client, { bucket, externalId, limit, offset }) =>
    client.plans(await meteringBucket(client, bucket)).list({ planExternalId: externalId, limit, offset }),
});
