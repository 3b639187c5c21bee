import { integer, named, oneOf, option, pastTime } from "../arguments/values.ts";
import { remoteCommand } from "../connection/remote.ts";
import { shortTime, showList } from "../output/show.ts";

const amounts = ["requests", "input", "cached", "output", "currency", "cost", "charge", "margin"] as const;

export const command = remoteCommand({
  summary: "Show tokens, cost, charge and margin of requests to language models",
  details:
    "Without --by: one line for each step of time. With --by: one line for each model, provider, deployment or consumer, the largest first. " +
    "--json has both. Amounts of several currencies are not added.",
  arguments: {},
  options: {
    by: option("the property to group by", oneOf("model", "provider", "deployment", "consumer")),
    from: option("the start of the range; a day ago by default", pastTime),
    to: option("the end of the range; now by default", pastTime),
    step: option("the interval of each point; chosen by the range by default", oneOf("1m", "1h", "1d")),
    limit: option("the number of lines with --by; 10 by default, at most 100", integer),
    model: option("only this model, by its alias", named("ALIAS")),
    provider: option("only this provider, by its name in the project", named("NAME")),
    consumer: option("only this consumer, by name", named("NAME")),
  },
  examples: [
    { command: "tollgate models", text: "The last day, hour by hour." },
    { command: "tollgate models --by consumer --model small", text: "The customers who use a model most." },
    { command: "tollgate models --by model --from -30d", text: "The margin of each model in 30 days." },
  ],
  call: (client, { by, from, to, step, limit, model, provider, consumer }) =>
    client.analytics.models({ by, from, to, step, limit, model, provider, consumer }),
  show({ from, to, series }, terminal, { by }) {
    if (by === undefined) {
      const rows = series[0]!.points.filter(({ requests }) => requests > 0);
      showList(terminal, rows, ["time", ...amounts]);
    } else {
      const rows = series.map(({ key, isOther, totals }) => ({
        [by]: isOther ? "(others)" : (key ?? "(none)"),
        ...totals,
      }));
      showList(terminal, rows as Record<string, unknown>[], [by, ...amounts]);
    }
    const total = series.reduce((sum, { totals }) => sum + totals.requests, 0);
    const range = `from ${shortTime(from)} to ${shortTime(to)}`;
    terminal.note(terminal.noteStyle("dim", `${total.toLocaleString("en")} requests to models ${range}.`));
  },
});
