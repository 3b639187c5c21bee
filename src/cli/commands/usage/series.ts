import { argument, named, oneOf, option, pastTime } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { findSubscription } from "../../options/find-subscription.ts";
import { meteringBucketOption } from "../../options/metering-bucket-option.ts";
import { showList } from "../../output/show.ts";

export const command = remoteCommand({
  summary: "Show the usage by hour or day, and a forecast for the period",
  arguments: { subscription: argument("its id, or the customer's name") },
  options: {
    ...meteringBucketOption,
    from: option("the start of the range; by default that of the period", pastTime),
    to: option("the end of the range; now by default", pastTime),
    step: option("the interval of each point", oneOf("1h", "1d")),
    meter: option("only this meter", named("METER")),
  },
  examples: [
    { command: "tollgate usage series acme", text: "In the current period." },
    { command: "tollgate usage series acme --from -2d --step 1h", text: "Hour by hour." },
  ],
  async call(client, { subscription, bucket, from, to, step, meter }) {
    const { bucketId, subscriptionId } = await findSubscription(client, bucket, subscription);
    return client.usage(bucketId, subscriptionId).series({ from, to, step, meter });
  },
  async csv(client, { subscription, bucket, from, to, step, meter }) {
    const { bucketId, subscriptionId } = await findSubscription(client, bucket, subscription);
    return client.usage(bucketId, subscriptionId).seriesCsv({ from, to, step, meter });
  },
  show({ meters }, terminal, { from, to }) {
    const rows = Object.entries(meters).flatMap(([meter, { points }]) =>
      points.filter(({ used }) => used > 0).map(({ time, used }) => ({ time, meter, used })),
    );
    showList(terminal, rows, ["time", "meter", "used"]);
    if (rows.length === 0) terminal.note("There is no usage.");
    // A custom range may cover several periods or part of one: the maximum of a period does not apply.
    const isPeriod = from === undefined && to === undefined;
    for (const [meter, { used, max, forecast }] of Object.entries(meters)) {
      const share = isPeriod ? `${used} of ${max}` : `${used}; a period allows ${max}`;
      const expected = forecast === undefined ? "" : `; the period will end at about ${Math.round(forecast)}`;
      terminal.note(terminal.noteStyle("dim", `${meter}: ${share}${expected}.`));
    }
  },
});
