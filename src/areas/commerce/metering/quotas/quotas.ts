import { type Act, actAt } from "../../../../core/access.ts";
import { invalid, notFound, Problem } from "../../../../core/problems/problem.ts";
import type { CounterChange } from "../../../../counting/counters/counter-store.ts";
import { raiseCounters } from "../../../../counting/counters/raise-counters.ts";
import { recordTotals, type TotalsOwner } from "../../../../counting/counters/totals.ts";
import { addHour } from "../../../../counting/counters/usage-hours.ts";
import type { QuotaLedger } from "../../../../counting/quotas/quota-ledger.ts";
import { shortageOf } from "../../../../counting/quotas/shortage.ts";
import {
  type TransactionCounter,
  type TransactionCounters,
  TransactionHolds,
} from "../../../../counting/quotas/transaction-holds.ts";
import type { Amount } from "../../../../lib/amount.ts";
import { Groups } from "../../../../lib/tasks/groups.ts";
import { Slice } from "../../../../lib/tasks/slices.ts";
import type { Period } from "../../../../lib/time/calendar.ts";
import type { Storage, WriteTransaction } from "../../../../platform/storage/storage.ts";
import { type MeteringBucket, MeteringBucketLookup, timeIn } from "../../metering-buckets/metering-buckets.ts";
import type { PlanSummary } from "../../plans/plans.ts";
import { type Allowance, type AllowedMeters, allowedTogether, KnownPlans } from "../../subscriptions/allowance.ts";
import { allowsUsage, billsUsage, isBlockedByInvoice, periodOf, statusAt } from "../../subscriptions/state.ts";
import { findSubscriptionsForUpdate, planSummaries, type SubscriptionRow } from "../../subscriptions/subscriptions.ts";
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
  /** Takes amounts that an active subscription does not allow. */
  observes?: boolean;
}

export interface Consumed {
  allowed: boolean;
  /** Whether amounts were taken that are not allowed. */
  isTaken?: true;
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
  readonly #sources: QuotaSources;

