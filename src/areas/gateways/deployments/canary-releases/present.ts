import { LatencyHistogram } from "../../../../lib/latency-histogram.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import { findRow } from "../../../../platform/storage/rows.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import type { Deployment } from "../deployments.ts";
import { versionOrLive } from "../versions/version-store.ts";
import { firstSecond } from "./abort-rule.ts";
import { type Canary, type CanaryOutcome, splitOf } from "./canaries.ts";
import * as store from "./store.ts";

/** Returns the API's view of the traffic of a deployment. */
export async function presentTraffic(reads: Reads, deployment: Deployment, now: number) {
  const stored = await findRow(reads, "deployment_canaries", { deployment_seq: deployment.seq });
  const live = deployment.active_version_seq;
  const isRunning = stored?.ended_on === null && stored.live_version_seq === live;
  if (stored && isRunning) return { ...(await presentRunning(reads, stored, now)), lastCanary: null };
  const version = await versionOrLive(reads, deployment);
  return {
    liveVersionNumber: version?.number ?? null,
    splits: version ? [{ versionNumber: version.number, weight: 1, share: 1, isLive: true }] : [],
    lastCanary: stored ? await presentLast(reads, stored) : null,
  };
}

async function presentRunning(reads: Reads, canary: Canary, now: number) {
  const { splits, stickyBy, abort } = splitOf(canary);
  const totals = await store.versionTotals(reads, canary.deployment_seq);
  const total = canary.weight + canary.live_weight;
  const presented = splits.map(async ({ versionNumber, weight }, isCanary) => ({
    versionNumber,
    weight,
    share: weight / total,
    isLive: isCanary === 0,
    counts: countsOf(totals, isCanary),
    lastMinute: shareOf(await store.windowCounts(reads, canary.deployment_seq, isCanary as 0 | 1, firstSecond(now))),
  }));
  return {
    liveVersionNumber: canary.live_version_number,
    splits: await Promise.all(presented),
    ...(stickyBy && { stickyBy }),
    ...(abort && { abort }),
    startedOn: formatDateTime(canary.started_on),
  };
}

async function presentLast(reads: Reads, canary: Canary) {
  const totals = await store.versionTotals(reads, canary.deployment_seq);
  return {
    versionNumber: canary.version_number,
    liveVersionNumber: canary.live_version_number,
    outcome: (canary.outcome ?? "replaced") as CanaryOutcome,
    startedOn: formatDateTime(canary.started_on),
    endedOn: formatDateTime(canary.ended_on ?? canary.updated_on),
    ...(canary.abort !== null && { abort: JSON.parse(canary.abort) }),
    counts: countsOf(totals, 1),
    liveCounts: countsOf(totals, 0),
  };
}

function countsOf(totals: store.VersionTotalRow[], isCanary: number) {
  const total = totals.find(({ is_canary }) => is_canary === isCanary);
  const latency = new LatencyHistogram();
  if (total?.latency) latency.mergeEncoded(total.latency);
  const [p50, p95, p99] = latency.quantiles([0.5, 0.95, 0.99]) ?? [];
  return {
    ...shareOf({ requests: total?.requests ?? 0, errors: total?.errors ?? 0 }),
    latencyMs: p50 === undefined ? null : { p50: rounded(p50), p95: rounded(p95!), p99: rounded(p99!) },
  };
}

function shareOf({ requests, errors }: { requests: number; errors: number }) {
  return { requests, errors, errorShare: requests === 0 ? 0 : errors / requests };
}

/** Two digits after the point: histograms are not more precise. */
function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}
