import type { LimitPlace } from "../areas/keys/verification/limits.ts";
import type { HoldOptions } from "../areas/metering/quotas/customer-quota.ts";
import type { MeterAmounts, Shortage } from "../areas/metering/quotas/hold.ts";
import type { QuotaRejection } from "../gateway/policies/quota/customer-quotas.ts";
import type { UpstreamChange } from "../gateway/upstreams/shared-upstream-states.ts";
import type { Trust } from "../platform/storage/change-feed.ts";

/** How long a worker may use its caches after the primary sent something, and how long a write waits for workers. */
export const trustMilliseconds = 900;

/** The time of all processes of the machine in milliseconds, minus the monotonic time of this process. */
export const machineOffset = Number(process.hrtime.bigint() / 1000n) / 1000 - performance.now();

/** The time of all processes of the machine in milliseconds, whatever happens to the clock. */
export function machineTime(): number {
  return machineOffset + performance.now();
}

const maxDecoded = 10_000;
const encoded = new WeakMap<MeterAmounts, string>();
const decoded = new Map<string, MeterAmounts>();

/** Returns amounts as JSON. Policies have few and reuse them, so both directions are cached. */
export function encodeAmounts(amounts: MeterAmounts): string {
  let text = encoded.get(amounts);
  if (text === undefined) {
    text = JSON.stringify(Array.from(amounts, ([meter, amount]) => [meter, String(amount)]));
    encoded.set(amounts, text);
  }
  return text;
}

/** Returns the same object for the same text, because ledgers cache by identity. */
export function decodeAmounts(text: string): MeterAmounts {
  let amounts = decoded.get(text);
  if (!amounts) {
    const pairs = JSON.parse(text) as [meter: string, amount: string][];
    amounts = new Map(pairs.map(([meter, amount]) => [meter, BigInt(amount)]));
    if (decoded.size >= maxDecoded) decoded.clear();
    decoded.set(text, amounts);
  }
  return amounts;
}

/** A hold of a worker. The worker chooses the id. */
export interface HoldRequest {
  id: number;
  accountSeq: number;
  bucketId: string;
  customerKey: string;
  /** Encoded. */
  amounts: string;
  now: number;
  options: HoldOptions;
}

type EncodedShortage = { [Name in keyof Shortage]: string };

export type HoldResponse =
  | { plan: string; subscriptionSeq: number; periodStart: number; periodEnd: number }
  | Exclude<QuotaRejection, { reason: "exceeded" }>
  | (Omit<Extract<QuotaRejection, { reason: "exceeded" }>, "shortage"> & { shortage: EncodedShortage });

/** What the counters of the next primary must know about a worker. */
export interface WorkerState {
  release: string;
  /** The name under which the worker's writes are numbered. */
  writer: string;
  holds: HoldRequest[];
  inProgress: [key: string, count: number][];
}

export type ToPrimary =
  | readonly ["hello", WorkerState]
  | readonly ["limit", LimitPlace, subject: string, requests: number, now: number]
  | readonly ["hold", HoldRequest]
  | readonly ["settle", id: number, actual: string | null]
  | readonly ["release", id: number]
  | readonly ["count", subscriptionSeq: number, start: number, end: number, amounts: string]
  | readonly ["begin", key: string, limit: number]
  | readonly ["end", key: string]
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

/** Whether the transaction was committed; `unavailable` means that it may succeed later. */
export type WriteResponse = { result: unknown } | { failure: string; isUnavailable: boolean };

export type ToWorker =
  | readonly ["beat", time: number, Trust]
  | readonly ["changes", sequence: number, changes: unknown[]]
  | readonly ["gap", sequence: number]
  | readonly ["prepare", version: unknown]
  | readonly ["connections", ConnectionCounts]
  | readonly ["crowded", group: string]
  | readonly ["upstreams", UpstreamChange[]]
  | readonly ["check", targetKey: string]
  | readonly ["status", deploymentName: string, versionNumber: number]
  | readonly ["flush"]
  | readonly ["tasks"]
  | readonly ["metrics", withNames: boolean]
  | readonly ["stop", reason: string];
