import { LatencyHistogram } from "../../lib/latency-histogram.ts";

/** What is counted of requests; amounts add up, histograms too. */
export class TrafficCounts {
  requests = 0;
  rejected = 0;
  errors = 0;
  bytesIn = 0;
  bytesOut = 0;
  readonly latency = new LatencyHistogram();

  /** With -1, takes the other's counts away; they must be among these. */
  merge(other: TrafficCounts, sign: 1 | -1 = 1): void {
    this.requests += sign * other.requests;
    this.rejected += sign * other.rejected;
    this.errors += sign * other.errors;
    this.bytesIn += sign * other.bytesIn;
    this.bytesOut += sign * other.bytesOut;
    this.latency.merge(other.latency, sign);
  }
}

/** Requests are stored four times over, so that a query of few dimensions reads few rows. */
export const detail = {
  /** By version and status. */
  totals: 0,
  /** By route too. */
  routes: 1,
  /** By consumer too. */
  consumers: 2,
  /** By version, status, consumer and key, without routes: with them the rows would be twice as many. */
  keys: 3,
} as const;

export type Detail = (typeof detail)[keyof typeof detail];

/** No route matched, no consumer is known, or no key was used. */
export const none = "";

/** In place of routes, consumers or keys that are too many to be distinguished. None of them can have this name. */
export const other = "*";

/** What distinguishes the rows of one deployment, step, time and detail. */
export interface TrafficKey {
  version: number;
  /** In `detail.keys` the id of the key: a column of its own would mean writing the whole table anew on upgrade. */
  route: string;
  status: number;
  consumer: string;
}

export function keyText({ version, route, status, consumer }: TrafficKey): string {
  return `${version} ${status} ${route} ${consumer}`;
}
