import { oneOf, option } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { bucketOption } from "../../options/key-bucket-options.ts";

export const command = remoteCommand({
  summary: "Show how far the customers who signed up have come",
  details: "From the sign-up to a key and the first successful request, and whether they stopped for 30 days.",
  arguments: {},
  options: {
    ...bucketOption,
    stage: option("only customers at this stage", oneOf("signed-up", "key-created", "active", "stopped")),
  },
  examples: [{ command: "tollgate portal funnel --stage stopped", text: "Who has stopped." }],
  call: (client, { bucket, stage }) => client.portal(bucket).funnel(stage ? { stage } : {}),
  show: showFields,
});
