import type { UsageShare } from "../../../client/index.ts";
import { amount, named, option } from "../../arguments/values.ts";
import { listCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = listCommand({
  summary: "List subscriptions by the used share of their quotas",
  arguments: {},
  options: {
    ...meteringBucketOption,
    near: option("only those that used at least this share of a quota, such as 0.8", amount),
    meter: option("only this meter", named("METER")),
  },
  examples: [
    { command: "tollgate usage list --near 0.8", text: "Subscriptions near a limit." },
    { command: "tollgate usage list --all --csv > usage.csv", text: "All subscriptions, for a spreadsheet." },
  ],
  things: "subscriptions",
  filters: ["near"],
  columns: ["customerKey", "share", "meters", "periodEnd", "status", "subscriptionId"],
  row: ({ share, meters }: UsageShare) => ({
    share: `${Math.round(share * 1000) / 10} %`,
    meters: Object.fromEntries(Object.entries(meters).map(([meter, { used, max }]) => [meter, `${used}/${max}`])),
  }),
  csv: async (client, { bucket, near, meter, limit, offset }) =>
    client.metering.usageCsv(await meteringBucket(client, bucket), { near, meter, limit, offset }),
  list: async (client, { bucket, near, meter, limit, offset }) =>
    client.metering.usage(await meteringBucket(client, bucket), { near, meter, limit, offset }),
});
