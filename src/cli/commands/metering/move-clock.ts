import { argument, requiredOption, time } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Move the time of a test bucket forward",
  details: "Each step of billing that is due happens at its time, in order.",
  arguments: { bucket: argument("the test bucket, by id or name") },
  options: { to: requiredOption("the new time", time) },
  examples: [
    {
      command: "tollgate metering move-clock sandbox --to 2030-02-01T00:00:00Z",
      text: "Renews subscriptions and creates invoices.",
    },
  ],
  call: (client, { bucket, to }) => client.metering.moveClock(bucket, to),
  show: showFields,
});
