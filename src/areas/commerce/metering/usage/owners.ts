import { allWith } from "../../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { PlanSummary } from "../../plans/plans.ts";
import { allowsUsage, lateMilliseconds, statusAt } from "../../subscriptions/state.ts";
import { type OwnerRow, planSummaries, subscriptionsOfCustomers } from "../../subscriptions/subscriptions.ts";

/** A time in which a subscription was active or not, as billing recorded it. */
interface Span {
  subscription_seq: number;
  kind: string;
  starts_on: number;
  ends_on: number | null;
}

export interface OwningSubscription {
  row: OwnerRow;
  plans: PlanSummary[];
}

/** A customer at a time. */
export interface Customer {
  bucketSeq: number;
  customerKey: string;
  now: number;
}

/** Returns the owners of the usage of each customer, in the same order. */
export async function ownersOfAll(
  reads: Reads,
  customers: Customer[],
  /** A subscription that is about to be deleted. */
  deletedSeq?: number,
): Promise<Owners[]> {
  const keyOf = (bucketSeq: number, customerKey: string) => `${bucketSeq} ${customerKey}`;
  const all = await subscriptionsOfCustomers(reads, customers);
  const rows = all.filter(({ seq }) => seq !== deletedSeq);
  const plans = await planSummaries(
    reads,
    rows.map(({ seq }) => seq),
  );
  const subscriptions = rows.map((row) => ({ row, plans: plans.get(row.seq)! }));
  const byCustomer = Map.groupBy(subscriptions, ({ row }) => keyOf(row.bucket_seq, row.customer_key));
  const owned = customers.map(({ bucketSeq, customerKey, now }) => {
    const owned = byCustomer.get(keyOf(bucketSeq, customerKey)) ?? [];
    const current = owned.find((each) => allowsUsage(statusAt(each.row, each.plans, now)));
    const isOnly = owned.length === 1 && current !== undefined;
    return { owned, current, now, billed: isOnly ? [] : owned.filter(({ row }) => row.billing !== null) };
  });
  const spans = await spansOf(
    reads,
    owned.flatMap(({ billed }) => billed.map(({ row }) => row.seq)),
  );
  return owned.map(({ owned, current, now, billed }) => {
    const own = billed.flatMap(({ row }) => (spans.has(row.seq) ? [[row.seq, spans.get(row.seq)!] as const] : []));
    return new Owners(owned, new Map(own), current, now);
  });
}

/**
 * The subscriptions of a customer, and which of them an event belongs to. Without prices it is the current one. If a
 * subscription has a price, it is the one that was current at the event's time, so that usage that arrives late is billed
 * under the subscription it was made with.
 */
export class Owners {
  constructor(
    /** Newest first. */
    private readonly subscriptions: OwningSubscription[],
    private readonly spans: ReadonlyMap<number, Span[]>,
    readonly current: OwningSubscription | undefined,
    private readonly now: number,
  ) {}

  /** All plans of the customer. */
  get plans(): PlanSummary[] {
    return this.subscriptions.flatMap(({ plans }) => plans);
  }

  at(time: number): OwningSubscription | undefined {
    if (time >= this.now || this.spans.size === 0) return this.current;
    const then = this.subscriptions.find((each, index) => this.#wasCurrent(each, this.subscriptions[index - 1], time));
    const isBilled = then?.row.billing != null || this.current?.row.billing != null;
    return then && isBilled ? then : this.current;
  }

  #wasCurrent(subscription: OwningSubscription, newer: OwningSubscription | undefined, time: number): boolean {
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

async function spansOf(reads: Reads, seqs: number[]): Promise<Map<number, Span[]>> {
  const spans = await allWith<Span>(
    reads,
    ["bigint"],
    seqs.map((seq) => [seq]),
    (billed) => `SELECT subscription_seq, kind, starts_on, ends_on FROM billing_segments
      WHERE subscription_seq IN (SELECT column1 FROM ${billed} AS billed) ORDER BY seq`,
  );
  return Map.groupBy(spans, (span) => span.subscription_seq);
}

/** Returns when late usage of an ended subscription is billed. That of others is part of their next invoice. */
export function lateBilling({ row, plans }: OwningSubscription, now: number): number | undefined {
  return row.billing === null || allowsUsage(statusAt(row, plans, now)) ? undefined : now + lateMilliseconds;
}

/**
 * Schedules a step of billing for ended subscriptions that late usage was counted for. They must be locked before their
 * counters.
 */
export async function billLateUsage(
  transaction: WriteTransaction,
  counted: { subscriptionSeq: number; billsOn: number | undefined }[],
): Promise<void> {
  const ended = new Map(counted.map(({ subscriptionSeq, billsOn }) => [subscriptionSeq, billsOn]));
  const rows = [...ended].filter(([, billsOn]) => billsOn !== undefined).sort(([one], [other]) => one - other);
  for (const { sql, parameters } of transaction.tablesOf(["bigint", "bigint"], rows))
    await transaction.run(
      `UPDATE subscriptions SET bills_on = column2 FROM ${sql} AS ended
       WHERE seq = column1 AND (bills_on IS NULL OR bills_on > column2)`,
      parameters,
    );
}
