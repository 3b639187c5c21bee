import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import { type MeteringBucket, timeIn } from "../../metering-buckets/metering-buckets.ts";
import type { PlanSummary } from "../../plans/plans.ts";
import type { KnownPlans, PlanTerms } from "../../subscriptions/allowance.ts";
import { type Owners, type OwningSubscription, ownersOfAll } from "./owners.ts";
import { type EventError, meterError, type UsageEvent } from "./read-event.ts";

/** The events of one bucket, which were received at one time. */
interface ReceivedEvents {
  bucket: MeteringBucket;
  now: number;
  events: UsageEvent[];
}

/** The subscriptions of the customers of events, loaded for one transaction. */
export class Subscribers {
  private constructor(
    /** By bucket and customer. */
    private readonly owners: ReadonlyMap<number, ReadonlyMap<string, Owners>>,
    private readonly terms: ReadonlyMap<number, PlanTerms>,
  ) {}

  static async load(
    transaction: WriteTransaction,
    received: ReceivedEvents[],
    knownPlans: KnownPlans,
  ): Promise<Subscribers> {
    const customers = new Map<number, Map<string, number>>();
    for (const { bucket, now, events } of received) {
      const inBucket = customers.get(bucket.seq) ?? new Map<string, number>();
      customers.set(bucket.seq, inBucket);
      for (const { subject } of events) if (!inBucket.has(subject)) inBucket.set(subject, timeIn(bucket, now));
    }
    const all = [...customers].flatMap(([bucketSeq, inBucket]) =>
      Array.from(inBucket, ([customerKey, now]) => ({ bucketSeq, customerKey, now })),
    );
    const loaded = await ownersOfAll(transaction, all);
    const owners = new Map<number, Map<string, Owners>>();
    for (const [index, { bucketSeq, customerKey }] of all.entries()) {
      const inBucket = owners.get(bucketSeq) ?? new Map<string, Owners>();
      owners.set(bucketSeq, inBucket.set(customerKey, loaded[index]!));
    }
    const plans = new Map<number, PlanSummary>();
    for (const each of loaded) for (const plan of each.plans) plans.set(plan.seq, plan);
    return new Subscribers(owners, await knownPlans.of(transaction, plans.values()));
  }

  /** Returns the subscription for which the event counts, or why it does not count. */
  find(bucket: MeteringBucket, event: UsageEvent): OwningSubscription | EventError {
    const subscription = this.owners.get(bucket.seq)!.get(event.subject)!.at(event.time);
    if (!subscription) return noSubscription;
    return this.#unknownMeter(subscription, event) ?? subscription;
  }

  #unknownMeter({ plans }: OwningSubscription, { amounts }: UsageEvent): EventError | undefined {
    for (const meter of amounts.keys())
      if (!plans.some(({ seq }) => this.terms.get(seq)?.meters.has(meter)))
        return meterError(meter, "is not a meter of the subscription's plans");
    return undefined;
  }
}

const noSubscription: EventError = { pointer: "/subject", detail: "has no active subscription here" };
