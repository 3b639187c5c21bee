import type { HourlyExport } from "../../../../../client/index.ts";
import { Badge } from "../../../../components/badge.tsx";
import { formatMinute, formatNumber } from "../../../../lib/format.ts";

export const kindLabels: Record<HourlyExport["kinds"][number], string> = {
  events: "Usage events",
  requests: "Requests",
  invoices: "Invoices",
  audit: "Audit log",
};

const hourMs = 3_600_000;
/** An hour that is being written is not late. */
const lateSeconds = 600;

export function ExportState({ hourly }: { hourly: HourlyExport }) {
  const { isEnabled, failingSince, delaySeconds } = hourly;
  if (!isEnabled) return <Badge>Paused</Badge>;
  if (failingSince) return <Badge tone="red">Failing</Badge>;
  return delaySeconds > lateSeconds ? <Badge tone="amber">Behind</Badge> : <Badge tone="green">Up to date</Badge>;
}

/** The start of an hour, in the time zone of the browser, and on hover in UTC, as in the names of objects. */
export function Hour({ time }: { time: string }) {
  return (
    <time dateTime={time} title={`${time.slice(0, 10)} ${time.slice(11, 16)} UTC`}>
      {formatMinute(time)}
    </time>
  );
}

/** How many hours of a backfill are written. */
export function BackfillProgress({ backfill }: Pick<HourlyExport, "backfill">) {
  if (!backfill) return <span className="muted">–</span>;
  const hours = (from: string, to: string) => Math.round((Date.parse(to) - Date.parse(from)) / hourMs);
  const [done, total] = [hours(backfill.from, backfill.nextHour), hours(backfill.from, backfill.to)];
  return `${formatNumber(done)} of ${formatNumber(total)} hours`;
}

/** Such as "Usage events, audit log as Parquet". */
export function contentOf({ kinds, format }: Pick<HourlyExport, "kinds" | "format">): string {
  const labels = kinds.map((kind, index) => (index === 0 ? kindLabels[kind] : kindLabels[kind].toLowerCase()));
  return `${labels.join(", ")} as ${format === "parquet" ? "Parquet" : "NDJSON"}`;
}
