import { usedIn } from "../../../counting/counters/counter-store.ts";
import { type Amount, amountOf, maxAmount } from "../../../lib/amount.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { allowances } from "../../subscriptions/allowance.ts";
import { periodOf, type Subscription } from "../../subscriptions/subscriptions.ts";
import { Owners } from "./owners.ts";
import { type EventError, meterError, type UsageEvent } from "./read-event.ts";

/** The subscriptions of the customers of events, and their totals, cached for one transaction. */
export class Subscribers {
  readonly #owners = new Map<string, Owners>();
  readonly #meters = new Map<Subscription, Set<string>>();
  readonly #used = new Map<string, Map<string, Amount>>();

  constructor(private readonly transaction: WriteTransaction) {}

  has(bucket: MeteringBucket, event: UsageEvent): boolean {
    const owners = this.#owners.get(subscriberKey(bucket, event));
    if (!owners) return false;
    const subscription = owners.at(event.time);
    return !subscription || this.#used.has(periodKey(subscription, event));
  }

  async load(bucket: MeteringBucket, event: UsageEvent, now: number): Promise<void> {
    const key = subscriberKey(bucket, event);
    const owners = this.#owners.get(key) ?? (await Owners.load(this.transaction, bucket, event.subject, now));
    this.#owners.set(key, owners);
    const subscription = owners.at(event.time);
    if (!subscription) return;
    if (!this.#meters.has(subscription)) this.#meters.set(subscription, await metersOf(subscription));
    const { start } = periodOf(subscription, event.time);
    this.#used.set(periodKey(subscription, event), await usedIn(this.transaction, subscription.row.seq, start));
  }

  /** Returns the subscription for which the event counts, or why it does not count. */
  take(bucket: MeteringBucket, event: UsageEvent): Subscription | EventError {
    const subscription = this.#owners.get(subscriberKey(bucket, event))?.at(event.time);
    if (!subscription) return noSubscription;
    return unknownMeter(this.#meters.get(subscription)!, event) ?? this.#tooMuch(subscription, event) ?? subscription;
  }

  /** A counter must stay within the exact range of numbers. */
  #tooMuch(subscription: Subscription, event: UsageEvent): EventError | undefined {
    const used = this.#used.get(periodKey(subscription, event))!;
    for (const [meter, amount] of event.amounts)
      if ((used.get(meter) ?? 0n) + amount > maxCount)
        return meterError(meter, "would add up to more in the period than can be counted exactly");
    for (const [meter, amount] of event.amounts) used.set(meter, (used.get(meter) ?? 0n) + amount);
    return undefined;
  }
}

function periodKey(subscription: Subscription, event: UsageEvent): string {
  return `${subscription.row.seq} ${periodOf(subscription, event.time).start}`;
}

function subscriberKey(bucket: MeteringBucket, event: UsageEvent): string {
  return `${bucket.seq} ${event.subject}`;
}

const maxCount = amountOf(maxAmount)!;

const noSubscription: EventError = { pointer: "/subject", detail: "has no active subscription here" };

function unknownMeter(meters: Set<string>, event: UsageEvent): EventError | undefined {
  const unknown = [...event.amounts.keys()].find((meter) => !meters.has(meter));
  return unknown === undefined ? undefined : meterError(unknown, "is not a meter of the subscription's plans");
}

async function metersOf({ row, plans }: Subscription): Promise<Set<string>> {
  return new Set((await allowances(row, plans, 0)).keys());
}
