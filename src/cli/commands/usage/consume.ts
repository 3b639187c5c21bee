import { amountsOption, argument } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { findSubscription } from "../../options/find-subscription.ts";
import { meteringBucketOption } from "../../options/metering-bucket-option.ts";
import { showMeters } from "../../output/show-usage.ts";
import { UsageError } from "../../process/usage-error.ts";

export const command = remoteCommand({
  summary: "Consume all of the amounts from a quota, or none",
  details: "Exits with 1 if it is not allowed.",
  arguments: { subscription: argument("its id, or the customer's name") },
  options: { ...meteringBucketOption, meter: amountsOption("the amount of a meter, such as requests=1") },
  examples: [
    {
      command: "tollgate usage consume acme --meter exports=1 && ./export.sh",
      text: "Runs the script only if the quota allows it.",
    },
  ],
  async call(client, { subscription, bucket, meter }) {
    if (!meter) throw new UsageError("--meter is missing.", "Name a meter: --meter requests=1");
    const { bucketId, subscriptionId } = await findSubscription(client, bucket, subscription);
    return client.usage(bucketId, subscriptionId).consume(meter);
  },
  show({ allowed, meters }, terminal) {
    showMeters(terminal, meters);
    terminal.note(
      allowed
        ? terminal.noteStyle("green", "Allowed: the amounts were consumed.")
        : terminal.noteStyle("red", "Not allowed: nothing was consumed."),
    );
  },
  exitCode: ({ allowed }) => (allowed ? 0 : 1),
});
