import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { lateMilliseconds } from "../../subscriptions/billing-state.ts";
import { allowsUsage, statusAt } from "../../subscriptions/status.ts";
import { plansOf, type SubscriptionRow, subscriptionsOfCustomer } from "../../subscriptions/subscription-rows.ts";
import type { Subscription } from "../../subscriptions/subscriptions.ts";

/** A time in which a subscription was active or not, as billing recorded it. */
interface Span {
  subscription_seq: number;
  kind: string;
  starts_on: number;
  ends_on: number | null;
}

/**
 * The subscriptions of a customer, and which of them an event belongs to. Without prices it is the current one. If a
 * subscription has a price, it is the one that was current at the event's time, so that usage that arrives late is billed
 * under the subscription it was made with.
 */
export class Owners {
  private constructor(
    /** Newest first. */
    private readonly subscriptions: Subscription[],
    private readonly spans: Map<number, Span[]>,
    readonly current: Subscription | undefined,
    private readonly now: number,
  ) {}

  /** @param deletedSeq a subscription that is about to be deleted */
  static async load(
    reads: Reads,
    bucket: MeteringBucket,
    customerKey: string,
    now: number,
    deletedSeq?: number,
  ): Promise<Owners> {
    const all = await subscriptionsOfCustomer(reads, bucket.seq, customerKey);
    const rows = all.filter(({ seq }) => seq !== deletedSeq);
    const billed = rows.filter(({ billing }) => billing !== null);
    const subscriptions: Subscription[] = [];
    let current: Subscription | undefined;
    for (const row of rows) {
      const subscription = { row, plans: await plansOf(reads, row.seq) };
      subscriptions.push(subscription);
      if (!current && allowsUsage(statusAt(row, subscription.plans, now))) current = subscription;
      // Older subscriptions are not needed.
      if (current && billed.length === 0) break;
    }
    const isOnly = rows.length === 1 && current !== undefined;
    const spans = isOnly || billed.length === 0 ? [] : await spansOf(reads, billed);
    return new Owners(
      subscriptions,
      Map.groupBy(spans, (span) => span.subscription_seq),
      current,
      now,
    );
  }

  at(time: number): Subscription | undefined {
    if (time >= this.now || this.spans.size === 0) return this.current;
    const then = this.subscriptions.find((each, index) => this.#wasCurrent(each, this.subscriptions[index - 1], time));
    const isBilled = then?.row.billing != null || this.current?.row.billing != null;
    return then && isBilled ? then : this.current;
  }

  #wasCurrent(subscription: Subscription, newer: Subscription | undefined, time: number): boolean {
    const { seq, created_on, blocks_on } = subscription.row;
    if (time < created_on || (blocks_on !== null && time >= blocks_on)) return false;
    const spans = this.spans.get(seq);
    // Nothing is recorded without a price: it was the customer's until it was replaced.
    const isBefore = (span: Span | undefined) => span === undefined || time < span.starts_on;
    if (isBefore(spans?.[0])) return subscription === this.current || spans !== undefined || newer !== undefined;
    const span = spans!.find(({ starts_on, ends_on }) => starts_on <= time && (ends_on === null || time < ends_on));
    return span !== undefined && span.kind !== "idle";
  }
}

function spansOf(reads: Reads, rows: SubscriptionRow[]): Promise<Span[]> {
  return reads.all(
    `SELECT subscription_seq, kind, starts_on, ends_on FROM billing_segments
     WHERE subscription_seq IN (${rows.map(() => "?").join(", ")}) ORDER BY seq`,
    rows.map(({ seq }) => seq),
  );
}

/** Returns when late usage of an ended subscription is billed. That of others is part of their next invoice. */
export function lateBilling({ row, plans }: Subscription, now: number): number | undefined {
  return row.billing === null || allowsUsage(statusAt(row, plans, now)) ? undefined : now + lateMilliseconds;
}

/** Schedules a step of billing for ended subscriptions that late usage was counted for. */
export async function billLateUsage(
  transaction: WriteTransaction,
  counted: { subscriptionSeq: number; billsOn: number | undefined }[],
): Promise<void> {
  const ended = new Map(counted.map(({ subscriptionSeq, billsOn }) => [subscriptionSeq, billsOn]));
  for (const [seq, billsOn] of ended)
    if (billsOn !== undefined)
      await transaction.run(
        "UPDATE subscriptions SET bills_on = ? WHERE seq = ? AND (bills_on IS NULL OR bills_on > ?)",
        [billsOn, seq, billsOn],
      );
}
