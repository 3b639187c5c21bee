import { useQuery } from "@tanstack/react-query";
import { ChartSkeleton } from "../../../components/chart.tsx";
import { MeterChart } from "../../../components/meter-chart.tsx";
import { LoadError } from "../../../components/notice.tsx";
import { useSession } from "../../queries/session.tsx";

interface Props {
  bucketId: string;
  subscriptionId: string;
  /** Of the meters, in their order. */
  labels: string[];
  periodStart: string;
  periodEnd: string;
}

/** The usage of each meter over a period, with the limit and, in the current period, a forecast. */
export function UsageCharts({ bucketId, subscriptionId, labels, periodStart, periodEnd }: Props) {
  const { api } = useSession();
  const series = useQuery({
    queryKey: ["usage", bucketId, subscriptionId, "series", periodStart],
    queryFn: ({ signal }) =>
      api.usage(bucketId, subscriptionId).series({ from: periodStart, to: periodEnd, step: "1d", signal }),
    refetchInterval: 30_000,
  });
  if (series.error) return <LoadError error={series.error} onRetry={() => series.refetch()} />;
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
