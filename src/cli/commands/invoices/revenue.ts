import { named, option } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";
import { showList } from "../../output/show.ts";

export const command = remoteCommand({
  summary: "Show what was invoiced in each month, by plan, without taxes",
  arguments: {},
  options: {
    ...meteringBucketOption,
    from: option("the first month; by default 11 months before the last", named("YYYY-MM")),
    to: option("the last month; this one by default", named("YYYY-MM")),
  },
  examples: [{ command: "tollgate invoices revenue --from 2026-01 --to 2026-12", text: "A year." }],
  call: async (client, { bucket, from, to }) =>
    client.invoices(await meteringBucket(client, bucket)).revenue({ from, to }),
  show: ({ data }, terminal) =>
    showList(terminal, data, ["month", "currency", "planId", "fees", "overage", "credits", "total"]),
});
