import { read, write } from "../../api/endpoint.ts";
import type { Act } from "../../core/access/access.ts";
import { invalid } from "../../core/problems/problem.ts";
import { isMeterName } from "../../core/schemas/meters.ts";
import { type Amount, amountOf } from "../../lib/amount.ts";
import { turn } from "../../lib/calendar.ts";
import { formatDateTime, parseDateTime } from "../../lib/time.ts";
import { findBucket } from "./buckets.ts";
import { type Ingested, ingest, type UsageEvents } from "./events.ts";
import { bucketPath, subscriptionPath } from "./paths.ts";
import { type Consumed, type Consumption, consume, type Quotas } from "./quotas.ts";
import { reconcile } from "./reconciliation.ts";
import { findSubscription, periodOf } from "./subscriptions.ts";
import { usageHistory as historyOf, type Usage, usageAt } from "./usage.ts";
import {
  consumed,
  consumeInput,
  eventsInput,
  historyQuery,
  ingested,
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
    write({
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
      handle: async ({ act, params, body }, transaction) => {
        const batch = { act, bucketId: params.bucketId, items: itemsOf(body) };
        return replyToEvents(body, await ingest(transaction, batch));
      },
      handleInGroup: async ({ act, params, body }) =>
        replyToEvents(body, await events.ingest({ act, bucketId: params.bucketId, items: itemsOf(body) })),
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
    write({
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
      response: consumed,
      handle: async (input, transaction) => replyToConsume(await consume(transaction, consumptionOf(input))),
      handleInGroup: (input) => quotas.consume(consumptionOf(input)).then(replyToConsume),
      express: (act, { bucketId, subscriptionId }, body) => {
        const amounts = plainAmountsIn(body);
        return amounts && quotas.consume({ act, bucketId, subscriptionId, amounts }).then(textOfConsumed);
      },
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

function itemsOf(body: unknown[] | object): unknown[] {
  return Array.isArray(body) ? body : [body];
}

function replyToEvents(body: unknown[] | object, result: Ingested) {
  const [mistake] = result.rejected;
  if (mistake && !Array.isArray(body)) throw invalid(mistake.pointer, mistake.detail);
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
  const amounts = new Map(Object.entries(body.meters).map(([meter, value]) => [meter, amountOf(value)!]));
  return { act, bucketId: params.bucketId, subscriptionId: params.subscriptionId, amounts };
}

/** Of a body that is what `consumeInput` takes, with whole amounts; anything else is for the schema to judge. */
function plainAmountsIn(body: unknown): Map<string, Amount> | undefined {
  if (typeof body !== "object" || body === null || !("meters" in body)) return undefined;
  for (const name in body) if (name !== "meters") return undefined;
  const meters = body.meters as Record<string, unknown> | null;
  if (typeof meters !== "object" || meters === null || Array.isArray(meters)) return undefined;
  const amounts = new Map<string, Amount>();
  for (const name in meters) {
    const value = meters[name];
    if (!isMeterName(name) || !Number.isSafeInteger(value) || (value as number) <= 0) return undefined;
    amounts.set(name, amountOf(value as number)!);
  }
  return amounts.size > 0 ? amounts : undefined;
}

function replyToConsume(outcome: Consumed) {
  return { text: textOfConsumed(outcome) };
}

/** It has the shape of its schema by its making, and is asked for too often to be held against it each time. */
function textOfConsumed({ allowed, meters }: Consumed): string {
  return JSON.stringify({ allowed, meters });
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
