import { argument } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { bucketOption } from "../../options/key-bucket-options.ts";
import { showHandoff } from "../../output/portal.ts";

export const command = remoteCommand({
  summary: "Make an address that shows the portal as a customer sees it",
  details: "Nothing can be changed there. The audit log shows that you viewed it.",
  arguments: { consumer: argument("the customer") },
  options: { ...bucketOption },
  examples: [{ command: "tollgate portal view acme", text: "Open it in a browser within two minutes." }],
  call: (client, { consumer, bucket }) => client.portal(bucket).view(consumer),
  show: showHandoff,
});
