import { Slice } from "../../lib/tasks/slices.ts";
import type { Reads } from "../../platform/storage/storage.ts";
import type { TimeSteps } from "./range.ts";
import {
  type Dimension,
  deploymentNames,
  type RequestSeriesRow,
  rankRequests,
  type SeriesSelection,
  timePieces,
  visitRows,
} from "./series-store.ts";
import { steps } from "./steps.ts";
import { type Detail, detail, none, other, TrafficCounts } from "./traffic.ts";
import { addRow } from "./traffic-store.ts";

export interface SeriesQuery {
  accountSeq: number;
  /** The deployment of the series. Undefined for all deployments of the account. */
  deployment: { seq: number; name: string } | undefined;
  range: TimeSteps;
  by: Dimension | undefined;
  /** The number of series in addition to that of all others. */
  limit: number;
  route: string | undefined;
  consumer: string | undefined;
  /** The policy in `observe` that decided about the requests. Not together with a route, or by a dimension without it. */
  policy?: string | undefined;
  /** Not together with a route, or by anything that is stored in its column. */
  consumerId?: string | undefined;
  status: [from: number, to: number] | undefined;
}

export interface Series {
  /** The group of the series. Null for all requests, or for those without a consumer, key or client. */
  key: string | null;
  isOther: boolean;
  totals: ShownCounts;
  /** One value for each step of the range. */
  points: ShownCounts[];
}

/** The name of unknown paths, as in the metrics. A route begins with a slash. */
const unknownRoute = "unknown";

/**
 * Returns the series of a query, the largest first and that of all others last. The series add up to the total: others
 * are the difference between the total and the listed series.
 */
export async function readSeries(reads: Reads, query: SeriesQuery): Promise<Series[]> {
  const { by, limit, range } = query;
  const selection = selectionOf(query);
  const total = new SeriesBuilder(null, range);
  if (by === undefined) {
    for (const times of timePieces(range.times)) {
      total.begin(times);
      await visitRows(reads, { ...selection, times }, detailFor(query, undefined), (row) => total.add(row));
      total.end();
    }
    return [total.done()];
  }
  const fine = detailFor(query, by);
  const names = await keyNames(reads, query);
  const ranked = await rankRequests(reads, selection, fine, by);
  if (isSparse(by)) ranked.push(...(await withoutValue(reads, query, ranked)));
  ranked.sort((one, another) => another.requests - one.requests || compareKeys(names(one.row), names(another.row)));
  const chosen = ranked.slice(0, limit).map(({ row }) => row);
  const series = new Map(chosen.map((row) => [names(row), new SeriesBuilder(names(row), range)]));
  const column = by === "key" || by === "policy" || isSparse(by) ? "route" : by;
  const isNamed = column === "route" || column === "consumer";
  const named = isNamed ? { column, values: chosen.map((row) => row[column]) } : undefined;
  // Requests without a client or tool have no rows of their own: they are the total minus those with one.
  const without = isSparse(by) ? series.get(null) : undefined;
  const withValue = new SeriesBuilder(null, range);
  const slice = new Slice();
  // In parts, because the histograms of all points together would take 100 MB.
  for (const times of timePieces(range.times)) {
    for (const each of [...series.values(), withValue, total]) each.begin(times);
    const some = { ...selection, times };
    const addPart = (row: RequestSeriesRow) => {
      series.get(names(row))?.add(row);
      if (without) withValue.add(row);
    };
    if (chosen.length > 0) await visitRows(reads, some, fine, addPart, without ? undefined : named);
    // Read last, so that the total is never smaller than the parts that are subtracted from it.
    await visitRows(reads, some, detailOfTotal(query), (row) => total.add(row));
    without?.addDifference(total, withValue);
    for (const each of series.values()) {
      total.subtract(each);
      each.end();
      if (slice.isOver) await slice.next();
    }
    total.end();
  }
  const shown = [...series.values()].map((each) => each.done());
  const rest = total.done(true);
  return rest.totals.requests > 0 ? [...shown, rest] : shown;
}

/** Whether only requests that have a value of the dimension have rows. */
function isSparse(by: Dimension | undefined): boolean {
  return by === "client" || by === "tool";
}

/** The group of requests without a client or tool, if there are any. */
async function withoutValue(reads: Reads, query: SeriesQuery, ranked: { row: RequestSeriesRow; requests: number }[]) {
  const sum = (groups: { requests: number }[]) => groups.reduce((all, { requests }) => all + requests, 0);
  const all = await rankRequests(reads, selectionOf(query), detailOfTotal(query), "deployment");
  const requests = sum(all) - sum(ranked);
  return requests > 0 ? [{ row: { route: none } as RequestSeriesRow, requests }] : [];
}

