import type { Reads } from "../../platform/storage/storage.ts";
import type { TimeSteps } from "./range.ts";
import { type Dimension, deploymentNames, rank, type Selection, type SeriesRow, visitRows } from "./series-store.ts";
import { steps } from "./steps.ts";
import { type Detail, detail, none, other, TrafficCounts } from "./traffic.ts";
import { addRow } from "./traffic-store.ts";

export interface SeriesQuery {
  accountSeq: number;
  /** Undefined: all deployments of the account. */
  deployment: { seq: number; name: string } | undefined;
  range: TimeSteps;
  by: Dimension | undefined;
  /** How many series beside that of all others. */
  limit: number;
  route: string | undefined;
  consumer: string | undefined;
  status: [from: number, to: number] | undefined;
}

export interface Series {
  /** Null: all requests, or those without a consumer. */
  key: string | null;
  isOther: boolean;
  totals: TrafficCounts;
  /** One for each step of the range. */
  points: TrafficCounts[];
}

/** What unknown paths are called, as in the metrics; a route begins with a slash. */
const unknownRoute = "unknown";

/**
 * The series of a query, the largest first and that of all others last. Whatever is shown adds up to the total: others are what
 * the total has beyond them.
 */
export async function readSeries(reads: Reads, query: SeriesQuery): Promise<Series[]> {
  const { by, limit, range } = query;
  const selection = selectionOf(query);
  const total = newSeries(null, range);
  if (by === undefined) {
    await visitRows(reads, selection, detailFor(query, undefined), (row) => total.add(row));
    return [total.done()];
  }
  const fine = detailFor(query, by);
  const names = await keyNames(reads, query);
  const ranked = await rank(reads, selection, fine, by);
  ranked.sort((one, another) => another.requests - one.requests || compareKeys(names(one.row), names(another.row)));
  const chosen = ranked.slice(0, limit).map(({ row }) => row);
  const series = new Map(chosen.map((row) => [names(row), newSeries(names(row), range)]));
  const isNamed = by === "route" || by === "consumer";
  const named = isNamed ? { dimension: by, values: chosen.map((row) => row[by]) } : undefined;
  if (chosen.length > 0) await visitRows(reads, selection, fine, (row) => series.get(names(row))?.add(row), named);
  // Read last, so that it is never behind the parts that are taken from it.
  await visitRows(reads, selection, detailFor(query, undefined), (row) => total.add(row));
  const shown = [...series.values()].map((each) => each.done());
  const rest = total.done(true);
  for (const each of shown) {
    rest.totals.merge(each.totals, -1);
    for (const [index, point] of each.points.entries()) rest.points[index]!.merge(point, -1);
  }
  return rest.totals.requests > 0 ? [...shown, rest] : shown;
}

/** The coarsest rows that suffice for the query. */
function detailFor({ route, consumer }: SeriesQuery, by: Dimension | undefined): Detail {
  if (consumer !== undefined || by === "consumer") return detail.consumers;
  return route !== undefined || by === "route" ? detail.routes : detail.totals;
}

function selectionOf({ accountSeq, deployment, range, route, consumer, status }: SeriesQuery): Selection {
  return {
    step: steps[range.step].milliseconds,
    times: range.times,
    accountSeq,
    deploymentSeq: deployment?.seq,
    route: route === unknownRoute ? none : route,
    consumer,
    status,
  };
}

/** Under which key a row is counted; `other` is none that is ranked. */
async function keyNames(reads: Reads, query: SeriesQuery): Promise<(row: SeriesRow) => string | null> {
  const { by, accountSeq, deployment } = query;
  const needsNames = by === "deployment" || (by === "version" && !deployment);
  const names = needsNames ? await deploymentNames(reads, accountSeq) : new Map<number, string>();
  const nameOf = (row: SeriesRow) => names.get(row.deployment_seq) ?? other;
  switch (by) {
    case "route":
      return ({ route }) => (route === none ? unknownRoute : route);
    case "consumer":
      return ({ consumer }) => (consumer === none ? null : consumer);
    case "status":
      return ({ status }) => String(status);
    case "deployment":
      return nameOf;
    default:
      // Numbers begin anew in each deployment.
      return deployment ? ({ version }) => String(version) : (row) => `${nameOf(row)}@${row.version}`;
  }
}

function compareKeys(one: string | null, another: string | null): number {
  return (one ?? "") < (another ?? "") ? -1 : 1;
}

function newSeries(key: string | null, { from, times, step }: TimeSteps) {
  const { milliseconds } = steps[step];
  const points: TrafficCounts[] = times.map(() => new TrafficCounts());
  return {
    add: (row: SeriesRow) => addRow(points[(row.time - from) / milliseconds]!, row),
    done(isOther = false): Series {
      const totals = new TrafficCounts();
      for (const point of points) totals.merge(point);
      return { key, isOther, totals, points };
    },
  };
}
