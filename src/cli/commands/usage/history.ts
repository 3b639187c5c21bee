import { argument, option, pastTime } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { findSubscription } from "../../options/find-subscription.ts";
import { meteringBucketOption } from "../../options/metering-bucket-option.ts";
import { showList } from "../../output/show.ts";

export const command = remoteCommand({
  summary: "Show the usage of each period",
  arguments: { subscription: argument("its id, or the customer's name") },
  options: { ...meteringBucketOption, from: option("from when", pastTime), to: option("until when", pastTime) },
  examples: [{ command: "tollgate usage history acme --from -365d", text: "The last year." }],
  async call(client, { subscription, bucket, from, to }) {
    const { bucketId, subscriptionId } = await findSubscription(client, bucket, subscription);
    return { data: await client.usage(bucketId, subscriptionId).history({ from, to }) };
  },
  show({ data }, terminal) {
    const rows = data.flatMap(({ periodStart, periodEnd, meters }) =>
      Object.entries(meters).map(([meter, { used, max }]) => ({ periodStart, periodEnd, meter, used, max })),
    );
    showList(terminal, rows, ["periodStart", "periodEnd", "meter", "used", "max"]);
    if (rows.length === 0) terminal.note("There is no usage.");
  },
});
