import type { CountedState, CountingToPrimary, CountingToWorker } from "../../counting/workers/messages.ts";
import type { UpstreamChange } from "../../gateway/upstreams/shared-upstream-states.ts";
import type { Trust } from "../../platform/storage/change-feed.ts";
import type { HistoryPoint } from "../../platform/storage/database-history.ts";

/** How long a worker may use its caches after the primary sent something, and how long a write waits for workers. */
export const trustMilliseconds = 900;

/** What the counters of the next primary must know about a worker. */
export interface WorkerState extends CountedState {
  release: string;
  /**
   * The worker serves no requests any more, and only finishes those in progress. Its release may be the one before: the
   * messages with which requests end, and the state, keep their form from one release to the next.
   */
  isLeaving: boolean;
  /** The name under which the worker's writes are numbered. */
  writer: string;
}

/** The name of the primary's ledger. */
export type HelloResponse = string;

export type ToPrimary =
  | CountingToPrimary
  | readonly ["hello", WorkerState]
  | readonly ["write", name: string, number: number, data: unknown]
  | readonly ["applied", sequence: number]
  | readonly ["stopping"]
  | readonly ["document", accountSeq: number, url: string]
  | readonly ["connections", ConnectionCounts]
  | readonly ["crowded", group: string]
  | readonly ["upstreams", UpstreamChange[]]
  | readonly ["watch" | "unwatch", targetKey: string];

/** The clients whose number of connections has changed. */
export type ConnectionCounts = [group: string, count: number][];

export type DocumentResponse = { document: unknown } | { failure: string };

export type ToWorker =
  | CountingToWorker
  | readonly ["beat", time: number, Trust, history: HistoryPoint | null | undefined, clockOffset: number]
  | readonly ["changes", sequence: number, changes: unknown[]]
  | readonly ["gap", sequence: number, history?: HistoryPoint | null]
  | readonly ["prepare", version: unknown]
  | readonly ["connections", ConnectionCounts]
  | readonly ["crowded", group: string]
  | readonly ["upstreams", UpstreamChange[]]
  | readonly ["check", targetKey: string]
  | readonly ["status", deploymentName: string, versionNumber: number]
  | readonly ["flush"]
  | readonly ["tasks"]
  | readonly ["metrics", withNames: boolean]
  | readonly ["process"]
  | readonly ["stop", reason: string];
