import { invalid } from "../../../../core/problems/problem.ts";
import { usedIn } from "../../../../counting/counters/counter-store.ts";
import { numberOf } from "../../../../lib/amount.ts";
import { boundaryAt } from "../../../../lib/time/calendar.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { inBucket, subscriptionPath } from "../../metering-buckets/in-bucket.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { allowances } from "../../subscriptions/allowance.ts";
import { planChangeInput } from "../../subscriptions/schema.ts";
import { periodOf } from "../../subscriptions/state.ts";
import { findSubscription, planChange, type Subscription } from "../../subscriptions/subscriptions.ts";
import { type SpendingLimitSource, spendingLimitsOf } from "../spending-limits.ts";
import { usageHistory as historyOf, type Usage, usageAt, usageOf } from "../usage/usage.ts";
import { historyQuery, planChangePreview, usage, usageHistory, usageQuery } from "../usage/usage-schema.ts";
import { requireRepresentable } from "./usage-series.ts";

const maxPeriods = 120;

export function usageRoutes(credits: SpendingLimitSource) {
  return [
    inBucket.read({
      operationId: "getUsage",
      path: `${subscriptionPath}/usage`,
      summary: "Read the usage of a period",
      access: "any",
      query: usageQuery,
      response: usage,
      handle: async ({ reads, bucket, now, params, query }) => {
        const subscription = await findSubscription(reads, bucket, params.subscriptionId);
        const at = query.at ?? now;
        const period = periodOf(subscription, now);
        // Credits are those of the current period.
        const limits =
          at >= period.start && at < period.end
            ? await spendingLimitsOf(credits, reads, bucket, subscription.row, period, now)
            : undefined;
        const body = present(await usageAt(reads, subscription, at, limits?.meters), "?at", "?at");
        return { body, revision: { id: subscription.row.id, version: "usage" }, composed: true };
      },
    }),
    inBucket.read({
      operationId: "previewPlanChange",
      method: "POST",
      path: `${subscriptionPath}/$preview`,
      summary: "Preview a change of plans",
      description: "Changes nothing. Returns the same errors as the change itself.",
      access: "read",
      body: planChangeInput,
      response: planChangePreview,
      handle: async ({ reads, bucket, now, params, body }) => {
        const preview = await previewPlanChange(reads, bucket, params.subscriptionId, body, now);
        const { meters: before, ...period } = present(preview.before, "/planExternalIds", "/planExternalIds");
        return { body: { ...period, before, after: preview.after.meters, next: preview.next } };
      },
    }),
    inBucket.read({
      operationId: "getUsageHistory",
      path: `${subscriptionPath}/usage/history`,
      summary: "Read the usage of each period",
      description:
        `Oldest first, at most ${maxPeriods} periods, from the first in which the subscription existed or was used, including ` +
        "periods without usage. A past period has the maximum that applied when it ended.",
      access: "any",
      query: historyQuery,
      response: usageHistory,
      handle: async ({ reads, bucket, now, params, query }) => {
        const subscription = await findSubscription(reads, bucket, params.subscriptionId);
        const to = query.to ?? now + 1;
        const from = query.from ?? boundaryAt(to, "yearly", -1);
        if (from >= to) throw invalid("?from", "must be before to");
        requireRepresentable(periodOf(subscription, from).start, query.from === undefined ? "?to" : "?from");
        const usages = await historyOf(reads, subscription, from, to, maxPeriods);
        const revision = { id: subscription.row.id, version: "history" };
        return { body: { data: usages.map((each) => present(each, "?from", "?to")) }, revision, composed: true };
      },
    }),
  ];
}

/** A period outside the years 0000 to 9999 cannot be serialized; the error names the parameters that caused it. */
function present({ start, end, meters }: Usage, from: string, to: string) {
  requireRepresentable(start, from);
  requireRepresentable(end, to);
  return { periodStart: formatDateTime(start), periodEnd: formatDateTime(end), meters };
}

interface ChangePreview {
  subscription: Subscription;
  before: Usage;
  after: Usage;
  /** The maximums of each period from the next one on. */
  next: Record<string, { label: string | undefined; max: number }>;
}

/** Returns the effect of a change of plans on this period and later ones. Throws the same errors as the change. */
async function previewPlanChange(
  reads: Reads,
  bucket: MeteringBucket,
  id: string,
  { planExternalIds, prorate }: { planExternalIds: string[]; prorate?: number | undefined },
  now: number,
): Promise<ChangePreview> {
  const subscription = await findSubscription(reads, bucket, id);
  const change = { planExternalIds, prorate: prorate === undefined ? undefined : { share: prorate, usedIn } };
  const { plans, allowance } = await planChange(reads, bucket, subscription, change, now);
  const before = await usageAt(reads, subscription, now);
  const period = periodOf(subscription, now);
  const row = { ...subscription.row, ...allowance };
  const used = await usedIn(reads, row.seq, period.start);
  const later = allowances({ allowance_period: null, allowance: null }, plans, period.end);
  return {
    subscription,
    before,
    after: usageOf(allowances(row, plans, period.start), period, used),
    next: Object.fromEntries([...later].map(([meter, { label, max }]) => [meter, { label, max: numberOf(max) }])),
  };
}
