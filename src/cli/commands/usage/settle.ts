import { amountsOption, argument } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";
import { showMeters } from "../../output/show-usage.ts";

export const command = remoteCommand({
  summary: "Count what was used instead of what a hold holds",
  details: "`keys verify --hold` makes holds. A meter that is not named is 0.",
  arguments: { hold: argument("the id of the hold") },
  options: { ...meteringBucketOption, meter: amountsOption("the amount of a meter, such as tokens=1234") },
  examples: [
    {
      command: "tollgate usage settle hold_0QGzNqW81Kx8VhTb3mPcRdZu --meter tokens=1234",
      text: "The rest of what was held returns.",
    },
  ],
  call: async (client, { hold, bucket, meter = {} }) =>
    client.metering.settleHold(await meteringBucket(client, bucket), hold, meter),
  show: ({ meters }, terminal) => showMeters(terminal, meters),
});
