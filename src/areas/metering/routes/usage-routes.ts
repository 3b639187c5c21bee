import { csvResponse, prefersCsv } from "../../../api/csv.ts";
import { batchedWrite, read, stream } from "../../../api/endpoint.ts";
import { nextPageLink } from "../../../api/response.ts";
import type { Act } from "../../../core/access.ts";
import { invalid } from "../../../core/problems/problem.ts";
import { type Amount, amountOf } from "../../../lib/amount.ts";
import { turn } from "../../../lib/time/calendar.ts";
import { formatDateTime, parseDateTime } from "../../../lib/time/time.ts";
import { splitTarget } from "../../../platform/http1/message/target.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { findBucket } from "../buckets.ts";
import type { Consumption, Quotas } from "../quotas/quotas.ts";
import { planChangeInput } from "../schema.ts";
import { findSubscription, periodOf, type Subscription } from "../subscriptions/subscriptions.ts";
import { previewPlanChange } from "../usage/change-preview.ts";
import { type Ingested, ingest, type UsageEvents } from "../usage/events.ts";
import { reconcile } from "../usage/reconciliation.ts";
import { usageHistory as historyOf, type Usage, usageAt } from "../usage/usage.ts";
import { listUsage, type UsageShare } from "../usage/usage-list.ts";
import {
  consumed,
  consumeInput,
  eventsInput,
  historyQuery,
  ingested,
  parseConsumeInput,
  planChangePreview,
  reconciliation,
  reconciliationQuery,
  usage,
  usageHistory,
  usageList,
  usageListQuery,
  usageQuery,
  usageSeries,
  usageSeriesQuery,
} from "../usage/usage-schema.ts";
import { usageSeries as seriesOf, type UsageSeries } from "../usage/usage-series.ts";
import { bucketPath, subscriptionPath } from "./paths.ts";

export const usageAreas = {
  Usage: "What customers used, compared with what their plans allow: counted once, exactly, and durably.",
};

const area = "Usage";
const inAccountOfCaller = true;
const mostPeriods = 120;

