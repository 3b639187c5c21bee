import { csvResponse, prefersCsv } from "../../../../api/csv.ts";
import { stream } from "../../../../api/endpoint.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import { subscriptionPath } from "../../metering-buckets/paths.ts";
import { periodOf } from "../../subscriptions/state.ts";
import { usageSeries, usageSeriesQuery } from "../usage/usage-schema.ts";
import { usageSeries as seriesOf, type UsageSeries } from "../usage/usage-series.ts";
import { requireRepresentable, subscriptionAt } from "./usage-parameters.ts";

export function usageSeriesRoutes() {
  return [
    stream({
      operationId: "getUsageSeries",
      method: "GET",
      path: `${subscriptionPath}/usage-series`,
      summary: "Read usage by hour or day",
      description:
        "By default in the current period, where the points add up to its usage. A step in which a period ends has " +
        "two points. At most 50,000 points of all meters together. Also as `text/csv`, if the Accept header prefers it.",
      access: "any",
      query: usageSeriesQuery,
      otherTypes: ["text/csv"],
      response: usageSeries,
      handle: async ({ act, reads, params, query }, request) => {
        const { subscription, now } = await subscriptionAt(reads, act, params);
        for (const name of ["from", "to"] as const)
          if (query[name] !== undefined) requireRepresentable(periodOf(subscription, query[name]).start, `?${name}`);
        const series = await seriesOf(reads, subscription, query, now);
        return prefersCsv(request)
          ? csvResponse(["time", "meter", "used"], seriesRows(series))
          : { body: presentSeries(series) };
      },
    }),
  ];
}

function presentSeries({ from, to, step, times, meters }: UsageSeries) {
  const shownTimes = times.map(formatDateTime);
  const present = ([name, { points, ...meter }]: [string, UsageSeries["meters"][string]]) => [
    name,
    { ...meter, points: points.map((used, index) => ({ time: shownTimes[index]!, used })) },
  ];
  const presented = Object.fromEntries(Object.entries(meters).map(present));
  return { from: formatDateTime(from), to: formatDateTime(to), step, meters: presented };
}

function* seriesRows({ times, meters }: UsageSeries) {
  const shownTimes = times.map(formatDateTime);
  for (const [meter, { points }] of Object.entries(meters))
    for (const [index, used] of points.entries()) yield [shownTimes[index]!, meter, used];
}
