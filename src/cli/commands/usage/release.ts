import { argument } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = remoteCommand({
  summary: "Return all that a hold holds",
  arguments: { hold: argument("the id of the hold") },
  options: meteringBucketOption,
  examples: [{ command: "tollgate usage release hold_0QGzNqW81Kx8VhTb3mPcRdZu", text: "Nothing was used." }],
  async call(client, { hold, bucket }) {
    await client.metering.releaseHold(await meteringBucket(client, bucket), hold);
    return { holdId: hold };
  },
  show: ({ holdId }, terminal) => terminal.note(`Released ${holdId}.`),
});
