import { type Act, actAt } from "../../../core/access.ts";
import { invalid, Problem } from "../../../core/problems/problem.ts";
import type { CounterChange } from "../../../counting/counters/counter-store.ts";
import { raiseCounters } from "../../../counting/counters/raise-counters.ts";
import { recordTotals, type TotalsOwner } from "../../../counting/counters/totals.ts";
import { addHour } from "../../../counting/counters/usage-hours.ts";
import type { ShortageCode } from "../../../counting/quotas/quota-definition.ts";
import type { QuotaLedger } from "../../../counting/quotas/quota-ledger.ts";
import {
  type TransactionCounter,
  type TransactionCounters,
  TransactionHolds,
} from "../../../counting/quotas/transaction-holds.ts";
import type { Amount } from "../../../lib/amount.ts";
import { Groups } from "../../../lib/tasks/groups.ts";
import { Slice } from "../../../lib/tasks/slices.ts";
import type { Period } from "../../../lib/time/calendar.ts";
import type { Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import { MeteringBucketLookup, timeIn } from "../../metering-buckets/metering-buckets.ts";
import type { PlanSummary } from "../../plans/plans.ts";
import { type Allowance, readAllowances } from "../../subscriptions/allowance.ts";
import { allowsUsage, billsUsage, isBlockedByInvoice, statusAt } from "../../subscriptions/status.ts";
import type { SubscriptionRow } from "../../subscriptions/subscription-rows.ts";
import { findRowForUpdate, periodOf } from "../../subscriptions/subscriptions.ts";
import {
  type PaymentReason,
  type SpendingLimitSource,
  type SpendingLimits,
  spendingLimitsOf,
} from "../spending-limits.ts";
import { type MeterUsage, usageAfter, usageOf } from "../usage/usage.ts";
import { limitOf } from "./quota-limits.ts";

export interface Consumption {
  act: Act;
  bucketId: string;
  subscriptionId: string;
  amounts: Map<string, Amount>;
}

export interface Consumed {
  allowed: boolean;
  /** Why nothing was taken, if a payment would help. */
  reason?: PaymentReason;
  /** The state at that time. */
  meters: Record<string, MeterUsage>;
}

/** Bounds how long the first request of a group waits for the last. */
const maxGroupSize = 256;

/**
 * Takes from quotas. Requests that arrive together are decided together, in order, in one transaction: a quota that 64
 * of them use is read once and written once. Each gets its response after the commit.
 */
export class Quotas {
  readonly #groups: Groups<Consumption, Consumed>;

  constructor(
    storage: Storage,
    private readonly ledger: QuotaLedger,
    private readonly credits?: SpendingLimitSource,
  ) {
    this.#groups = new Groups<Consumption, Consumed>(
      (take) => storage.write(async (transaction) => consumeAll(transaction, ledger, credits, await take())),
      maxGroupSize,
    );
  }

  consume(consumption: Consumption): Promise<Consumed> {
    return this.#groups.add(consumption);
  }

  /** Decides a single request in a transaction that does more. */
  async consumeIn(transaction: WriteTransaction, consumption: Consumption): Promise<Consumed> {
    const [outcome] = await consumeAll(transaction, this.ledger, this.credits, [consumption]);
    if (outcome instanceof Problem) throw outcome;
    return outcome!;
  }
}

/** The state of a meter while a group is decided. */
interface OpenMeter {
  readonly allowance: Allowance;
  readonly counter: TransactionCounter;
  taken: Amount;
  readonly hours: Map<number, Amount>;
}

/** The state of a quota while a group is decided. */
class OpenQuota {
  readonly #open = new Map<string, OpenMeter>();

  constructor(
    readonly owner: TotalsOwner,
    readonly subscription: { row: SubscriptionRow; plans: PlanSummary[] },
    readonly period: Period,
    private readonly allowed: Map<string, Allowance>,
    private readonly counters: TransactionCounters,
    private readonly meters: Record<string, MeterUsage>,
    /** The time in a test bucket. */
    private readonly testClock: number | null,
    private readonly limits: SpendingLimits | undefined,
  ) {}

