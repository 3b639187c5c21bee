import { type AreaContext, areaOf } from "../../../../api/area.ts";
import { routeScope } from "../../../../api/endpoint.ts";
import { keepPartitions } from "../partitions/partitions.ts";
import type { Quotas } from "../quotas/quotas.ts";
import type { SpendingLimitSource } from "../spending-limits.ts";
import { expireHolds, removeOldHolds } from "../takes/holds.ts";
import { UsageEvents } from "../usage/events.ts";
import { rankUsage } from "../usage/rank-usage.ts";
import { removeOldEvents, removeOldUsageHours } from "../usage/retention.ts";
import { eventRoutes } from "./events.ts";
import { holdRoutes } from "./holds.ts";
import { quotaRoutes } from "./quotas.ts";
import { reconciliationRoutes } from "./reconciliation.ts";
import { usageRoutes } from "./usage.ts";
import { usageListRoutes } from "./usage-list.ts";
import { usageSeriesRoutes } from "./usage-series.ts";

/** How often holds of verify-key that have expired are ended. */
const holdSeconds = 0.5;
/** How often rankings are computed and partitions created and dropped. Not at once, which would delay the first requests. */
const upkeepSeconds = 60;
const firstUpkeepSeconds = 1;
const dayMilliseconds = 24 * 60 * 60 * 1000;

interface MeteringServices {
  quotas: Quotas;
  credits: SpendingLimitSource;
}

export function meteringArea(
  { storage, clock, retention, lifecycle }: AreaContext,
  { quotas, credits }: MeteringServices,
) {
  const { eventDays } = retention;
  lifecycle.every(holdSeconds, "expired holds", (signal) => expireHolds(storage, clock.now(), signal));
  const partitions = (signal: AbortSignal) =>
    keepPartitions(storage, { now: clock.now(), retentionDays: eventDays, signal });
  lifecycle.every(upkeepSeconds, "partitions of usage events", partitions, firstUpkeepSeconds);
  const rankings = (signal: AbortSignal) => rankUsage({ storage, clock, signal });
  lifecycle.every(upkeepSeconds, "usage rankings", rankings, firstUpkeepSeconds);
  const operations = routeScope({ inAccountOfCaller: true }, [
    ...eventRoutes(new UsageEvents(storage)),
    ...usageRoutes(credits),
    ...usageSeriesRoutes(),
    ...usageListRoutes(),
    ...quotaRoutes(quotas),
    ...holdRoutes(),
    ...reconciliationRoutes(storage),
  ]);
  const about = "The usage of customers and the limits of their plans: counted once, exactly and durably.";
  return areaOf({ Usage: about }, operations, {
    removals: [
      (signal) => removeOldEvents(storage, clock.now() - eventDays * dayMilliseconds, signal),
      (signal) => removeOldUsageHours(storage, clock.now(), signal),
      (signal) => removeOldHolds(storage, clock.now(), signal),
    ],
  });
}
