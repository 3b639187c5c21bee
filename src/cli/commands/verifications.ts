import { integer, named, oneOf, option, pastTime } from "../arguments/values.ts";
import { remoteCommand } from "../connection/remote.ts";
import { shortTime, showList } from "../output/show.ts";

export const command = remoteCommand({
  summary: "Show the number and results of verifications by verify-key",
  details:
    "Without --by: one line for each step of time. With --by: one line for each bucket, consumer or result, the largest first. " +
    "--json and --csv have both. Keys that a gateway checked are requests: see `tollgate analytics`.",
  arguments: {},
  options: {
    by: option("the property to group by", oneOf("bucket", "consumer", "result")),
    from: option("the start of the range; a day ago by default", pastTime),
    to: option("the end of the range; now by default", pastTime),
    step: option("the interval of each point; chosen by the range by default", oneOf("1m", "1h", "1d")),
    limit: option("the number of lines with --by; 10 by default, at most 100", integer),
    bucket: option("only this key bucket", named("NAME")),
    consumer: option("only keys of this consumer; '' for unknown values", named("NAME")),
  },
  examples: [
    { command: "tollgate verifications", text: "The last day, hour by hour." },
    { command: "tollgate verifications --by result --consumer acme", text: "The results for the keys of a consumer." },
  ],
  call: (client, { by, from, to, step, limit, bucket, consumer }) =>
    client.analytics.verifications({ by, from, to, step, limit, bucket, consumer }),
  csv: (client, { by, from, to, step, limit, bucket, consumer }) =>
    client.analytics.verificationsCsv({ by, from, to, step, limit, bucket, consumer }),
  show({ from, to, series }, terminal, { by }) {
    if (by === undefined) {
      const rows = series[0]!.points.filter(({ verifications }) => verifications > 0);
      showList(terminal, rows, ["time", "verifications", "rejected"]);
    } else {
      const rows = series.map(({ key, isOther, totals }) => ({
        [by]: isOther ? "(others)" : (key ?? `(no ${by})`),
        ...totals,
      }));
      showList(terminal, rows as Record<string, unknown>[], [by, "verifications", "rejected"]);
    }
    const total = series.reduce((sum, { totals }) => sum + totals.verifications, 0);
    const range = `from ${shortTime(from)} to ${shortTime(to)}`;
    terminal.note(terminal.noteStyle("dim", `${total.toLocaleString("en")} verifications ${range}.`));
  },
});
