import type { ReactNode } from "react";
import { SkeletonLines } from "../../../components/notice.tsx";
import { Figure } from "../../../components/number.tsx";
import { ConsumerLink } from "../../components/consumer-link.tsx";
import { named, type Series } from "./tiles.tsx";

const most = 8;

/** The part of a series that a list of bars shows. */
type Counted = Pick<Series, "key" | "isOther"> & { totals: { requests: number } };

interface TopConsumersProps {
  title?: string;
  /** Undefined while loading. */
  series: Counted[] | undefined;
  empty?: string;
}

export function TopConsumers({
  title = "Top consumers",
  series,
  empty = "No consumer has sent a request in this time range.",
}: TopConsumersProps) {
  return <Bars title={title} series={series} empty={empty} render={(name) => <ConsumerLink name={name} />} />;
}

export function TopRoutes({ series }: { series: Series[] | undefined }) {
  return (
    <Bars
      title="Top routes"
      series={series}
      empty="No route was requested in this time range."
      render={(path) => (
        <span className="path truncate" title={path}>
          {path === "unknown" ? "Unknown paths" : path}
        </span>
      )}
    />
  );
}

/** Rejected requests in amber, errors in red. */
export function Statuses({ series }: { series: Series[] | undefined }) {
  const tones: Record<string, string> = { "4": "amber", "5": "red" };
  return (
    <Bars
      title="Statuses"
      series={series}
      empty="No requests in this time range."
      render={(status) => <span className="mono">{status}</span>}
      toneOf={(status) => tones[status[0]!]}
    />
  );
}

/** The results of verify-key in words. */
const resultLabels: Record<string, string> = {
  valid: "Valid",
  malformed: "Malformed",
  not_found: "Unknown key",
  expired: "Expired",
  disabled: "Disabled",
  ip_required: "Address missing",
  ip_not_allowed: "Address not allowed",
  permission_missing: "Permission missing",
  rate_limited: "Rate limited",
};

/** The results of verify-key: rejections in amber. */
export function Results({ series }: { series: Counted[] | undefined }) {
  return (
    <Bars
      title="Results"
      series={series}
      empty="No verifications in this time range."
      render={(result) => <span>{resultLabels[result] ?? result}</span>}
      toneOf={(result) => (result === "valid" ? undefined : "amber")}
    />
  );
}

interface BarsProps {
  title: string;
  /** Undefined while loading. */
  series: Counted[] | undefined;
  empty: string;
  render: (key: string) => ReactNode;
  toneOf?: (key: string) => string | undefined;
}

/** Bars relative to the largest number of requests. */
export function Bars({ title, series, empty, render, toneOf }: BarsProps) {
  const shown = series && named(series).slice(0, most);
  const longest = shown?.[0]?.totals.requests ?? 1;
  return (
    <div className="card">
      <h3 className="card-title">{title}</h3>
      {!shown && <SkeletonLines />}
      {shown?.length === 0 && <p className="muted">{empty}</p>}
      <ul className="bars">
        {shown?.map(({ key, totals }) => (
          <li className="meter" key={key}>
            <span className="row row-between small">
              {render(key!)}
              <Figure value={totals.requests} />
            </span>
            <span className="meter-bar" data-tone={toneOf?.(key!)} aria-hidden>
              <i style={{ width: `${(totals.requests / longest) * 100}%` }} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
