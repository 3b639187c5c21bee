import { useQuery } from "@tanstack/react-query";
import { ChartLine } from "lucide-react";
import type { PortalSession } from "../../../client/portal/schema.gen.ts";
import { ChartSkeleton } from "../../components/chart.tsx";
import { MeterChart } from "../../components/meter-chart.tsx";
import { EmptyState, LoadError } from "../../components/notice.tsx";
import { Meter } from "../../components/number.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { formatUtcDay } from "../../lib/format.ts";
import { Link } from "../../lib/router.tsx";
import { call } from "../queries/api.ts";
import { ModelUsage } from "./model-usage.tsx";
import { Spending } from "./spending.tsx";

export default function UsagePage({ session }: { session: PortalSession }) {
  const usage = useQuery({
    queryKey: ["usage"],
    queryFn: ({ signal }) => call("getPortalUsage", { signal }),
    refetchInterval: 30_000,
  });
  if (usage.error) return <LoadError error={usage.error} onRetry={() => usage.refetch()} />;
  const { subscription, meters = {}, models = { from: "", data: [] } } = usage.data ?? {};
  const hasModels = models.data.length > 0;
  return (
    <>
      <div className="site-head-row">
        <div>
          <h1>Usage</h1>
          {subscription && (
            <p>
              Plan {subscription.plans.join(", ")}
              {subscription.status === "trialing" && ", in its trial"}. From {formatUtcDay(subscription.periodStart)} to{" "}
              {formatUtcDay(subscription.periodEnd)}; it resets <RelativeTime time={subscription.periodEnd} />.
            </p>
          )}
        </div>
      </div>
      {!usage.data ? (
        <div className="card">
          <ChartSkeleton height={180} />
        </div>
      ) : subscription ? (
        <div className="stack">
          {Object.entries(meters).map(([name, meter]) => (
            <section className="card stack" key={name}>
              <Meter label={meter.label ?? name} used={meter.used} max={meter.max} />
              <MeterChart
                name={name}
                meter={meter}
                from={subscription.periodStart}
                to={subscription.periodEnd}
                step="1d"
              />
            </section>
          ))}
          {hasModels && <ModelUsage {...models} />}
          <Spending mayChange={session.scopes.includes("plans:write")} />
        </div>
      ) : hasModels ? (
        <ModelUsage {...models} />
      ) : (
        <EmptyState
          icon={<ChartLine size={20} aria-hidden />}
          title="No active plan"
          action={session.pages.includes("plans") && <Link href="/plans">See the plans</Link>}
        >
          Usage is shown here once your account has a plan.
        </EmptyState>
      )}
    </>
  );
}
