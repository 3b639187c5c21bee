import type { LimitPlace } from "../limits/limits.ts";
import type { HeldIn, HoldOptions } from "../quotas/customer-quota.ts";
import type { ExceededQuota, MeterAmounts } from "../quotas/hold.ts";
import type { QuotaRejection } from "../quotas/hold-quota.ts";
import type { SubscriptionTerms } from "../quotas/quota-definition.ts";
import type { Shortage } from "../quotas/shortage.ts";

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
  keyBucket: string | undefined;
  /** Encoded by `encodeAmounts`. */
  amounts: string;
  now: number;
  options: Omit<HoldOptions, "estimate">;
  /** Encoded by `serializeAmounts`. */
  estimate?: string | undefined;
}

/** An open hold that the former primary admitted. */
export interface TakenOverHold extends HeldIn {
  id: number;
  /** Encoded by `encodeAmounts`. */
  amounts: string;
  /** Whether other nodes must know it. */
  isShared: boolean;
  /** Encoded by `serializeAmounts`. */
  estimate?: string | undefined;
}

type EncodedShortage = { [Name in keyof Shortage]: Shortage[Name] extends bigint ? string : Shortage[Name] };

type EncodedExceeded = Omit<ExceededQuota, "shortage"> & { shortage: EncodedShortage };

export type HoldResponse =
  | ({ terms: SubscriptionTerms; usage?: string | undefined; exceeded?: EncodedExceeded | undefined } & HeldIn)
  | Exclude<QuotaRejection, ExceededQuota>
  | EncodedExceeded;

export function encodeExceeded(exceeded: ExceededQuota): EncodedExceeded {
  const { meter, used, max, amount, code } = exceeded.shortage;
  return { ...exceeded, shortage: { meter, used: String(used), max: String(max), amount: String(amount), code } };
}

export function decodeExceeded(exceeded: EncodedExceeded): ExceededQuota {
  const { meter, used, max, amount, code } = exceeded.shortage;
  return { ...exceeded, shortage: { meter, used: BigInt(used), max: BigInt(max), amount: BigInt(amount), code } };
}

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

/** What a worker has counted by the former primary: it is counted by the next one without a check. */
export interface CountedState {
  holds: TakenOverHold[];
  inProgress: [key: string, count: number][];
  /** The name of the former primary's ledger. Undefined without one. */
  formerPrimary?: string | undefined;
}

/**
 * The decisions about one request have a `group`, and are sent in one turn: each is made only if those before it in the
 * group let the request continue, and is null otherwise. A decision without a group has 0. `protocol.md` describes the
 * messages.
 */
export type CountingToPrimary =
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
  | readonly ["estimate", id: number, used: string]
  | readonly [
      "count",
      subscriptionSeq: number,
      start: number,
      end: number,
      amounts: string,
      testTime?: number | undefined,
    ]
  | readonly ["begin", key: string, limit: number, group: number, observes?: boolean]
  | readonly ["end", key: string];

export type CountingToWorker =
  /** The units are all that were granted since the lease began. */
  readonly ["granted", leaseId: number, units: number, LimitGrant | QuotaGrant] | readonly ["recall", leaseId: number];

/** A worker's connection to the primary, or to the next one. */
export interface CountingLink {
  /** The number of primaries that received the state. What one of them counted in memory, the next does not know. */
  readonly epoch: number;
  /** Rejects with StorageUnavailable if there is no response in time. `onLate` gets one that arrives later. */
  ask(message: CountingToPrimary, onLate?: (response: unknown) => void): Promise<unknown>;
  /** The message is lost if there is no primary. */
  notify(message: CountingToPrimary): void;
  /** Sends what the function returns, to the next primary if there is none now. */
  notifySurely(message: () => CountingToPrimary | undefined): void;
}

/** Whether the transaction was committed; `unavailable` means that it may succeed later. */
export type WriteResponse = { result: unknown } | { failure: string; isUnavailable: boolean };
