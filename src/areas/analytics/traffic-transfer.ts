import { LatencyHistogram } from "../../lib/latency-histogram.ts";
import type { CountedMinute, CountTransfer } from "./count-writer.ts";
import { none } from "./counted-table.ts";
import { type CountedVersion, type RouteTraffic, TrafficCell, type TrafficMinute } from "./traffic-counter.ts";

interface EncodedRoute {
  version: CountedVersion;
  path: string;
  tool?: string;
  policy?: string;
  cells: EncodedCell[];
}

/** A worker of the release before sends its last counts to a primary of this one: what is new comes last. */
type EncodedCell = [
  consumer: string,
  keyId: string,
  status: number,
  requests: number,
  rejected: number,
  errors: number,
  bytesIn: number,
  bytesOut: number,
  latency: Uint8Array,
  client: string,
  consumerId: string,
  observed: number,
];

interface EncodedMinute extends CountedMinute {
  routes: EncodedRoute[];
}

/** Minutes in memory refer to the routes of running versions, which another process does not have. */
export const trafficTransfer = {
  name: "traffic counts",
  encode: (minutes: TrafficMinute[]) =>
    minutes.map(
      ({ time, size, routes }): EncodedMinute => ({
        time,
        size,
        routes: [...routes.values()].map(encodeRoute),
      }),
    ),
  decode: (encoded: unknown) => (encoded as EncodedMinute[]).map(decodeMinute),
} satisfies CountTransfer<TrafficMinute>;

function encodeRoute({ version, path, tool, policy, consumers }: RouteTraffic): EncodedRoute {
  const { accountSeq, deploymentSeq, versionSeq } = version;
  const cells: EncodedCell[] = [];
  for (const [consumer, keys] of consumers)
    for (const [keyId, counted] of keys)
      for (const { client, consumerId, latency, observed, ...cell } of counted) {
        const { status, requests, rejected, errors, bytesIn, bytesOut } = cell;
        const counts = [status, requests, rejected, errors, bytesIn, bytesOut] as const;
        cells.push([consumer, keyId, ...counts, latency.encode(), client, consumerId, observed]);
      }
  const special = { ...(tool !== none && { tool }), ...(policy !== none && { policy }) };
  return { version: { accountSeq, deploymentSeq, versionSeq }, path, ...special, cells };
}

function decodeMinute({ time, size, routes: encoded }: EncodedMinute): TrafficMinute {
  const routes: TrafficMinute["routes"] = new Map();
  for (const { version, path, tool = none, policy = none, cells } of encoded) {
    const consumers: RouteTraffic["consumers"] = new Map();
    for (const [consumer, keyId, ...counts] of cells) {
      const keys = consumers.get(consumer) ?? new Map<string, TrafficCell[]>();
      consumers.set(consumer, keys.set(keyId, [...(keys.get(keyId) ?? []), decodeCell(counts)]));
    }
    routes.set({ route: { path } }, { version, path, tool, policy, consumers, budget: { cells: cells.length } });
  }
  return { time, size, routes, budgets: new Map() };
}

function decodeCell(counts: EncodedCell extends [string, string, ...infer Rest] ? Rest : never): TrafficCell {
  const [status, requests, rejected, errors, bytesIn, bytesOut, latency, client, consumerId, observed = 0] = counts;
  const cell = new TrafficCell(status, client, consumerId);
  Object.assign(cell, { requests, rejected, errors, observed, bytesIn, bytesOut });
  cell.latency.merge(LatencyHistogram.decode(latency));
  return cell;
}