export function usageRoutes(events: UsageEvents, quotas: Quotas) {
  return [
    batchedWrite({
      operationId: "recordUsage",
      method: "POST",
      path: `${bucketPath}/events`,
      area,
      inAccountOfCaller,
      summary: "Record usage events",
      description:
        "CloudEvents 1.0 as JSON: one, or an array. Returns after they are durable. An event that is wrong is rejected " +
        "by its index and the others are counted; a lone event that is wrong is rejected with 400.",
      access: "verify",
      body: eventsInput,
      largeBody: true,
      response: ingested,
      item: ({ act, params, body }) => ({
        act,
        bucketId: params.bucketId,
        items: Array.isArray(body) ? body : [body],
        isArray: Array.isArray(body),
      }),
      inBatch: (batch) => events.ingest(batch),
      inTransaction: (transaction, batch) => ingest(transaction, batch),
      reply: (result, { isArray }) => replyToEvents(result, isArray),
    }),
    read({
      operationId: "getUsage",
      path: `${subscriptionPath}/usage`,
      area,
      inAccountOfCaller,
      summary: "Read what was used in a period",
      access: "any",
      query: usageQuery,
      response: usage,
      handle: async ({ act, reads, params, query }) => {
        const subscription = await subscriptionAt(reads, act, params);
        const body = present(await usageAt(reads, subscription, query.at ?? act.now), "?at", "?at");
        return { body, revision: { id: subscription.row.id, version: "usage" }, composed: true };
      },
    }),
    read({
      operationId: "previewPlanChange",
      method: "POST",
      path: `${subscriptionPath}/$preview`,
      area,
      inAccountOfCaller,
      summary: "Preview a change of plans",
      description: "Changes nothing; rejects what the change itself would be rejected for.",
      access: "read",
      body: planChangeInput,
      response: planChangePreview,
      handle: async ({ act, reads, params, body }) => {
        const bucket = await findBucket(reads, act.account.seq, params.bucketId);
        const preview = await previewPlanChange(reads, bucket, params.subscriptionId, body, act.now);
        const { meters: before, ...period } = present(preview.before, "/planExternalIds", "/planExternalIds");
        return { body: { ...period, before, after: preview.after.meters, next: preview.next } };
      },
    }),
    read({
      operationId: "getUsageHistory",
      path: `${subscriptionPath}/usage/history`,
      area,
      inAccountOfCaller,
      summary: "Read what was used period by period",
      description:
        `Oldest first, at most ${mostPeriods} periods, from the first in which the subscription existed or was used; also ` +
        "those in which nothing was used. A past period has the maximum that was in force when it ended.",
      access: "any",
      query: historyQuery,
      response: usageHistory,
      handle: async ({ act, reads, params, query }) => {
        const subscription = await subscriptionAt(reads, act, params);
        const to = query.to ?? act.now + 1;
        const from = query.from ?? turn(to, "yearly", -1);
        if (from >= to) throw invalid("?from", "must be before to");
        requireRepresentable(periodOf(subscription, from).start, "?from");
        const usages = await historyOf(reads, subscription, from, to, mostPeriods);
        const revision = { id: subscription.row.id, version: "history" };
        return { body: { data: usages.map((each) => present(each, "?from", "?to")) }, revision, composed: true };
      },
    }),
    stream({
      operationId: "getUsageSeries",
      method: "GET",
      path: `${subscriptionPath}/usage-series`,
      area,
      inAccountOfCaller,
      summary: "Read what was used by hour or day",
      description:
        "By default in the current period, where the points add up to what its usage shows. A step in which a period turns has " +
        "two points. Also as `text/csv`, where the Accept header prefers it.",
      access: "any",
      query: usageSeriesQuery,
      otherTypes: ["text/csv"],
      response: usageSeries,
      handle: async ({ act, reads, params, query }, request) => {
        const subscription = await subscriptionAt(reads, act, params);
        for (const name of ["from", "to"] as const)
          if (query[name] !== undefined) requireRepresentable(periodOf(subscription, query[name]).start, `?${name}`);
        const series = await seriesOf(reads, subscription, query, act.now);
        return prefersCsv(request)
          ? csvResponse(["time", "meter", "used"], seriesRows(series))
          : { body: presentSeries(series) };
      },
    }),
    stream({
      operationId: "listUsage",
      method: "GET",
      path: `${bucketPath}/usage`,
      area,
      inAccountOfCaller,
      summary: "List subscriptions by how much of their quotas they used",
      description:
        "Those that are active or trialing, in their current periods, the largest share first. Where a `max` is 0, anything used is " +
        "a share of 1. Also as `text/csv`, where the Accept header prefers it.",
      access: "read",
      isList: true,
      query: usageListQuery,
      otherTypes: ["text/csv"],
      response: usageList,
      handle: async ({ act, reads, params, query }, request) => {
        const bucket = await findBucket(reads, act.account.seq, params.bucketId);
        const { near, meter, limit, offset } = query;
        const { data, total } = await listUsage(reads, bucket, { near, meter }, act.now, { limit, offset });
        if (!prefersCsv(request)) return { body: { data: data.map(presentShare), limit, offset, total } };
        const nextPage = nextPageLink(splitTarget(request.target), { data, limit, offset, total });
        return csvResponse(shareColumns, data.flatMap(shareRows), nextPage);
      },
    }),
    batchedWrite({
      operationId: "consumeQuota",
      method: "POST",
      path: `${subscriptionPath}/quotas/consume`,
      area,
      inAccountOfCaller,
      summary: "Take from the quota, or take nothing",
      description:
        "All of the amounts, or none of them: see `allowed`. A subscription that is neither active nor trialing allows nothing.",
      access: "verify",
      body: consumeInput,
      parse: parseConsumeInput,
      response: consumed,
      item: consumptionOf,
      inBatch: (consumption) => quotas.consume(consumption),
      inTransaction: (transaction, consumption) => quotas.consumeIn(transaction, consumption),
      // Serialized by hand: a `Consumed` has the shape of its schema.
      reply: ({ allowed, meters }) => ({ text: JSON.stringify({ allowed, meters }) }),
    }),
    read({
      operationId: "reconcileUsage",
      path: `${bucketPath}/reconciliation`,
      area,
      inAccountOfCaller,
      summary: "Hold the counters against the events",
      access: "read",
      query: reconciliationQuery,
      response: reconciliation,
      handle: async ({ act, reads, params, query }) => {
        const bucket = await findBucket(reads, act.account.seq, params.bucketId);
        const from = query.from ?? Number.MIN_SAFE_INTEGER;
        const to = query.to ?? Number.MAX_SAFE_INTEGER;
        const revision = { id: bucket.id, version: "reconciliation" };
        return { body: await reconcile(reads, bucket, from, to), revision, composed: true };
      },
    }),
  ];
}

