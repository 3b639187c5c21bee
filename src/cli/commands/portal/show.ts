import { remoteCommand } from "../../connection/remote.ts";
import { bucketOption } from "../../options/key-bucket-options.ts";
import { showPortal } from "../../output/portal.ts";

export const command = remoteCommand({
  summary: "Show the portal of a key bucket and its address",
  arguments: {},
  options: { ...bucketOption },
  examples: [{ command: "tollgate portal show --bucket payments", text: "Its settings, without the image." }],
  call: (client, { bucket }) => client.portal(bucket).get(),
  show: showPortal,
});
