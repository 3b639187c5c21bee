import type { ReactNode } from "react";
import { Sparkline } from "../../../components/chart.tsx";
import { Figure } from "../../../components/number.tsx";
import { Skeleton } from "../../../components/skeleton.tsx";
import { formatMs, formatPercent } from "../../../lib/format.ts";
import { changeText, errorShare, named, type Series } from "./figures.ts";

interface Pair<Value> {
  present: Value;
  before: Value;
}

interface Props {
  /** Undefined while loading. */
  all: Pair<Series | undefined> | undefined;
  consumers: Pair<Series[]> | undefined;
}

/** Four figures, each with a sparkline and the change from the previous period. */
export function Tiles({ all, consumers }: Props) {
  const change = (value: (series: Series) => number) =>
    all && changeText(all.present ? value(all.present) : 0, all.before ? value(all.before) : 0);
  const points = all?.present?.points ?? [];
  const callers = consumers && named(consumers.present);
  const isMore = consumers?.present.some(({ isOther }) => isOther);
  return (
    <div className="figures">
      <Tile
        label="Requests"
        change={change(({ totals }) => totals.requests)}
        values={points.map(({ requests }) => requests)}
      >
        {all && <Figure value={all.present?.totals.requests ?? 0} />}
      </Tile>
      <Tile
        label="Error share"
        change={change(({ totals }) => errorShare(totals))}
        values={points.map(errorShare)}
        color="chart-3"
      >
        {all && formatPercent(all.present ? errorShare(all.present.totals) : 0)}
      </Tile>
      <Tile
        label="p99"
        change={change(({ totals }) => totals.p99Ms ?? 0)}
        values={points.map(({ p99Ms }) => p99Ms ?? 0)}
        color="chart-4"
      >
        {all && (all.present?.totals.p99Ms == null ? "–" : formatMs(all.present.totals.p99Ms))}
      </Tile>
      <Tile
        label="Active consumers"
        change={callers && changeText(callers.length, named(consumers.before).length)}
        values={callers ? activeIn(callers) : []}
      >
        {callers && `${callers.length}${isMore ? "+" : ""}`}
      </Tile>
    </div>
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
  change: string | undefined;
  values: number[];
  color?: string;
  children: ReactNode;
}

function Tile({ label, change, values, color, children }: TileProps) {
  return (
    <div className="card">
      <div className="figure-label">{label}</div>
      <div className="figure-value">{children ?? <Skeleton width={90} />}</div>
      <div className="figure-change">{change}</div>
      <Sparkline values={values} {...(color ? { color } : {})} />
    </div>
  );
}