/** Throws 404 if the bucket or the subscription does not exist. */
async function subscriptionAt(
  reads: Reads,
  act: Act,
  { bucketId, subscriptionId }: { bucketId: string; subscriptionId: string },
): Promise<Subscription> {
  return findSubscription(reads, await findBucket(reads, act.account.seq, bucketId), subscriptionId);
}

function replyToEvents(result: Ingested, isArray: boolean) {
  const [first] = result.rejected;
  if (first && !isArray) throw invalid(first.pointer, first.detail);
  const rejected = result.rejected.map(({ index, pointer, detail }) => ({
    index,
    detail: `${pointer.slice(1).replaceAll("/", ".")} ${detail}`.trim(),
  }));
  return { body: { ...result, rejected } };
}

interface ConsumeRequest {
  act: Act;
  params: { bucketId: string; subscriptionId: string };
  body: { meters: Record<string, number> };
}

function consumptionOf({ act, params, body }: ConsumeRequest): Consumption {
  const amounts = new Map<string, Amount>();
  for (const meter in body.meters) amounts.set(meter, amountOf(body.meters[meter]!)!);
  return { act, bucketId: params.bucketId, subscriptionId: params.subscriptionId, amounts };
}

/** A period that reaches out of the years 0000 to 9999 cannot be written; the parameters that led there are named. */
function present({ start, end, meters }: Usage, from: string, to: string) {
  requireRepresentable(start, from);
  requireRepresentable(end, to);
  return { periodStart: formatDateTime(start), periodEnd: formatDateTime(end), meters };
}

function requireRepresentable(time: number, parameter: string): void {
  if (parseDateTime(formatDateTime(time)) === undefined) throw invalid(parameter, "is too far away");
}

function presentSeries({ from, to, step, meters }: UsageSeries) {
  const present = ([name, { points, ...meter }]: [string, UsageSeries["meters"][string]]) => [
    name,
    { ...meter, points: points.map(({ time, used }) => ({ time: formatDateTime(time), used })) },
  ];
  const presented = Object.fromEntries(Object.entries(meters).map(present));
  return { from: formatDateTime(from), to: formatDateTime(to), step, meters: presented };
}

function* seriesRows({ meters }: UsageSeries) {
  for (const [meter, { points }] of Object.entries(meters))
    for (const { time, used } of points) yield [formatDateTime(time), meter, used];
}

function presentShare({ subscription: { row }, status, period, share, meters }: UsageShare) {
  return {
    subscriptionId: row.id,
    customerKey: row.customer_key,
    status: status as "active" | "trialing",
    periodStart: formatDateTime(period.start),
    periodEnd: formatDateTime(period.end),
    share,
    meters,
  };
}

const shareColumns = [
  "subscriptionId",
  "customerKey",
  "status",
  "periodStart",
  "periodEnd",
  "meter",
  "used",
  "max",
  "available",
  "share",
];

function shareRows(usage: UsageShare) {
  const { subscriptionId, customerKey, status, periodStart, periodEnd, meters } = presentShare(usage);
  return Object.entries(meters).map(([meter, { used, max, available, share }]) => [
    subscriptionId,
    customerKey,
    status,
    periodStart,
    periodEnd,
    meter,
    used,
    max,
    available,
    share,
  ]);
}
