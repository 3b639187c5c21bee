import type { LimitPlace } from "../../areas/keys/verification/limits.ts";
import type { HoldOptions } from "../../areas/metering/quotas/customer-quota.ts";
import type { MeterAmounts, Shortage } from "../../areas/metering/quotas/hold.ts";
import type { SubscriptionTerms } from "../../gateway/exchange/policy.ts";
import type { QuotaRejection } from "../../gateway/policies/quota/customer-quotas.ts";
import type { UpstreamChange } from "../../gateway/upstreams/shared-upstream-states.ts";
import type { Trust } from "../../platform/storage/change-feed.ts";

/** How long a worker may use its caches after the primary sent something, and how long a write waits for workers. */
export const trustMilliseconds = 900;

const maxDecoded = 10_000;
const encoded = new WeakMap<MeterAmounts, string>();
const decoded = new Map<string, MeterAmounts>();

/** Returns amounts as JSON. Policies have few and reuse them, so both directions are cached. */
export function encodeAmounts(amounts: MeterAmounts): string {
  let text = encoded.get(amounts);
  if (text === undefined) {
    text = serializeAmounts(amounts);
    encoded.set(amounts, text);
  }
  return text;
}

/** For amounts that change or do not occur again, such as sums. */
export function serializeAmounts(amounts: MeterAmounts): string {
  return JSON.stringify(Array.from(amounts, ([meter, amount]) => [meter, String(amount)]));
}

/** Returns the same object for the same text, because ledgers cache by identity. */
export function decodeAmounts(text: string): MeterAmounts {
  let amounts = decoded.get(text);
  if (!amounts) {
    amounts = parseAmounts(text);
    if (decoded.size >= maxDecoded) decoded.clear();
    decoded.set(text, amounts);
  }
  return amounts;
}

/** For amounts that do not occur again, such as sums. */
export function parseAmounts(text: string): MeterAmounts {
  const pairs = JSON.parse(text) as [meter: string, amount: string][];
  return new Map(pairs.map(([meter, amount]) => [meter, BigInt(amount)]));
}

/** A hold of a worker. The worker chooses the id. */
export interface HoldRequest {
  id: number;
  accountSeq: number;
  bucketId: string;
  customerKey: string;
  /** Encoded by `encodeAmounts`. */
  amounts: string;
  now: number;
  options: HoldOptions;
}

/** The subscription and period in which amounts are held. */
export interface HeldIn {
  subscriptionSeq: number;
  periodStart: number;
  periodEnd: number;
  /** The time of a test bucket. Undefined in other buckets. */
  testTime?: number | undefined;
}

/** An open hold that the former primary admitted. */
export interface TakenOverHold extends HeldIn {
  id: number;
  /** Encoded by `encodeAmounts`. */
  amounts: string;
  /** Whether other nodes must know it. */
  isShared: boolean;
}

type EncodedShortage = { [Name in keyof Shortage]: Shortage[Name] extends bigint ? string : Shortage[Name] };

export type HoldResponse =
  | ({ terms: SubscriptionTerms } & HeldIn)
  | Exclude<QuotaRejection, { reason: "exceeded" }>
  | (Omit<Extract<QuotaRejection, { reason: "exceeded" }>, "shortage"> & { shortage: EncodedShortage });

/**
 * The state of a lease of a worker. Its numbers are totals since the lease began and never decrease, so a repeated or
 * late report changes nothing.
 */
export type LeaseReport = readonly [
  id: number,
  /** The units that the worker has received. The state is that of these; others may be under way. */
  granted: number,
  used: number,
  returned: number,
  /** The units that it needs in addition. */
  wanted: number,
  state: LeaseState,
  /** The units that were used with other amounts than those of a unit, and the sum of these amounts, serialized. */
  settledUnits?: number,
  settledAs?: string,
];

/**
 * `returned`: the worker was asked for its unused units, and has none any more. `ended`: it has no lease with this id any
 * more, and what it has not reported as used is returned.
 */
export type LeaseState = "open" | "returned" | "ended";

/** The requests of a leased limit that are left in its window. */
export interface LimitGrant {
  remaining: number;
}

/** The subscription and period of a leased quota. */
export interface QuotaGrant extends HeldIn {
  terms: SubscriptionTerms;
  /** The end of the period, or of the subscription's status. */
  validUntil: number;
}

/** What the counters of the next primary must know about a worker. */
export interface WorkerState {
  release: string;
  /**
   * The worker serves no requests any more, and only finishes those in progress. Its release may be the one before: the
   * messages with which requests end, and the state, keep their form from one release to the next.
   */
  isLeaving: boolean;
  /** The name under which the worker's writes are numbered. */
  writer: string;
  holds: TakenOverHold[];
  inProgress: [key: string, count: number][];
}

/**
 * The decisions about one request have a `group`, and are sent in one turn: each is made only if those before it in the
 * group let the request continue, and is null otherwise. A decision without a group has 0.
 */
export type ToPrimary =
  | readonly ["hello", WorkerState]
  | readonly [
      "limit",
      LimitPlace,
      subject: string,
      requests: number,
      now: number,
      leaseId: number,
      wanted: number,
      group: number,
    ]
  | readonly ["hold", HoldRequest, leaseId: number, wanted: number, group: number]
  | readonly ["leases", LeaseReport[]]
  | readonly ["counted", LimitPlace, subject: string, time: number, requests: number]
  | readonly ["settle", id: number, actual: string | null]
  | readonly ["release", id: number]
  | readonly [
      "count",
      subscriptionSeq: number,
      start: number,
      end: number,
      amounts: string,
      testTime?: number | undefined,
    ]
  | readonly ["begin", key: string, limit: number, group: number]
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
  /** The units are all that were granted since the lease began. */
  | readonly ["granted", leaseId: number, units: number, LimitGrant | QuotaGrant]
  | readonly ["recall", leaseId: number]
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
  | readonly ["process"]
  | readonly ["stop", reason: string];