  timeOf(now: number): number {
    return this.testClock ?? now;
  }

  /** Takes all of the amounts, or none. Synchronous, so that requests of gateways cannot take anything in between. */
  take(amounts: Map<string, Amount>, now: number): Consumed {
    const { row, plans } = this.subscription;
    const status = statusAt(row, plans, now);
    let allowed = allowsUsage(status);
    let reason: ShortageCode | PaymentReason | undefined = isBlockedByInvoice(row, status)
      ? "payment_required"
      : undefined;
    const used: Amount[] = [];
    for (const [meter, amount] of amounts) {
      const { counter, allowance } = this.#meter(meter);
      const before = counter.used;
      used.push(before);
      const { max, code } = limitOf(meter, allowance, billsUsage(status), this.limits);
      if (max === undefined || before + amount <= max) continue;
      allowed = false;
      reason ??= code;
    }
    const overBudget = allowed ? this.#overBudget(amounts) : undefined;
    if (overBudget) {
      allowed = false;
      reason = overBudget;
    }
    let index = 0;
    for (const [meter, amount] of amounts) {
      const open = this.#meter(meter);
      const before = used[index++]!;
      if (allowed) take(open, amount, now);
      const after = allowed ? before + amount : before;
      const credits = this.limits?.meters.get(meter);
      this.meters[meter] = usageAfter(this.meters[meter]!, open.allowance, after, credits);
    }
    return {
      allowed,
      ...(reason === undefined || reason === "quota_exceeded" ? {} : { reason }),
      meters: { ...this.meters },
    };
  }

  #limitOf(meter: string, { max }: Allowance): Amount {
    const credits = this.limits?.meters.get(meter);
    return credits ? credits.base + credits.units : max;
  }

  #overBudget(amounts: Map<string, Amount>): ShortageCode | undefined {
    const budget = this.limits?.budget;
    if (!budget || ![...amounts.keys()].some((meter) => budget.meters.has(meter))) return undefined;
    const usedOf = (meter: string) => this.#meter(meter).counter.used;
    return budget.rejects(usedOf, (meter) => usedOf(meter) + (amounts.get(meter) ?? 0n));
  }

  /** Resolves when workers have returned what they have not used. Undefined if nothing is short, or they have nothing. */
  recallFor(amounts: Map<string, Amount>): Promise<void> | undefined {
    if (!this.counters.pinned.isLeased) return undefined;
    for (const [meter, amount] of amounts) {
      const { counter, allowance } = this.#meter(meter);
      if (counter.used + amount > this.#limitOf(meter, allowance)) return this.counters.pinned.recall();
    }
    return undefined;
  }

  #meter(meter: string): OpenMeter {
    const known = this.#open.get(meter);
    if (known) return known;
    const allowance = this.allowed.get(meter);
    if (!allowance) throw invalid(`/meters/${meter}`, "is not a meter of the subscription's plans");
    const open = { allowance, counter: this.counters.open(meter), taken: 0n, hours: new Map() };
    this.#open.set(meter, open);
    return open;
  }

  changes(): CounterChange[] {
    const changes: CounterChange[] = [];
    const { subscription, period } = this;
    for (const [meter, { taken: consumed, hours }] of this.#open) {
      if (consumed === 0n) continue;
      const counter = { subscriptionSeq: subscription.row.seq, periodStart: period.start, meter };
      changes.push({ ...counter, events: 0, amount: 0n, consumed, hours });
    }
    return changes;
  }
}

function take(open: OpenMeter, amount: Amount, now: number): void {
  open.counter.hold(amount);
  open.taken += amount;
  addHour(open.hours, now, amount);
}

