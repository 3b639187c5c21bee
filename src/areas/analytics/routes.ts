import type { z } from "zod";
import { csvResponse, prefersCsv } from "../../api/csv.ts";
import { stream } from "../../api/endpoint.ts";
import { invalid } from "../../core/problems/problem.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import type { History } from "../../platform/storage/history.ts";
import { findDeployment } from "../deployments/deployments.ts";
import { modelUsageRoutes } from "./model-usage-routes.ts";
import { analyticsRangeOf, type TimeSteps } from "./range.ts";
import { analytics, analyticsQuery } from "./schema.ts";
import { readSeries, type Series } from "./series.ts";
import { verificationAnalyticsRoutes } from "./verification-routes.ts";

export const analyticsAreas = {
  Analytics:
    "Every request to the deployments, counted by route, status, consumer, key, client, tool and version; every call of verify-key; and every request to a model.",
};

const area = "Analytics";

export function analyticsRoutes(history: History) {
  return [
    stream({
      operationId: "getDeploymentAnalytics",
      method: "GET",
      path: "/v1/deployments/{deploymentName}/analytics",
      area,
      inAccountOfCaller: true,
      summary: "Read the analytics of a deployment",
      description: "Counts are visible within seconds. Also as `text/csv`, if the Accept header prefers it.",
      access: "read",
      query: analyticsQuery,
      otherTypes: ["text/csv"],
      response: analytics,
      handle: async ({ reads, account, act, params, query }, request) => {
        const { seq, name } = await findDeployment(reads, account.seq, params.deploymentName);
        return reply(history, account.seq, { seq, name }, query, act.now, request);
      },
    }),
    stream({
      operationId: "getAccountAnalytics",
      method: "GET",
      path: "/v1/accounts/{accountName}/analytics",
      area,
      summary: "Read the analytics of all deployments of an account",
      description:
        "Without deleted deployments. With `by=version`, a key is `<deployment>@<number>`. Also as `text/csv`, if the Accept header prefers it.",
      access: "read",
      query: analyticsQuery,
      otherTypes: ["text/csv"],
      response: analytics,
      handle: async ({ account, act, query }, request) =>
        reply(history, account.seq, undefined, query, act.now, request),
    }),
    ...verificationAnalyticsRoutes(history),
    ...modelUsageRoutes(history),
  ];
}

async function reply(
  history: History,
  accountSeq: number,
  deployment: { seq: number; name: string } | undefined,
  query: z.output<typeof analyticsQuery>,
  now: number,
  request: HttpRequest,
) {
  const { by, limit, route, status, consumer, consumerId } = query;
  if ((by === "key" || by === "client" || by === "tool") && route !== undefined)
    throw invalid("?route", `cannot be combined with by=${by}: ${by}s are counted on all routes together`);
  if (
    consumerId !== undefined &&
    (route !== undefined || by === "route" || by === "key" || by === "client" || by === "tool")
  )
    throw invalid("?consumerId", `cannot be combined with ${route === undefined ? `by=${by}` : "route"}`);
  const range = analyticsRangeOf(query, now);
  const series = await history.read((reads) =>
    readSeries(reads, { accountSeq, deployment, range, by, limit, route, status, consumer, consumerId }),
  );
  return prefersCsv(request) ? csvResponse(csvColumns, csvRows(series, range)) : { body: present(series, range) };
}

function present(series: Series[], { from, to, step, times }: TimeSteps) {
  const shownTimes = times.map(formatDateTime);
  return {
    from: formatDateTime(from),
    to: formatDateTime(to),
    step,
    series: series.map(({ key, isOther, totals, points }) => ({
      key,
      ...(isOther ? { isOther: true as const } : {}),
      totals,
      points: points.map((point, index) => ({ time: shownTimes[index]!, ...point })),
    })),
  };
}

const countColumns = ["requests", "rejected", "errors", "p50Ms", "p95Ms", "p99Ms", "bytesIn", "bytesOut"] as const;
const csvColumns = ["time", "key", "isOther", ...countColumns];

function* csvRows(series: Series[], { times }: TimeSteps) {
  const shownTimes = times.map(formatDateTime);
  for (const { key, isOther, points } of series)
    for (const [index, point] of points.entries())
      yield [shownTimes[index]!, key, isOther, ...countColumns.map((column) => point[column])];
}
