import type { RetryStatistics, TargetStatistics, UpstreamStatistics } from "../../core/metrics/gateway-metrics.ts";
import type { BalancedUpstream } from "./balanced-upstream.ts";

interface WithUpstreams {
  readonly upstreams: ReadonlyMap<number, BalancedUpstream>;
}

/** Statistics for metrics. Upstreams that share a target, or its retries, share a series. */
export function upstreamStatistics(running: Iterable<[deployment: string, WithUpstreams]>): UpstreamStatistics {
  const now = performance.now();
  const targets = new Map<string, TargetStatistics>();
  const retries = new Map<string, RetryStatistics>();
  for (const [deployment, version] of running)
    for (const { targets: all, budget } of version.upstreams.values()) {
      const { retried, denied } = budget;
      const upstream = all[0]!.label;
      retries.set(`${deployment} ${upstream}`, { deployment, upstream, retried, denied });
      for (const { label: target, state } of all) {
        const { succeeded, failed } = state;
        const isAvailable = state.isAvailable(now);
        targets.set(`${deployment} ${target}`, { deployment, target, isAvailable, succeeded, failed });
      }
    }
  return { targets: targets.values(), retries: retries.values() };
}
