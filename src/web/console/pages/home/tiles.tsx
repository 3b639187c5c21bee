import type { ReactNode } from "react";
import type { Analytics, VerificationAnalytics } from "../../../../client/index.ts";
import { Sparkline } from "../../../components/chart.tsx";
import { Skeleton } from "../../../components/notice.tsx";
import { Figure } from "../../../components/number.tsx";
import { formatMs, formatPercent, plural } from "../../../lib/format.ts";

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
      <Sparkline values={values} isLastIncomplete color={color} />
    </div>
  );
}

export type Series = Analytics["series"][number];
export type VerificationSeries = VerificationAnalytics["series"][number];

export const errorShare = ({ requests, errors }: { requests: number; errors: number }): number =>
  requests > 0 ? errors / requests : 0;

const rejectedShare = ({ verifications, rejected }: { verifications: number; rejected: number }): number =>
  verifications > 0 ? rejected / verifications : 0;

/** The change from the previous period. */
export interface Change {
  /** Empty if there is nothing to compare. */
  text: string;
  /** Undefined if it is neither good nor bad. */
  tone?: "good" | "bad";
}

interface ChangeOptions {
  /** Whether more is better. */
  isMoreGood: boolean;
  /** The values are shares: their difference is in percentage points, not in percent of a percentage. */
  isShare?: boolean;
}

export function changeOf(present: number, before: number, { isMoreGood, isShare }: ChangeOptions): Change {
  const toneOf = (isMore: boolean) => (isMore === isMoreGood ? "good" : "bad");
  const sign = (value: number) => (value > 0 ? "+" : "−");
  if (isShare) {
    const points = Math.round((present - before) * 10_000) / 100;
    if (points === 0) return { text: "same as before" };
    const shown = `${sign(points)}${plural(Math.abs(points), "point")}`;
    return { text: `${shown} vs before`, tone: toneOf(points > 0) };
  }
  if (before === 0) return { text: present === 0 ? "" : "none before" };
  const change = present / before - 1;
  if (Math.abs(change) < 0.0005) return { text: "same as before" };
  return {
    text: `${sign(change)}${formatPercent(Math.abs(change))} vs before`,
    tone: toneOf(change > 0),
  };
}

/** The named series, without the rest and without requests that have no consumer. */
export const named = <Counted extends Pick<Series, "key" | "isOther"> & { totals: { requests: number } }>(
  series: Counted[],
): Counted[] => series.filter(({ key, isOther, totals }) => key !== null && !isOther && totals.requests > 0);
