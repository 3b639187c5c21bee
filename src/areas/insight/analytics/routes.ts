import { z } from "zod";
import { type AreaContext, areaOf } from "../../../api/area.ts";
import { csvResponse, prefersCsv } from "../../../api/csv.ts";
import { stream } from "../../../api/endpoint.ts";
import { invalid } from "../../../core/problems/problem.ts";
import { text } from "../../../core/schemas/schemas.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { HttpRequest } from "../../../platform/http1/message/http-request.ts";
import type { History } from "../../../platform/storage/history.ts";
import { findKeyBucket } from "../../api-keys/key-buckets/key-buckets.ts";
import { findDeployment } from "../../gateways/deployments/deployments.ts";
import { readModelSeries } from "./model-usage-series.ts";
import { analyticsRangeOf, type TimeSteps } from "./range.ts";
import { removeOldCounts } from "./retention.ts";
import { analytics, analyticsQuery, seriesOf } from "./schema.ts";
import type { Series } from "./series.ts";
import { readTraffic } from "./traffic-series.ts";
import { keyVerificationQuery, verificationAnalytics } from "./verification-schema.ts";
import { readVerifications } from "./verification-series.ts";

const { from, to, step, limit, consumer } = analyticsQuery.shape;

const modelUsageQuery = z.strictObject({
  from,
  to,
  step,
  by: z
    .enum(["model", "provider", "deployment", "consumer"], "must be model, provider, deployment or consumer")
    .optional()
    .meta({ description: "One series for each value instead of one for all." }),
  limit: limit.removeDefault().default(10).meta({
    description:
      "The number of series, those with the most requests first. All others are one more series, with `isOther`.",
  }),
  model: text(128).optional().meta({ description: "Only this model, by its alias." }),
  provider: text(64).optional().meta({ description: "Only this provider, by its name in the project." }),
  consumer,
});

const money = (description: string) => z.string().nullable().meta({ description });

const counts = {
  requests: z.int(),
  errors: z.int().meta({ description: "The number of 5xx responses." }),
  estimated: z.int().meta({ description: "The number of requests whose tokens are estimated." }),
  input: z.int().meta({ description: "Tokens of input, without those that are cached or written to a cache." }),
  cached: z.int(),
  cacheWrite: z.int(),
  output: z.int().meta({ description: "Tokens of output, including reasoning." }),
  currency: z.string().nullable().meta({ description: "Null without a cost, and if there are several." }),
  cost: money("What the providers charge, a decimal. Null if there are several currencies."),
  charge: money("What meters with the count `cost` have counted. Null if there are several currencies."),
  margin: money("The charge without the cost. Null if there are several currencies."),
  firstByteMs: z
    .number()
    .nullable()
    .meta({ description: "The mean time to the first byte of the response's body; null without one." }),
};

const example = {
  requests: 120,
  errors: 1,
  estimated: 3,
  input: 52000,
  cached: 18000,
  cacheWrite: 0,
  output: 9100,
  currency: "USD",
  cost: "1.25",
  charge: "1.5",
  margin: "0.25",
  firstByteMs: 412,
};

const modelUsageAnalytics = seriesOf(
  counts,
  "The value of `by`. Null without `by`, and for requests without a consumer.",
).meta({
  id: "ModelAnalytics",
  description: "Every request to a model, counted when its response has ended. The series add up to the total.",
  examples: [
    {
      from: "2026-01-31T10:00:00.000Z",
      to: "2026-01-31T11:00:00.000Z",
      step: "1h",
      series: [{ key: "small", totals: example, points: [{ time: "2026-01-31T10:00:00.000Z", ...example }] }],
    },
  ],
});

