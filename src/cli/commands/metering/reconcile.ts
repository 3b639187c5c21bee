import { option, pastTime } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";
import { showList } from "../../output/show.ts";

export const command = remoteCommand({
  summary: "Compare the usage counters with the stored events",
  details: "Exits with 1 if they differ.",
  arguments: {},
  options: { ...meteringBucketOption, from: option("from when", pastTime), to: option("until when", pastTime) },
  examples: [{ command: "tollgate metering reconcile --from -30d", text: "The last month." }],
  call: async (client, { bucket, from, to }) =>
    client.metering.reconcile(await meteringBucket(client, bucket), { from, to }),
  show({ agrees, meters, differences }, terminal) {
    const rows = Object.entries(meters).map(([meter, { accepted, counted, stored }]) => ({
      meter,
      accepted,
      countedEvents: counted.events,
      counted: counted.amount,
      storedEvents: stored.events,
      stored: stored.amount,
    }));
    showList(terminal, rows, ["meter", "accepted", "countedEvents", "counted", "storedEvents", "stored"]);
    terminal.note(agrees ? terminal.noteStyle("green", "Counters and events agree.") : "Counters and events differ:");
    const apart = differences.map(({ counted, stored, ...rest }) => ({
      ...rest,
      counted: counted.amount,
      stored: stored.amount,
    }));
    showList(terminal, apart, ["subscriptionId", "meter", "periodStart", "counted", "stored"]);
  },
  exitCode: ({ agrees }) => (agrees ? 0 : 1),
});
