import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button } from "../../../components/button.tsx";
import { Chart, ChartSkeleton } from "../../../components/chart.tsx";
import { MeterChart } from "../../../components/meter-chart.tsx";
import { LoadError, Skeleton } from "../../../components/notice.tsx";
import { Meter } from "../../../components/number.tsx";
import { formatUtcDay } from "../../../lib/format.ts";
import { useRead, useSession } from "../../queries/session.tsx";
import { isBilledBy } from "../../queries/usage.tsx";
import { usePlans } from "./plans.ts";

interface UsageViewProps {
  bucketId: string;
  subscriptionId: string;
  planIds: string[];
  /** What follows. It is hidden until the height of the usage is known, because it would jump. */
  children?: ReactNode;
}

/** The usage and limit of each meter in a period, and the previous periods. */
export function UsageView({ bucketId, subscriptionId, planIds, children }: UsageViewProps) {
  const { api } = useSession();
  const [at, setAt] = useState<string>();
  const plans = usePlans(bucketId).data?.filter(({ id }) => planIds.includes(id));
  const source = api.usage(bucketId, subscriptionId);
  const usage = useQuery({
    queryKey: ["usage", bucketId, subscriptionId, at],
    queryFn: ({ signal }) => source.get({ at, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: at ? false : 15_000,
  });
  const history = useQuery({
    queryKey: ["usage", bucketId, subscriptionId, "history"],
    queryFn: ({ signal }) => source.history({ signal }),
  });
  if (usage.error)
    return (
      <>
        <LoadError error={usage.error} />
        {children}
      </>
    );
  if (!usage.data || history.isPending)
    return (
      <>
        <UsageSkeleton />
        <div data-unplaced>{children}</div>
      </>
    );
  const { periodStart, periodEnd, meters } = usage.data;
  const periods = history.data ?? [];
  const first = periods[0]?.periodStart;
  const names = Object.keys(meters);
  return (
    <>
      <div className="stack">
        <div className="row row-between">
          <span className="small muted">
            {formatUtcDay(periodStart)} – {formatUtcDay(periodEnd)} (UTC){at ? "" : ", this period"}
          </span>
          <span className="row">
            <Button
              icon={ChevronLeft}
              isSmall
              isIcon
              aria-label="Period before"
              disabled={!first || periodStart <= first}
              onClick={() => setAt(new Date(new Date(periodStart).getTime() - 1).toISOString())}
            />
            <Button
              icon={ChevronRight}
              isSmall
              isIcon
              aria-label="Period after"
              disabled={!at}
              onClick={() => setAt(periods.at(-1)?.periodStart === periodEnd ? undefined : periodEnd)}
            />
          </span>
        </div>
        <div className="stack card">
          {names.length === 0 && <p className="muted">Its plans have no meters.</p>}
          {Object.entries(meters).map(([name, { label, used, max }]) => (
            <Meter key={name} label={label ?? name} used={used} max={max} isBilled={isBilledBy(plans, name)} />
          ))}
        </div>
        <div className="charts">
          <UsageCharts
            bucketId={bucketId}
            subscriptionId={subscriptionId}
            labels={names.map((name) => meters[name]?.label ?? name)}
            periodStart={periodStart}
            periodEnd={periodEnd}
          />
          {periods.length > 1 &&
            names.map((name) => (
              <div className="card" key={name}>
                <h3 className="card-title">{meters[name]?.label ?? name} by period</h3>
                <Chart
                  title={`${name} by period`}
                  height={160}
                  unit={`${meters[name]?.label ?? name} a period`}
                  formatTime={formatUtcDay}
                  times={periods.map((period) => new Date(period.periodStart).getTime())}
                  series={[
                    {
                      label: "Used",
                      color: "chart-1",
                      kind: "bars",
                      values: periods.map((period) => period.meters[name]?.used ?? 0),
                    },
                    {
                      label: "Limit",
                      color: "chart-2",
                      kind: "dashed",
                      values: periods.map((period) => period.meters[name]?.max ?? null),
                    },
                  ]}
                />
              </div>
            ))}
        </div>
      </div>
      {children}
    </>
  );
}

/** As tall as the usage of one meter, so that what follows stays where it is. */
function UsageSkeleton() {
  return (
    <div className="stack" aria-busy="true">
      <div className="row usage-skeleton-head">
        <Skeleton width={220} />
      </div>
      <div className="card usage-skeleton-meter">
        <Skeleton width={160} />
      </div>
      <div className="card">
        <h3 className="card-title">
          <Skeleton width={140} />
        </h3>
        <ChartSkeleton height={180} />
      </div>
    </div>
  );
}

interface Props {
  bucketId: string;
  subscriptionId: string;
  /** Of the meters, in their order. */
  labels: string[];
  periodStart: string;
  periodEnd: string;
}

/** The usage of each meter over a period, with the limit and, in the current period, a forecast. */
function UsageCharts({ bucketId, subscriptionId, labels, periodStart, periodEnd }: Props) {
  const series = useRead(
    ["usage", bucketId, subscriptionId, "series", periodStart],
    (api, { signal }) =>
      api.usage(bucketId, subscriptionId).series({ from: periodStart, to: periodEnd, step: "1d", signal }),
    { refetchInterval: 30_000 },
  );
  if (series.error) return <LoadError error={series.error} />;
  if (!series.data)
    return labels.map((label) => (
      <div className="card" key={label}>
        <h3 className="card-title">{label} in this period</h3>
        <ChartSkeleton height={180} />
      </div>
    ));
  const { from, to, step, meters } = series.data;
  return Object.entries(meters).map(([name, meter]) => (
    <div className="card" key={name}>
      <h3 className="card-title">{meter.label ?? name} in this period</h3>
      <MeterChart name={name} meter={meter} from={from} to={to} step={step} />
    </div>
  ));
}