  constructor(storage: Storage, ledger: QuotaLedger, credits?: SpendingLimitSource) {
    this.#sources = { ledger, credits, plans: new KnownPlans() };
    this.#groups = new Groups<Consumption, Consumed>(
      (take) => storage.write(async (transaction) => consumeAll(transaction, this.#sources, await take())),
      maxGroupSize,
    );
  }

  consume(consumption: Consumption): Promise<Consumed> {
    return this.#groups.add(consumption);
  }

  /** Decides a single request in a transaction that does more. */
  async consumeIn(transaction: WriteTransaction, consumption: Consumption): Promise<Consumed> {
    const [outcome] = await consumeAll(transaction, this.#sources, [consumption]);
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
    private readonly allowed: AllowedMeters,
    private readonly counters: TransactionCounters,
    private readonly meters: Record<string, MeterUsage>,
    private readonly limits: SpendingLimits | undefined,
  ) {}

  /** Takes all of the amounts, or none. Synchronous, so that requests of gateways cannot take anything in between. */
  take(amounts: Map<string, Amount>, now: number, observes = false): Consumed {
    const { row, plans } = this.subscription;
    const status = statusAt(row, plans, now);
    const isUsable = allowsUsage(status);
    const wanted = Array.from(amounts, ([meter, amount]) => {
      const { counter, allowance } = this.#meter(meter);
      return { counter, amount, ...limitOf(meter, allowance, billsUsage(status), this.limits) };
    });
    const usedOf = (meter: string) => this.#meter(meter).counter.used;
    const shortage = shortageOf(wanted, isUsable ? this.limits?.budget : undefined, usedOf);
    const reason = isBlockedByInvoice(row, status) ? "payment_required" : shortage?.code;
    const allowed = isUsable && !shortage;
    const isTaken = allowed || (isUsable && observes);
    for (const [meter, amount] of amounts) {
      const open = this.#meter(meter);
      const before = open.counter.used;
      if (isTaken) take(open, amount, now);
      const after = isTaken ? before + amount : before;
      const credits = this.limits?.meters.get(meter);
      this.meters[meter] = usageAfter(this.meters[meter]!, open.allowance, after, credits);
    }
    return {
      allowed,
      ...(isTaken && !allowed && { isTaken }),
      ...(reason === undefined || reason === "quota_exceeded" ? {} : { reason }),
      meters: { ...this.meters },
    };
  }

  #limitOf(meter: string, { max }: Allowance): Amount {
    const credits = this.limits?.meters.get(meter);
    return credits ? credits.base + credits.units : max;
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

interface QuotaSources {
  ledger: QuotaLedger;
  plans: KnownPlans;
  credits: SpendingLimitSource | undefined;
}

/** A consumption with its bucket, and the time in it. */
interface Taken extends Consumption {
  bucket: MeteringBucket;
  now: number;
}

/** By the bucket's seq, not by its name in the request: otherwise one quota with two names would be taken from twice. */
function keyOf({ bucket, subscriptionId }: Taken): string {
  return `${bucket.seq} ${subscriptionId}`;
}

function problemOf(error: unknown): Problem {
  if (!(error instanceof Problem) || error.status >= 500) throw error;
  return error;
}

async function consumeAll(
  transaction: WriteTransaction,
  sources: QuotaSources,
  group: Consumption[],
): Promise<(Consumed | Problem)[]> {
  const outcomes: (Consumed | Problem)[] = [];
  const buckets = new MeteringBucketLookup(transaction);
  const taken: (Taken & { index: number })[] = [];
  for (const [index, consumption] of group.entries()) {
    const { act, bucketId } = consumption;
    try {
      const bucket = buckets.known(act.account.seq, bucketId) ?? (await buckets.find(act.account.seq, bucketId));
      taken.push({ ...consumption, index, bucket, now: timeIn(bucket, act.now) });
    } catch (error) {
      outcomes[index] = problemOf(error);
    }
  }
  const opened = await openAll(transaction, sources, taken);
  const slice = new Slice();
  for (const { index, ...each } of taken) {
    if (slice.isOver) await slice.next();
    try {
      const quota = opened.get(keyOf(each))?.find(({ period }) => each.now >= period.start && each.now < period.end);
      if (!quota) throw notFound("subscription");
      const recalled = quota.recallFor(each.amounts);
      if (recalled) await recalled;
      outcomes[index] = quota.take(each.amounts, each.now, each.observes);
    } catch (error) {
      outcomes[index] = problemOf(error);
    }
  }
  if (slice.isOver) await slice.next();
  const quotas = [...opened.values()].flat();
  const totals = await raiseCounters(
    transaction,
    quotas.flatMap((quota) => quota.changes()),
  );
  await recordTotals(transaction, totals, new Map(quotas.map((quota) => [quota.subscription.row.seq, quota.owner])));
  return outcomes;
}

/** Locks the subscriptions of the consumptions, and returns their quotas. A group may span the end of a period. */
async function openAll(
  transaction: WriteTransaction,
  { ledger, plans, credits }: QuotaSources,
  taken: Taken[],
): Promise<Map<string, OpenQuota[]>> {
  const byKey = Map.groupBy(taken, keyOf);
  const places = Array.from(byKey.values(), ([first]) => ({ bucketSeq: first!.bucket.seq, id: first!.subscriptionId }));
  const rows = await findSubscriptionsForUpdate(transaction, places);
  const plansOf = await planSummaries(
    transaction,
    rows.map(({ seq }) => seq),
  );
  const terms = await plans.of(transaction, [...plansOf.values()].flat());
  const opening = rows.flatMap((row) => {
    const periods = new Map<number, Taken & { row: SubscriptionRow; subscriptionSeq: number; period: Period }>();
    for (const each of byKey.get(`${row.bucket_seq} ${row.id}`)!) {
      const period = periodOf({ row }, each.now);
      if (!periods.has(period.start)) periods.set(period.start, { ...each, row, subscriptionSeq: row.seq, period });
    }
    return [...periods.values()];
  });
  const counters = await new TransactionHolds(transaction, ledger).open(opening);
  const opened = new Map<string, OpenQuota[]>();
  const slice = new Slice();
  for (const [index, each] of opening.entries()) {
    if (slice.isOver) await slice.next();
    const { act, bucket, now, row, period } = each;
    const ofSubscription = plansOf.get(row.seq)!;
    const allowed = allowedTogether(
      row,
      ofSubscription.map(({ seq }) => terms.get(seq)!.meters),
      period.start,
    );
    const limits = await spendingLimitsOf(credits, transaction, bucket, row, period, now);
    const { meters } = usageOf(allowed, period, counters[index]!.stored, limits?.meters);
    const owner = { act: actAt(act, now), bucketId: bucket.id };
    const subscription = { row, plans: ofSubscription };
    const quota = new OpenQuota(owner, subscription, period, allowed, counters[index]!, meters, limits);
    opened.set(keyOf(each), [...(opened.get(keyOf(each)) ?? []), quota]);
  }
  return opened;
}