async function consumeAll(
  transaction: WriteTransaction,
  ledger: QuotaLedger,
  credits: SpendingLimitSource | undefined,
  group: Consumption[],
): Promise<(Consumed | Problem)[]> {
  const holds = new TransactionHolds(transaction, ledger);
  const outcomes: (Consumed | Problem)[] = [];
  const quotas = new Map<string, OpenQuota[]>();
  const buckets = new MeteringBucketLookup(transaction);
  // By the bucket's id, not by its name in the request: otherwise one quota with two names would be taken from twice.
  const keys: string[] = [];
  for (const [index, { act, bucketId, subscriptionId }] of group.entries()) {
    try {
      const bucket = buckets.known(act.account.seq, bucketId) ?? (await buckets.find(act.account.seq, bucketId));
      keys.push(`${bucket.seq} ${subscriptionId}`);
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      keys.push("");
      outcomes[index] = error;
    }
  }
  // Locked in a fixed order, so that two nodes with the same subscriptions in their groups cannot deadlock.
  const order = keys.map((_, index) => index);
  if (new Set(keys).size > 1)
    order.sort((one, other) => (keys[one]! < keys[other]! ? -1 : keys[one]! > keys[other]! ? 1 : one - other));
  const slice = new Slice();
  for (const index of order) {
    if (outcomes[index]) continue;
    if (slice.isOver) await slice.next();
    const consumption = group[index]!;
    const key = keys[index]!;
    try {
      const quota =
        openedFor(quotas.get(key), consumption) ??
        (await open(transaction, holds, credits, buckets, quotas, key, consumption));
      const recalled = quota.recallFor(consumption.amounts);
      if (recalled) await recalled;
      outcomes[index] = quota.take(consumption.amounts, quota.timeOf(consumption.act.now));
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      outcomes[index] = error;
    }
  }
  if (slice.isOver) await slice.next();
  const opened = [...quotas.values()].flat();
  const totals = await raiseCounters(
    transaction,
    opened.flatMap((quota) => quota.changes()),
  );
  await recordTotals(transaction, totals, new Map(opened.map((quota) => [quota.subscription.row.seq, quota.owner])));
  return outcomes;
}

/** A group may span the end of a period: a subscription then has more than one. */
function openedFor(opened: OpenQuota[] | undefined, { act: { now } }: Consumption): OpenQuota | undefined {
  return opened?.find((quota) => {
    const time = quota.timeOf(now);
    return time >= quota.period.start && time < quota.period.end;
  });
}

async function open(
  transaction: WriteTransaction,
  holds: TransactionHolds,
  credits: SpendingLimitSource | undefined,
  buckets: MeteringBucketLookup,
  quotas: Map<string, OpenQuota[]>,
  key: string,
  consumption: Consumption,
): Promise<OpenQuota> {
  const { act, bucketId, subscriptionId } = consumption;
  const opened = quotas.get(key) ?? [];
  const bucket = await buckets.find(act.account.seq, bucketId);
  const row = opened[0]?.subscription.row ?? (await findRowForUpdate(transaction, bucket, subscriptionId));
  const now = timeIn(bucket, act.now);
  const period = periodOf({ row }, now);
  // A subscription may have 20,000 meters.
  const slice = new Slice();
  const { allowed, plans } = await readAllowances(transaction, row, period.start);
  if (slice.isOver) await slice.next();
  const counters = await holds.open(row.seq, period);
  if (slice.isOver) await slice.next();
  const limits = await spendingLimitsOf(credits, transaction, bucket, row, period, now);
  const { meters } = await usageOf(allowed, period, counters.stored, limits?.meters);
  const quota = new OpenQuota(
    { act: actAt(act, now), bucketId: bucket.id },
    { row, plans },
    period,
    allowed,
    counters,
    meters,
    bucket.test_clock,
    limits,
  );
  quotas.set(key, [...opened, quota]);
  return quota;
}
