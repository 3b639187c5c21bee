import { routeScope } from "../../../../api/endpoint.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import type { Quotas } from "../quotas/quotas.ts";
import type { SpendingLimitSource } from "../spending-limits.ts";
import type { UsageEvents } from "../usage/events.ts";
import { eventRoutes } from "./events.ts";
import { holdRoutes } from "./holds.ts";
import { quotaRoutes } from "./quotas.ts";
import { reconciliationRoutes } from "./reconciliation.ts";
import { usageRoutes } from "./usage.ts";
import { usageListRoutes } from "./usage-list.ts";
import { usageSeriesRoutes } from "./usage-series.ts";

export const meteringAreas = {
  Metering: "Containers for plans and subscriptions.",
  Usage: "The usage of customers and the limits of their plans: counted once, exactly and durably.",
};

interface MeteringRouteOptions {
  storage: Pick<Storage, "isShared" | "reads">;
  events: UsageEvents;
  quotas: Quotas;
  credits: SpendingLimitSource;
}

export function meteringRoutes({ storage, events, quotas, credits }: MeteringRouteOptions) {
  return routeScope({ area: "Usage", inAccountOfCaller: true }, [
    ...eventRoutes(events),
    ...usageRoutes(credits),
    ...usageSeriesRoutes(),
    ...usageListRoutes(),
    ...quotaRoutes(quotas),
    ...holdRoutes(),
    ...reconciliationRoutes(storage),
  ]);
}