export function analyticsArea({ storage, history, clock }: AreaContext) {
  const operations = [
    stream({
      operationId: "getDeploymentAnalytics",
      method: "GET",
      path: "/v1/deployments/{deploymentName}/analytics",
      inAccountOfCaller: true,
      summary: "Read the analytics of a deployment",
      description: "Counts are visible within seconds. Also as `text/csv`, if the Accept header prefers it.",
      access: "read",
      query: analyticsQuery,
      otherTypes: ["text/csv"],
      response: analytics,
      handle: async ({ reads, account, act, params, query, request }) => {
        const { seq, name } = await findDeployment(reads, account.seq, params.deploymentName);
        return reply(history, account.seq, { seq, name }, query, act.now, request);
      },
    }),
    stream({
      operationId: "getAccountAnalytics",
      method: "GET",
      path: "/v1/accounts/{accountName}/analytics",
      summary: "Read the analytics of all deployments of an account",
      description:
        "Without deleted deployments. With `by=version`, a key is `<deployment>@<number>`. Also as `text/csv`, if the Accept header prefers it.",
      access: "read",
      query: analyticsQuery,
      otherTypes: ["text/csv"],
      response: analytics,
      handle: async ({ account, act, query, request }) =>
        reply(history, account.seq, undefined, query, act.now, request),
    }),
    stream({
      operationId: "getVerificationAnalytics",
      method: "GET",
      path: "/v1/accounts/{accountName}/analytics/verifications",
      summary: "Read the analytics of verify-key",
      description:
        "Counts calls of `verify-key`. Keys that a gateway verifies are counted as requests. Counts are visible within seconds. " +
        "Also as `text/csv`, if the Accept header prefers it.",
      access: "read",
      query: keyVerificationQuery,
      otherTypes: ["text/csv"],
      response: verificationAnalytics,
      handle: async ({ reads, account, act, query, request }) => {
        const { by, limit, bucket, consumer, result } = query;
        const range = analyticsRangeOf(query, act.now);
        const bucketSeq = bucket === undefined ? undefined : (await findKeyBucket(reads, account.seq, bucket)).seq;
        const accountSeq = account.seq;
        const series = await history.read((recorded) =>
          readVerifications(recorded, { accountSeq, range, by, limit, bucketSeq, consumer, result }),
        );
        return seriesReply(series, range, { request, columns: ["verifications", "rejected", "observed"] });
      },
    }),
    stream({
      operationId: "getModelAnalytics",
      method: "GET",
      path: "/v1/accounts/{accountName}/analytics/models",
      summary: "Read the analytics of models",
      description: "Tokens, cost, charge and margin of requests to models. Counts are visible within seconds.",
      access: "read",
      query: modelUsageQuery,
      response: modelUsageAnalytics,
      handle: async ({ account, act, query }) => {
        const { by, limit, model, provider, consumer } = query;
        const range = analyticsRangeOf(query, act.now);
        const series = await history.read((reads) =>
          readModelSeries(reads, { accountSeq: account.seq, range, by, limit, model, provider, consumer }),
        );
        return seriesReply(series, range);
      },
    }),
  ];
  return areaOf(
    {
      Analytics:
        "Every request to the deployments, counted by route, status, consumer, key, client, tool and version; every call of verify-key; and every request to a model.",
    },
    operations,
    { removals: [(signal) => removeOldCounts(storage, clock.now(), signal)] },
  );
}

const plurals = { key: "keys", client: "clients", tool: "tools", policy: "policies" };

async function reply(
  history: History,
  accountSeq: number,
  deployment: { seq: number; name: string } | undefined,
  query: z.output<typeof analyticsQuery>,
  now: number,
  request: HttpRequest,
) {
  const { by, limit, route, status, consumer, consumerId, policy } = query;
  const isWithoutRoutes = by === "key" || by === "client" || by === "tool" || by === "policy";
  if (isWithoutRoutes && route !== undefined)
    throw invalid("?route", `cannot be combined with by=${by}: ${plurals[by]} are counted on all routes together`);
  if (consumerId !== undefined && (route !== undefined || by === "route" || isWithoutRoutes))
    throw invalid("?consumerId", `cannot be combined with ${route === undefined ? `by=${by}` : "route"}`);
  const isOther = by === "route" || (isWithoutRoutes && by !== "policy");
  const excluded =
    route !== undefined ? "route" : consumerId !== undefined ? "consumerId" : isOther ? `by=${by}` : undefined;
  if (policy !== undefined && excluded) throw invalid("?policy", `cannot be combined with ${excluded}`);
  const range = analyticsRangeOf(query, now);
  const series = await history.read((reads) =>
    readTraffic(reads, { accountSeq, deployment, range, by, limit, route, status, consumer, consumerId, policy }),
  );
  return seriesReply(series, range, { request, columns: countColumns });
}

const countColumns = [
  "requests",
  "rejected",
  "errors",
  "p50Ms",
  "p95Ms",
  "p99Ms",
  "bytesIn",
  "bytesOut",
  "observed",
] as const;

/** The response with series, also as CSV with a row for each point if the request prefers it. */
async function seriesReply<Shown extends object>(
  series: Series<Shown>[],
  { from, to, step, times }: TimeSteps,
  csv?: { request: HttpRequest; columns: readonly (keyof Shown & string)[] },
) {
  const shownTimes = times.map(formatDateTime);
  if (csv && prefersCsv(csv.request)) {
    const rows = series
      .values()
      .flatMap(({ key, isOther, points }) =>
        points
          .values()
          .map((point, index) => [shownTimes[index]!, key, isOther, ...csv.columns.map((column) => point[column])]),
      );
    return csvResponse(
      ["time", "key", "isOther", ...csv.columns],
      rows as Iterable<(string | number | boolean | null)[]>,
    );
  }
  return {
    body: {
      from: formatDateTime(from),
      to: formatDateTime(to),
      step,
      series: series.map(({ key, isOther, totals, points }) => ({
        key,
        ...(isOther ? { isOther: true as const } : {}),
        totals,
        points: points.map((point, index) => ({ time: shownTimes[index]!, ...point })),
      })),
    },
  };
}
