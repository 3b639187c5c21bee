import type { ReactNode } from "react";
import { Sparkline } from "../../../components/chart.tsx";
import { Figure } from "../../../components/number.tsx";
import { Skeleton } from "../../../components/skeleton.tsx";
import { formatMs, formatPercent } from "../../../lib/format.ts";
import { type Change, changeOf, errorShare, named, type Series } from "./figures.ts";
import { rejectedShare, type VerificationSeries } from "./verification-figures.ts";

export interface Pair<Value> {
  present: Value;
  before: Value;
}

interface Props {
  /** Undefined while loading. */
  all: Pair<Series | undefined> | undefined;
  consumers: Pair<Series[]> | undefined;
  /** Undefined if nothing was verified. */
  verifications?: Pair<VerificationSeries> | undefined;
}

/** The figures of the gateways' traffic, each with a sparkline and the change from the previous period. */
export function Tiles({ all, consumers, verifications }: Props) {
  const read = (series: Series | undefined, value: (series: Series) => number) => (series ? value(series) : 0);
  const change = (value: (series: Series) => number, options: Parameters<typeof changeOf>[2]) =>
    all && changeOf(read(all.present, value), read(all.before, value), options);
  const points = all?.present?.points ?? [];
  const callers = consumers && named(consumers.present);
  const isMore = consumers?.present.some(({ isOther }) => isOther);
  return (
    <div className="figures" data-count={verifications ? 5 : 4}>
      <Tile
        label="Requests"
        change={change(({ totals }) => totals.requests, { isMoreGood: true })}
        values={points.map(({ requests }) => requests)}
      >
        {all && <Figure value={all.present?.totals.requests ?? 0} />}
      </Tile>
      {verifications && <VerificationsTile series={verifications} />}
      <Tile
        label="Error rate"
        change={change(({ totals }) => errorShare(totals), { isMoreGood: false, isShare: true })}
        values={points.map(errorShare)}
        color="chart-3"
      >
        {all && formatPercent(all.present ? errorShare(all.present.totals) : 0)}
      </Tile>
      <Tile
        label="p99"
        change={change(({ totals }) => totals.p99Ms ?? 0, { isMoreGood: false })}
        values={points.map(({ p99Ms }) => p99Ms ?? 0)}
        color="chart-4"
      >
        {all && (all.present?.totals.p99Ms == null ? "–" : formatMs(all.present.totals.p99Ms))}
      </Tile>
      <Tile
        label="Active consumers"
        change={callers && changeOf(callers.length, named(consumers.before).length, { isMoreGood: true })}
        values={callers ? activeIn(callers) : []}
      >
        {callers && `${callers.length}${isMore ? "+" : ""}`}
      </Tile>
    </div>
  );
}

/** The figures of an account whose traffic is verify-key alone. */
export function VerificationTiles({ series }: { series: Pair<VerificationSeries> }) {
  const { present, before } = series;
  return (
    <div className="figures" data-count={2}>
      <VerificationsTile series={series} />
      <Tile
        label="Rejection rate"
        change={changeOf(rejectedShare(present.totals), rejectedShare(before.totals), {
          isMoreGood: false,
          isShare: true,
        })}
        values={present.points.map(rejectedShare)}
        color="chart-2"
      >
        {formatPercent(rejectedShare(present.totals))}
      </Tile>
    </div>
  );
}

function VerificationsTile({ series: { present, before } }: { series: Pair<VerificationSeries> }) {
  return (
    <Tile
      label="Verifications"
      change={changeOf(present.totals.verifications, before.totals.verifications, { isMoreGood: true })}
      values={present.points.map(({ verifications }) => verifications)}
    >
      <Figure value={present.totals.verifications} />
    </Tile>
  );
}

/** The number of active callers in each step. */
function activeIn(callers: Series[]): number[] {
  const length = callers[0]?.points.length ?? 0;
  return Array.from(
    { length },
    (_, index) => callers.filter(({ points }) => (points[index]?.requests ?? 0) > 0).length,
  );
}

interface TileProps {
  label: string;
  change: Change | undefined;
  values: number[];
  color?: string;
  children: ReactNode;
}

/** A figure with the change from the previous period, and its course. */
export function Tile({ label, change, values, color, children }: TileProps) {
  return (
    <div className="card">
      <div className="figure-label">{label}</div>
      <div className="figure-value">{children ?? <Skeleton width={90} />}</div>
      <div className="figure-change" data-tone={change?.tone}>
        {change?.text}
      </div>
      <Sparkline values={values} isLastIncomplete {...(color ? { color } : {})} />
    </div>
  );
}
