import { LatencyHistogram } from "../../../lib/latency-histogram.ts";
import { CountedTable } from "./counted-table.ts";

/** The measures of requests. */
export class TrafficCounts {
  requests = 0;
  rejected = 0;
  errors = 0;
  /** Requests that a policy in `observe` would have rejected. */
  observed = 0;
  bytesIn = 0;
  bytesOut = 0;
  readonly latency = new LatencyHistogram();
}

/**
 * Requests to deployments. In `detail.keys` the route is the id of the key, in `detail.clients` the name of the client, in
 * `detail.tools` that of the tool, in `detail.consumerIds` the id of the consumer, in `detail.policies` the name of the
 * policy.
 */
export const trafficTable = new CountedTable<TrafficCounts>({
  name: "traffic",
  key: ["step", "time", "detail", "account_seq", "deployment_seq", "version", "route", "status", "consumer"],
  sums: {
    requests: "requests",
    rejected: "rejected",
    errors: "errors",
    observed: "observed",
    bytesIn: "bytes_in",
    bytesOut: "bytes_out",
  },
  create: () => new TrafficCounts(),
});

/** Requests are stored in eight levels of detail, so that a query of few dimensions reads few rows. */
export const detail = {
  /** By version and status. */
  totals: 0,
  /** By version, status and route. */
  routes: 1,
  /** By version, status, route and consumer. */
  consumers: 2,
  /** By version, status, consumer and key, without routes: with them there would be twice as many rows. */
  keys: 3,
  /** By version, status, consumer and OAuth client, without routes. Only requests of a client have rows. */
  clients: 4,
  /** By version, status, consumer and tool, without routes. Only requests of tools have rows. */
  tools: 5,
  /** By version, status, consumer and its id, without routes. Only requests of consumers of a key bucket have rows. */
  consumerIds: 6,
  /** By version, status, consumer and policy in `observe`: a request has a row for each that decided about it. */
  policies: 7,
} as const;

export type Detail = (typeof detail)[keyof typeof detail];
