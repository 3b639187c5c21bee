import { batchedWrite, read } from "../../api/endpoint.ts";
import type { Act } from "../../core/access/access.ts";
import { invalid } from "../../core/problems/problem.ts";
import { type Amount, amountOf } from "../../lib/amount.ts";
import { turn } from "../../lib/calendar.ts";
import { formatDateTime, parseDateTime } from "../../lib/time.ts";
import { findBucket } from "./buckets.ts";
import { type Ingested, ingest, type UsageEvents } from "./events.ts";
import { bucketPath, subscriptionPath } from "./paths.ts";
import { type Consumption, consume, type Quotas } from "./quotas.ts";
import { reconcile } from "./reconciliation.ts";
import { findSubscription, periodOf } from "./subscriptions.ts";
import { usageHistory as historyOf, type Usage, usageAt } from "./usage.ts";
import {
  consumed,
  consumeInput,
  eventsInput,
  historyQuery,
  ingested,
  parseConsumeInput,
  reconciliation,
  reconciliationQuery,
  usage,
  usageHistory,
  usageQuery,
} from "./usage-schema.ts";

export const usageAreas = {
  Usage: "What customers used, held against what their plans allow: counted once, exactly, and durably.",
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
        "CloudEvents 1.0 as JSON: one, or an array. Answered after they are durable. An event that is wrong is rejected " +
        "by its index and the others are counted; a lone event that is wrong is refused with 400.",
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
        const bucket = await findBucket(reads, act.account.seq, params.bucketId);
        const subscription = await findSubscription(reads, bucket, params.subscriptionId);
        const body = present(await usageAt(reads, subscription, query.at ?? act.now), "?at", "?at");
        return { body, revision: { id: subscription.row.id, version: "usage" }, composed: true };
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
        const bucket = await findBucket(reads, act.account.seq, params.bucketId);
        const subscription = await findSubscription(reads, bucket, params.subscriptionId);
        const to = query.to ?? act.now + 1;
        const from = query.from ?? turn(to, "yearly", -1);
        if (from >= to) throw invalid("?from", "must be before to");
        requireRepresentable(periodOf(subscription, from).start, "?from");
        const usages = await historyOf(reads, subscription, from, to, mostPeriods);
        const revision = { id: subscription.row.id, version: "history" };
        return { body: { data: usages.map((each) => present(each, "?from", "?to")) }, revision, composed: true };
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
        "All of the amounts, or none of them: `allowed` tells. A subscription that is neither active nor trialing allows nothing.",
      access: "verify",
      body: consumeInput,
      parse: parseConsumeInput,
      response: consumed,
      item: consumptionOf,
      inBatch: (consumption) => quotas.consume(consumption),
      inTransaction: consume,
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

/** A period that reaches out of the years 0000 to 9999 cannot be told; the parameters that led there are named. */
function present({ start, end, meters }: Usage, from: string, to: string) {
  requireRepresentable(start, from);
  requireRepresentable(end, to);
  return { periodStart: formatDateTime(start), periodEnd: formatDateTime(end), meters };
}

function requireRepresentable(time: number, parameter: string): void {
  if (parseDateTime(formatDateTime(time)) === undefined) throw invalid(parameter, "is too far away");
}