/**
 * Returns the coarsest rows that suffice for the query. Rows by key, client, tool or policy have no routes. The total by
 * policy is what all have decided, not all requests.
 */
function detailFor(query: SeriesQuery, by: Dimension | undefined): Detail {
  const { route, consumer, consumerId, policy } = query;
  if (policy !== undefined || query.by === "policy") return detail.policies;
  if (consumerId !== undefined) return detail.consumerIds;
  if (by === "key") return detail.keys;
  if (by === "client") return detail.clients;
  if (by === "tool") return detail.tools;
  if (consumer !== undefined || by === "consumer") return detail.consumers;
  return route !== undefined || by === "route" ? detail.routes : detail.totals;
}

/**
 * If there are too many rows, each detail drops consumers at another time. So the parts and the total of one consumer
 * are read from the same detail. Only clients and tools have no rows of requests without one.
 */
function detailOfTotal(query: SeriesQuery): Detail {
  return detailFor(query, query.consumer === undefined || isSparse(query.by) ? undefined : query.by);
}

function selectionOf({
  accountSeq,
  deployment,
  range,
  route,
  consumer,
  consumerId,
  policy,
  status,
}: SeriesQuery): SeriesSelection {
  return {
    step: steps[range.step].milliseconds,
    times: range.times,
    accountSeq,
    deploymentSeq: deployment?.seq,
    route: policy ?? consumerId ?? (route === unknownRoute ? none : route),
    consumer,
    status,
  };
}

/** Returns the key by which a row is counted. `other` is never ranked. */
async function keyNames(reads: Reads, query: SeriesQuery): Promise<(row: RequestSeriesRow) => string | null> {
  const { by, accountSeq, deployment } = query;
  const needsNames = by === "deployment" || (by === "version" && !deployment);
  const names = needsNames ? await deploymentNames(reads, accountSeq) : new Map<number, string>();
  const nameOf = (row: RequestSeriesRow) => names.get(row.deployment_seq) ?? other;
  switch (by) {
    case "route":
      return ({ route }) => (route === none ? unknownRoute : route);
    case "consumer":
      return ({ consumer }) => (consumer === none ? null : consumer);
    case "key":
    case "client":
    case "tool":
    case "policy":
      return ({ route }) => (route === none ? null : route);
    case "status":
      return ({ status }) => String(status);
    case "deployment":
      return nameOf;
    default:
      // Version numbers start at 1 in each deployment.
      return deployment ? ({ version }) => String(version) : (row) => `${nameOf(row)}@${row.version}`;
  }
}

function compareKeys(one: string | null, another: string | null): number {
  return (one ?? "") < (another ?? "") ? -1 : 1;
}

/** Builds one series in batches of points. */
class SeriesBuilder {
  readonly #points: ShownCounts[] = [];
  readonly #totals = new TrafficCounts();
  readonly #milliseconds: number;
  #from = 0;
  #current: TrafficCounts[] = [];

  constructor(
    private readonly key: string | null,
    { step }: TimeSteps,
  ) {
    this.#milliseconds = steps[step].milliseconds;
  }

  /** Begins the next batch of points. */
  begin(times: number[]): void {
    this.#from = times[0]!;
    this.#current = times.map(() => new TrafficCounts());
  }

  add(row: RequestSeriesRow): void {
    addRow(this.#current[(row.time - this.#from) / this.#milliseconds]!, row);
  }

  subtract(part: SeriesBuilder): void {
    for (const [index, point] of part.#current.entries()) this.#current[index]!.merge(point, -1);
  }

  /** Adds what the first has more than the second. It cannot have less, unless its consumer became one of the others. */
  addDifference(whole: SeriesBuilder, part: SeriesBuilder): void {
    for (const [index, point] of whole.#current.entries()) {
      const taken = part.#current[index]!;
      if (point.requests < taken.requests) continue;
      this.#current[index]!.merge(point);
      this.#current[index]!.merge(taken, -1);
    }
  }

  end(): void {
    for (const point of this.#current) {
      this.#totals.merge(point);
      this.#points.push(shownCounts(point));
    }
    this.#current = [];
  }

  done(isOther = false): Series {
    return { key: this.key, isOther, totals: shownCounts(this.#totals), points: this.#points };
  }
}

type ShownCounts = ReturnType<typeof shownCounts>;

const shownShares = [0.5, 0.95, 0.99];

function shownCounts({ requests, rejected, errors, observed, bytesIn, bytesOut, latency }: TrafficCounts) {
  const rounded = (milliseconds: number) => Number(milliseconds.toPrecision(3));
  const [p50Ms = null, p95Ms = null, p99Ms = null] = latency.quantiles(shownShares)?.map(rounded) ?? [];
  return { requests, rejected, errors, observed, p50Ms, p95Ms, p99Ms, bytesIn, bytesOut };
}
