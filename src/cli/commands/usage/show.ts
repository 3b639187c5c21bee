import { argument, option, time } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { findSubscription } from "../../options/find-subscription.ts";
import { meteringBucketOption } from "../../options/metering-bucket-option.ts";
import { shortTime } from "../../output/show.ts";
import { showMeters } from "../../output/show-usage.ts";

export const command = remoteCommand({
  summary: "Show the used and the remaining amounts of a period",
  arguments: { subscription: argument("its id, or the customer's name") },
  options: { ...meteringBucketOption, at: option("a time in the period; now by default", time) },
  examples: [
    { command: "tollgate usage show acme", text: "In the current period." },
    { command: "tollgate usage show acme --at -30d", text: "In an earlier period." },
  ],
  async call(client, { subscription, bucket, at }) {
    const { bucketId, subscriptionId } = await findSubscription(client, bucket, subscription);
    return client.usage(bucketId, subscriptionId).get({ at });
  },
  show({ periodStart, periodEnd, meters }, terminal) {
    showMeters(terminal, meters);
    terminal.note(terminal.noteStyle("dim", `From ${shortTime(periodStart)} to ${shortTime(periodEnd)}.`));
  },
});
