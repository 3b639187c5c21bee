import { type Amount, amountOf, numberOf } from "../../src/lib/amount.ts";
import { periodAt, type Renewal } from "../../src/lib/time/calendar.ts";

export type Amounts = Record<string, number>;

export interface ModelPlan {
  planExternalId: string;
  id: string;
  meters: Amounts;
}

export interface ModelSubscription {
  id: string;
  customerKey: string;
  status: string;
  renewal: Renewal;
  anchor: number;
  createdOn: number;
  plans: ModelPlan[];
  /** Usage by the start of a period, then by meter. */
  used: Map<number, Map<string, Amount>>;
  prorated?: { period: number; max: Map<string, Amount> };
  /** The limits before each change, oldest first. */
  history?: { until: number; meters: Map<string, Amount>; prorated: ModelSubscription["prorated"] }[];
}

export interface ModelEvent {
  id: string;
  source: string;
  subject: string;
  time: number;
  data: Amounts;
}

/** The expected usage, computed in memory by a simple model. */
export class UsageModel {
  readonly plans: ModelPlan[] = [];
  /** In the order of creation. */
  readonly subscriptions: ModelSubscription[] = [];
  /** The subscription that each event was counted for. */
  readonly #seen = new Map<string, ModelSubscription>();

  current(customerKey: string): ModelSubscription | undefined {
    return this.subscriptions.findLast(
      (each) => each.customerKey === customerKey && ["active", "trialing"].includes(each.status),
    );
  }

  record(events: ModelEvent[]): { accepted: number; duplicates: number; rejected: number[] } {
    const outcome = { accepted: 0, duplicates: 0, rejected: [] as number[] };
    for (const [index, { id, source, subject, time, data }] of events.entries()) {
      const subscription = this.current(subject);
      const key = JSON.stringify([id, source]);
      if (this.#seen.has(key)) {
        outcome.duplicates += 1;
      } else if (!subscription || Object.keys(data).some((meter) => !this.#meters(subscription).has(meter))) {
        outcome.rejected.push(index);
      } else {
        outcome.accepted += 1;
        this.#seen.set(key, subscription);
        this.#use(subscription, time, data);
      }
    }
    return outcome;
  }

  /** Undefined if a meter is unknown. */
  consume(subscription: ModelSubscription, now: number, amounts: Amounts): boolean | undefined {
    const max = this.#allowed(subscription, now);
    if (Object.keys(amounts).some((meter) => !max.has(meter))) return undefined;
    if (!["active", "trialing"].includes(subscription.status)) return false;
    const used = this.#usedIn(subscription, now);
    const fits = Object.entries(amounts).every(
      ([meter, amount]) => (used.get(meter) ?? 0n) + amountOf(amount)! <= max.get(meter)!,
    );
    if (fits) this.#use(subscription, now, amounts);
    return fits;
  }

  changePlans(subscription: ModelSubscription, plans: ModelPlan[], prorate: number | undefined, now: number): void {
    this.#keep(subscription, now);
    subscription.plans = plans;
    delete subscription.prorated;
    if (prorate === undefined) return;
    const used = this.#usedIn(subscription, now);
    // The test uses multiples of a quarter as shares, so that no rounding is involved.
    const share = BigInt(prorate * 4);
    const max = [...this.#meters(subscription)].map(([meter, full]): [string, Amount] => [
      meter,
      (used.get(meter) ?? 0n) + (full * share) / 4n,
    ]);
    subscription.prorated = { period: this.period(subscription, now).start, max: new Map(max) };
  }

  /** Call it before the meters of a plan change. */
  recordFormerPlan(plan: ModelPlan, now: number): void {
    for (const subscription of this.subscriptions) if (subscription.plans.includes(plan)) this.#keep(subscription, now);
  }

  #keep(subscription: ModelSubscription, now: number): void {
    const { prorated } = subscription;
    subscription.history ??= [];
    subscription.history.push({ until: now, meters: this.#meters(subscription), prorated });
  }

  delete(subscription: ModelSubscription): void {
    this.subscriptions.splice(this.subscriptions.indexOf(subscription), 1);
    for (const [key, owner] of this.#seen) if (owner === subscription) this.#seen.delete(key);
  }

  period({ anchor, renewal }: ModelSubscription, at: number) {
    return periodAt(anchor, renewal, at);
  }

  /** The expected response of `…/usage`. */
  usage(subscription: ModelSubscription, at: number) {
    const { start, end } = this.period(subscription, at);
    const max = this.#allowed(subscription, at);
    const used = this.#usedIn(subscription, at);
    const meters = [...new Set([...max.keys(), ...used.keys()])].map((meter) => {
      const [limit, amount] = [max.get(meter) ?? 0n, used.get(meter) ?? 0n];
      const available = limit > amount ? limit - amount : 0n;
      return [meter, { used: numberOf(amount), max: numberOf(limit), available: numberOf(available) }];
    });
    return {
      periodStart: new Date(start).toISOString(),
      periodEnd: new Date(end).toISOString(),
      meters: Object.fromEntries(meters),
    };
  }

  #meters({ plans }: ModelSubscription): Map<string, Amount> {
    const sums = new Map<string, Amount>();
    for (const { meters } of plans)
      for (const [meter, max] of Object.entries(meters)) sums.set(meter, (sums.get(meter) ?? 0n) + amountOf(max)!);
    return sums;
  }

  #allowed(subscription: ModelSubscription, at: number): Map<string, Amount> {
    const { start, end } = this.period(subscription, at);
    const kept = subscription.history?.find(({ until }) => until >= Math.max(end, subscription.createdOn + 1));
    const meters = new Map(kept?.meters ?? this.#meters(subscription));
    const prorated = kept ? kept.prorated : subscription.prorated;
    if (prorated?.period === start)
      for (const [meter, max] of prorated.max) if (meters.has(meter)) meters.set(meter, max);
    return meters;
  }

  #usedIn(subscription: ModelSubscription, at: number): Map<string, Amount> {
    return subscription.used.get(this.period(subscription, at).start) ?? new Map();
  }

  #use(subscription: ModelSubscription, at: number, amounts: Amounts): void {
    const used = this.#usedIn(subscription, at);
    for (const [meter, amount] of Object.entries(amounts)) used.set(meter, (used.get(meter) ?? 0n) + amountOf(amount)!);
    subscription.used.set(this.period(subscription, at).start, used);
  }
}
