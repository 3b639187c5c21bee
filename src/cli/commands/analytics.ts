import type { Analytics } from "../../client/index.ts";
import { integer, named, oneOf, option, optionalArgument, pastTime } from "../arguments/values.ts";
import { remoteCommand } from "../connection/remote.ts";
import { bytes, shortTime, showList } from "../output/show.ts";
import type { Terminal } from "../terminal/terminal.ts";

type Totals = Analytics["series"][number]["totals"];

/** The options of all three: a range of time, its steps, and the number of lines. */
const rangeOptions = {
  from: option("the start of the range; a day ago by default", pastTime),
  to: option("the end of the range; now by default", pastTime),
  step: option("the interval of each point; chosen by the range by default", oneOf("1m", "1h", "1d")),
  limit: option("the number of lines with --by; 10 by default, at most 100", integer),
};

export const analytics = remoteCommand({
  summary: "Show the number, latency and errors of requests to deployments",
  details:
    "Without --by: one line for each step of time. With --by: one line for each route, status, consumer, key, policy in observe, version or deployment, the largest first. " +
    "--json and --csv have both.",
  arguments: { deployment: optionalArgument("the deployment; by default all deployments of the account") },
  options: {
    by: option(
      "the property to group by",
      oneOf("route", "status", "consumer", "key", "client", "tool", "policy", "version", "deployment"),
    ),
    ...rangeOptions,
    route: option("only this route, such as /orders/{id}, or unknown for paths without one", named("PATH")),
    status: option("only this status, such as 429, or class, such as 4xx", named("STATUS")),
    consumer: option("only this consumer; '' for none", named("NAME")),
    consumerId: option("only the consumer with this id, of those with the same name", named("ID")),
    policy: option("only what this policy in observe has decided", named("NAME")),
  },
  examples: {
    "tollgate analytics --by consumer --policy pace": "The consumers that a policy in observe would have rejected.",
    "tollgate analytics": "The last day, hour by hour.",
    "tollgate analytics --by consumer --from -30d": "The consumers with the most requests.",
    "tollgate analytics --by key --consumer acme": "The keys of a consumer by requests.",
    "tollgate analytics orders-main-3f9c2a1 --by route --status 5xx --from -1h":
      "The routes of a deployment with the most errors.",
  },
  call: (client, { deployment, ...options }) =>
    deployment === undefined ? client.analytics.get(options) : client.analytics.ofDeployment(deployment, options),
  csv: (client, { deployment, by, from, to, step, limit, route, status, consumer, consumerId, policy }) =>
    client.analytics.csv({ deployment, by, from, to, step, limit, route, status, consumer, consumerId, policy }),
  show({ from, to, series }, terminal, { by }) {
    const isObserved = series.some(({ totals }) => totals.observed > 0) || by === "policy";
    const counts = ["requests", "rejected", "errors", ...(isObserved ? (["observed"] as const) : [])] as const;
    const columns = [...counts, "p50Ms", "p95Ms", "p99Ms", "in", "out"] as const;
    const shown = { series, columns, by, count: ({ requests }: Totals) => requests, row: line };
    showSeries(terminal, shown, `requests from ${shortTime(from)} to ${shortTime(to)}`);
  },
});

interface ShownSeries<Point> {
  series: { key?: string | null; isOther?: boolean; totals: Point; points: (Point & { time: string })[] }[];
  columns: readonly string[];
  by: string | undefined;
  /** What is counted: points without any are left out. */
  count(totals: Point): number;
  row?(totals: Point): object;
  /** What stands for the absence of a value. */
  none?: string;
}

/** A line for each step of time, or for each series, and the sum below. */
function showSeries<Point extends object>(
  terminal: Terminal,
  { series, columns, by, count, row = (totals) => totals, none = `(no ${by})` }: ShownSeries<Point>,
  what: string,
): void {
  const rows =
    by === undefined
      ? series[0]!.points.filter((point) => count(point) > 0).map((point) => ({ time: point.time, ...row(point) }))
      : series.map(({ key, isOther, totals }) => ({ [by]: isOther ? "(others)" : (key ?? none), ...row(totals) }));
  showList<Record<string, unknown>>(terminal, rows, [by ?? "time", ...columns]);
  const total = series.reduce((sum, { totals }) => sum + count(totals), 0);
  terminal.note(`${total.toLocaleString("en")} ${what}.`, "dim");
}

function line({ bytesIn, bytesOut, ...totals }: Totals) {
  return { ...totals, in: bytes(bytesIn), out: bytes(bytesOut) };
}

export const verifications = remoteCommand({
  summary: "Show the number and results of verifications by verify-key",
  details:
    "Without --by: one line for each step of time. With --by: one line for each bucket, consumer or result, the largest first. " +
    "--json and --csv have both. Keys that a gateway checked are requests: see `tollgate analytics`.",
  options: {
    by: option("the property to group by", oneOf("bucket", "consumer", "result")),
    ...rangeOptions,
    bucket: option("only this key bucket", named("NAME")),
    consumer: option("only keys of this consumer; '' for unknown values", named("NAME")),
  },
  examples: {
    "tollgate verifications": "The last day, hour by hour.",
    "tollgate verifications --by result --consumer acme": "The results for the keys of a consumer.",
  },
  call: (client, options) => client.analytics.verifications(options),
  csv: (client, options) => client.analytics.verificationsCsv(options),
  show({ from, to, series }, terminal, { by }) {
    const isObserved = series.some(({ totals }) => totals.observed > 0);
    const counts = ["verifications", "rejected", ...(isObserved ? (["observed"] as const) : [])] as const;
    const count = ({ verifications }: (typeof series)[number]["totals"]) => verifications;
    showSeries(
      terminal,
      { series, columns: counts, by, count },
      `verifications from ${shortTime(from)} to ${shortTime(to)}`,
    );
  },
});

const amounts = ["requests", "input", "cached", "output", "currency", "cost", "charge", "margin"] as const;

export const models = remoteCommand({
  summary: "Show tokens, cost, charge and margin of requests to language models",
  details:
    "Without --by: one line for each step of time. With --by: one line for each model, provider, deployment or consumer, the largest first. " +
    "--json has both. Amounts of several currencies are not added.",
  options: {
    by: option("the property to group by", oneOf("model", "provider", "deployment", "consumer")),
    ...rangeOptions,
    model: option("only this model, by its alias", named("ALIAS")),
    provider: option("only this provider, by its name in the project", named("NAME")),
    consumer: option("only this consumer, by name", named("NAME")),
  },
  examples: {
    "tollgate models": "The last day, hour by hour.",
    "tollgate models --by consumer --model small": "The customers who use a model most.",
    "tollgate models --by model --from -30d": "The margin of each model in 30 days.",
  },
  call: (client, options) => client.analytics.models(options),
  show({ from, to, series }, terminal, { by }) {
    const count = ({ requests }: (typeof series)[number]["totals"]) => requests;
    const range = `requests to models from ${shortTime(from)} to ${shortTime(to)}`;
    showSeries(terminal, { series, columns: amounts, by, count, none: "(none)" }, range);
  },
});
