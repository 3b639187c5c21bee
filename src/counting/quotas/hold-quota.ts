import { maxRecalls } from "../deadlines.ts";
import type { DecisionGroup } from "../limits/limits.ts";
import { type CustomerPlace, isOfOtherBucket } from "./customer-place.ts";
import type { CustomerQuota, HoldOptions } from "./customer-quota.ts";
import { type ExceededQuota, Hold, type MeterAmounts } from "./hold.ts";
import type { Subscriber, SubscriptionTerms } from "./quota-definition.ts";
import type { QuotaLedger } from "./quota-ledger.ts";

/** An amount of a quota that is taken until it is settled or released, see Hold. */
export type HeldAmounts = Pick<Hold, "settle" | "release" | "estimate" | "exceeded">;

/** Why amounts were not held. */
export type QuotaRejection =
  | {
      reason: "no_subscription" | "payment_required";
      /** The key bucket whose consumers are customers, if the consumer is of another one. */
      customersKeyBucket?: string;
    }
  | { reason: "meter_not_in_plan"; meter: string; subscriber: Subscriber }
  | ExceededQuota;

/** A hold, or why there is none, with the quota that decided. */
export interface HoldDecision {
  quota: CustomerQuota;
  result: Hold | QuotaRejection;
}

/**
 * Holds amounts of several meters of a customer's quota, all or none, or returns why not. Without a promise if the quota
 * is cached and nothing must be read or recalled. Before a rejection, workers return what they have not used. Waits while a
 * transaction computes money from the customer's usage.
 */
export function holdQuota(
  ledger: QuotaLedger,
  place: CustomerPlace,
  amounts: MeterAmounts,
  now: number,
  options: HoldOptions,
): HoldDecision | Promise<HoldDecision> {
  let recalls = maxRecalls;
  let mayRefresh = true;
  return find();

  /** A change may evict the quota while something is awaited, so it is found again afterwards. */
  function find(): HoldDecision | Promise<HoldDecision> {
    const found = ledger.find(place, now);
    return found instanceof Promise ? found.then(decide) : decide(found);
  }

  function decide(quota: CustomerQuota): HoldDecision | Promise<HoldDecision> {
    if (quota.stopped) return quota.stopped.then(find);
    const refreshed = mayRefresh ? ledger.refresh(quota, amounts, now, options) : undefined;
    mayRefresh = false;
    if (refreshed) return refreshed.then(find);
    const result = holdIn(quota, place.keyBucket, amounts, options);
    if (result instanceof Hold) return { quota, result };
    const recalled = result.reason === "exceeded" && recalls > 0 ? quota.recall() : undefined;
    if (recalled) {
      recalls -= 1;
      return recalled.then(find);
    }
    return {
      quota,
      result: options.observes ? heldBeyond(quota, place.keyBucket, amounts, options, result) : result,
    };
  }
}

/** Holds amounts beyond the quota, with their rejection. Other rejections have no quota to hold from. */
function heldBeyond(
  quota: CustomerQuota,
  keyBucket: string | undefined,
  amounts: MeterAmounts,
  options: HoldOptions,
  rejection: QuotaRejection,
): Hold | QuotaRejection {
  if (rejection.reason !== "exceeded") return rejection;
  const held = holdIn(quota, keyBucket, amounts, { ...options, mayExceed: true });
  if (held instanceof Hold) held.exceeded = rejection;
  return held;
}

function holdIn(
  quota: CustomerQuota,
  keyBucket: string | undefined,
  amounts: MeterAmounts,
  options: HoldOptions,
): Hold | QuotaRejection {
  const { owner } = quota;
  const customersKeyBucket = quota.definition.keyBucket;
  if (isOfOtherBucket(customersKeyBucket, keyBucket)) return { reason: "no_subscription", customersKeyBucket };
  if (!owner) return { reason: quota.definition.needsPayment ? "payment_required" : "no_subscription" };
  const hold = quota.hold(amounts, options);
  const usage = hold && options.reportsUsage ? quota.usageText : undefined;
  if (hold instanceof Hold) {
    hold.terms = owner.terms;
    hold.usage = usage;
    return hold;
  }
  const { subscriber } = owner;
  if (!hold) return { reason: "meter_not_in_plan", meter: quota.unknownMeter(amounts)!, subscriber };
  const { periodEnd, testTime } = quota.heldIn!;
  return { reason: "exceeded", shortage: hold, periodEnd, testTime, subscriber, usage };
}

/** A hold, with what callers need of its quota. */
export interface QuotaHold extends HeldAmounts {
  readonly terms: SubscriptionTerms;
  /** See HoldOptions. */
  readonly usage?: string | undefined;
}

/** Quotas that this process counts, or another one. */
export interface QuotaHolds {
  /**
   * Without a promise if this process decides and needs not wait. Rejects with StorageUnavailable if storage, or the other
   * process, does not respond. Callers reuse `customer` and `amounts`, because leases are found by their identity.
   */
  hold(
    customer: CustomerPlace,
    amounts: MeterAmounts,
    now: number,
    options: HoldOptions,
    group?: DecisionGroup,
  ): QuotaHold | QuotaRejection | Promise<QuotaHold | QuotaRejection>;
  /**
   * Like `hold`, before the decisions of the same group are known: the other process holds only if they let the request
   * continue, and otherwise the result is null. Returns undefined if this process can decide.
   */
  holdAhead(
    customer: CustomerPlace,
    amounts: MeterAmounts,
    now: number,
    options: HoldOptions,
    group: DecisionGroup,
  ): Promise<QuotaHold | QuotaRejection | null> | undefined;
}

/** The quotas of a ledger. */
export class LedgerQuotas implements QuotaHolds {
  constructor(private readonly ledger: QuotaLedger) {}

  hold(customer: CustomerPlace, amounts: MeterAmounts, now: number, options: HoldOptions) {
    const decided = holdQuota(this.ledger, customer, amounts, now, options);
    return decided instanceof Promise ? decided.then(({ result }) => result) : decided.result;
  }

  holdAhead(): undefined {}
}
