import { csvResponse, prefersCsv } from "../../../../api/csv.ts";
import { invalid } from "../../../../core/problems/problem.ts";
import { formatDateTime, parseDateTime } from "../../../../lib/time/time.ts";
import { inBucket, subscriptionPath } from "../../metering-buckets/in-bucket.ts";
import { periodOf } from "../../subscriptions/state.ts";
import { findSubscription } from "../../subscriptions/subscriptions.ts";
import { usageSeries, usageSeriesQuery } from "../usage/usage-schema.ts";
import { usageSeries as seriesOf, type UsageSeries } from "../usage/usage-series.ts";

export function usageSeriesRoutes() {
  return [
    inBucket.stream({
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
      handle: async ({ reads, bucket, now, params, query, request }) => {
        const subscription = await findSubscription(reads, bucket, params.subscriptionId);
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

export function requireRepresentable(time: number, parameter: string): void {
  if (parseDateTime(formatDateTime(time)) === undefined) throw invalid(parameter, "is out of range");
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
