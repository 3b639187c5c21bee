import { LatencyHistogram } from "../../lib/latency-histogram.ts";

/** The measures of requests. Amounts and histograms can be added. */
export class TrafficCounts {
  requests = 0;
  rejected = 0;
  errors = 0;
  /** Requests that a policy in `observe` would have rejected. */
  observed = 0;
  bytesIn = 0;
  bytesOut = 0;
  readonly latency = new LatencyHistogram();

  /** Adds the counts of another one. With -1 it subtracts them; they must have been added before. */
  merge(other: TrafficCounts, sign: 1 | -1 = 1): void {
    this.requests += sign * other.requests;
    this.rejected += sign * other.rejected;
    this.errors += sign * other.errors;
    this.observed += sign * other.observed;
    this.bytesIn += sign * other.bytesIn;
    this.bytesOut += sign * other.bytesOut;
    this.latency.merge(other.latency, sign);
  }
}

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

/** No route matched, no consumer is known, or no key, client or tool was used. */
export const none = "";

/**
 * Replaces routes, consumers, keys or clients that are too many to be distinguished. Only a client can have this name; it
 * is counted as one of the others.
 */
export const other = "*";

/** The dimensions that distinguish rows of one deployment, step, time and detail. */
export interface TrafficKey {
  version: number;
  /**
   * In `detail.keys` the id of the key, in `detail.clients` the name of the client, in `detail.tools` that of the tool, in `detail.consumerIds` the id of the
   * consumer, in `detail.policies` the name of the policy: an additional column would require
   * rewriting the whole table on upgrade.
   */
  route: string;
  status: number;
  consumer: string;
}

export function keyText({ version, route, status, consumer }: TrafficKey): string {
  return `${version} ${status} ${route} ${consumer}`;
}
