import { argument, named, optionOr, requiredOption } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = remoteCommand({
  summary: "Take a usage event back",
  details: `The usage falls by its amounts, and what it cost is returned. Its id stays a duplicate: send a corrected event with another id.`,
  arguments: { id: argument("the event's id") },
  options: {
    ...meteringBucketOption,
    source: optionOr("the source of the event", "tollgate-cli", named("TEXT")),
    reason: requiredOption("why it is taken back, for the audit log", named("TEXT")),
  },
  examples: [
    {
      command: 'tollgate events void 3e4a1c --source gateway-1 --reason "counted twice"',
      text: "It cannot be undone.",
    },
  ],
  call: async (client, { id, source, reason, bucket }) =>
    client.events(await meteringBucket(client, bucket)).void({ id, source, reason }),
  show: showFields,
});
