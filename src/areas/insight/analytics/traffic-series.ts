import type { Reads } from "../../../platform/storage/storage.ts";
import { none, other, type RowKey } from "./counted-table.ts";
import type { TimeSteps } from "./range.ts";
import { namesOf, type PointKind, readSeries, type Selection, type Series, selectionOf } from "./series.ts";
import { type Detail, detail, TrafficCounts, trafficTable } from "./traffic.ts";

export type TrafficDimension =
  | "route"
  | "status"
  | "consumer"
  | "key"
  | "client"
  | "tool"
  | "policy"
  | "version"
  | "deployment";

export interface TrafficQuery {
  accountSeq: number;
  /** The deployment of the series. Undefined for all deployments of the account. */
  deployment: { seq: number; name: string } | undefined;
  range: TimeSteps;
  by: TrafficDimension | undefined;
  /** The number of series in addition to that of all others. */
  limit: number;
  route: string | undefined;
  consumer: string | undefined;
  /** The policy in `observe` that decided about the requests. Not together with a route, or by a dimension without it. */
  policy?: string | undefined;
  /** Not together with a route, or by anything that is stored in its column. */
  consumerId?: string | undefined;
  /** From the first status (inclusive) to the second (exclusive). */
  status: [from: number, to: number] | undefined;
}

export type TrafficSeries = Series<ReturnType<typeof shownCounts>>;

/** The name of unknown paths, as in the metrics. A route begins with a slash. */
const unknownRoute = "unknown";

const columns: Record<TrafficDimension, string[]> = {
  route: ["route"],
  status: ["status"],
  consumer: ["consumer"],
  key: ["route"],
  client: ["route"],
  tool: ["route"],
  policy: ["route"],
  deployment: ["deployment_seq"],
  version: ["deployment_seq", "version"],
};

const kind: PointKind<TrafficCounts, ReturnType<typeof shownCounts>> = {
  create: () => new TrafficCounts(),
  add: (point, row) => trafficTable.addRow(point, row),
  merge: (point, from, sign) => trafficTable.merge(point, from, sign),
  show: shownCounts,
  sizeOf: ({ requests }) => requests,
  ranked: "requests",
};

export async function readTraffic(reads: Reads, query: TrafficQuery): Promise<TrafficSeries[]> {
  const { by, limit, range } = query;
  return readSeries(reads, {
    kind,
    range,
    limit,
    by: by && columns[by],
    fine: selection(query, detailFor(query, by)),
    total: selection(query, detailOfTotal(query)),
    isSparse: isSparse(by),
    keyOf: await keyNames(reads, query),
  });
}

/** Whether only requests that have a value of the dimension have rows. */
function isSparse(by: TrafficDimension | undefined): boolean {
  return by === "client" || by === "tool";
}

/**
 * Returns the coarsest rows that suffice for the query. Rows by key, client, tool or policy have no routes. The total by
 * policy is what all have decided, not all requests.
 */
function detailFor(query: TrafficQuery, by: TrafficDimension | undefined): Detail {
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
function detailOfTotal(query: TrafficQuery): Detail {
  return detailFor(query, query.consumer === undefined || isSparse(query.by) ? undefined : query.by);
}

function selection(query: TrafficQuery, each: Detail): Selection {
  const { accountSeq, deployment, route, consumer, consumerId, policy, status } = query;
  // Rows of deleted deployments are about to be removed.
  const owners = deployment
    ? { where: "deployment_seq = ?", parameters: [deployment.seq] }
    : { where: "deployment_seq IN (SELECT seq FROM deployments WHERE account_seq = ?)", parameters: [accountSeq] };
  if (status) {
    owners.where += " AND status >= ? AND status < ?";
    owners.parameters.push(...status);
  }
  const named = policy ?? consumerId ?? (route === unknownRoute ? none : route);
  return selectionOf(trafficTable, owners, { detail: each, account_seq: accountSeq, route: named, consumer });
}

/** Returns the key by which a row is counted. `other` is never ranked. */
async function keyNames(reads: Reads, query: TrafficQuery): Promise<(row: RowKey) => string | null> {
  const { by, accountSeq, deployment } = query;
  const needsNames = by === "deployment" || (by === "version" && !deployment);
  const names = needsNames ? await namesOf(reads, "deployments", accountSeq) : new Map<number, string>();
  const nameOf = ({ deployment_seq }: RowKey) => names.get(deployment_seq as number) ?? other;
  switch (by) {
    case undefined:
      return () => null;
    case "deployment":
      return nameOf;
    case "version":
      // Version numbers start at 1 in each deployment.
      return deployment ? ({ version }) => String(version) : (row) => `${nameOf(row)}@${row.version}`;
    default: {
      const column = columns[by][0]!;
      const withoutValue = by === "route" ? unknownRoute : null;
      return (row) => (row[column] === none ? withoutValue : String(row[column]));
    }
  }
}

const shownShares = [0.5, 0.95, 0.99];

function shownCounts({ requests, rejected, errors, observed, bytesIn, bytesOut, latency }: TrafficCounts) {
  const rounded = (milliseconds: number) => Number(milliseconds.toPrecision(3));
  const [p50Ms = null, p95Ms = null, p99Ms = null] = latency.quantiles(shownShares)?.map(rounded) ?? [];
  return { requests, rejected, errors, observed, p50Ms, p95Ms, p99Ms, bytesIn, bytesOut };
}
