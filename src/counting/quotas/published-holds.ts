import { type Amount, amountFromParts } from "../../lib/amount.ts";
import type { ColumnType, Reads, Storage, WriteTransaction } from "../../platform/storage/storage.ts";
import { type CounterTotal, periodKey } from "../counters/counter-store.ts";
import type { Published } from "./quota-counter.ts";

/** Holds of a node that was killed return after this time. */
const leaseMilliseconds = 10_000;

/** What a node holds from a counter. */
export interface PublishedHold extends Published {
  subscriptionSeq: number;
  periodStart: number;
  meter: string;
  /** When the estimate counts. */
  usedOn: number;
}

interface HoldRow {
  writer: string;
  subscription_seq: number;
  period_start: number;
  meter: string;
  amount: string;
  expires_on: number;
  whole: number | null;
  billionths: number | null;
  version: number | null;
}

const types: ColumnType[] = ["text", "bigint", "bigint", "text", "text", "text", "bigint", "bigint"];

const publish = (holds: string) => `INSERT INTO quota_holds
    (writer, subscription_seq, period_start, meter, amount, estimate, used_on, expires_on)
  SELECT column1, column2, column3, column4, column5, column6, column7, column8 FROM ${holds} AS holds
  WHERE (SELECT seq FROM subscriptions WHERE seq = column2) IS NOT NULL
  ON CONFLICT (writer, subscription_seq, period_start, meter)
  DO UPDATE SET amount = excluded.amount, estimate = excluded.estimate, used_on = excluded.used_on,
    expires_on = excluded.expires_on`;

/**
 * Stores what a node holds. Amounts of 0 are stored too: until they expire, other nodes read the total that replaced the
 * hold together with it. Holds of deleted subscriptions are dropped.
 */
export async function publishHolds(
  transaction: WriteTransaction,
  writer: string,
  holds: PublishedHold[],
  now: number,
): Promise<void> {
  const expiresOn = now + leaseMilliseconds;
  const rows = holds.map(({ subscriptionSeq, periodStart, meter, held, estimate, usedOn }) => {
    return [writer, subscriptionSeq, periodStart, meter, String(held), String(estimate), usedOn, expiresOn];
  });
  for (const { sql, parameters } of transaction.tablesOf(types, rows)) await transaction.run(publish(sql), parameters);
}

/** The holds of other nodes as of the last read, by period of a subscription. */
export class HoldsElsewhere {
  #rows: HoldRow[] = [];
  #byPeriod = new Map<string, Map<string, Amount>>();

  /** @param writer the name of this node */
  constructor(private readonly writer: string) {}

  of(periodKey: string): ReadonlyMap<string, Amount> | undefined {
    return this.#byPeriod.get(periodKey);
  }

  /** The periods in which other nodes hold something. */
  get periodKeys(): Iterable<string> {
    return this.#byPeriod.keys();
  }

  /**
   * Reads the holds and, in the same snapshot, the totals of their counters: a hold that was settled is in one or in the
   * other. Also returns the totals of counters that only this node holds from.
   */
  async read(reads: Reads, now: number): Promise<CounterTotal[]> {
    this.#rows = await reads.all<HoldRow>(
      `SELECT quota_holds.*, whole + consumed_whole AS whole, billionths + consumed_billionths AS billionths,
         version
       FROM quota_holds LEFT JOIN usage_counters ON usage_counters.subscription_seq = quota_holds.subscription_seq
         AND usage_counters.period_start = quota_holds.period_start AND usage_counters.meter = quota_holds.meter
       WHERE expires_on > ?`,
      [now],
    );
    this.#sum();
    return this.#rows.flatMap(({ subscription_seq, period_start, meter, whole, billionths, version }) => {
      if (whole === null) return [];
      const used = amountFromParts(whole, billionths!);
      return { subscriptionSeq: subscription_seq, periodStart: period_start, meter, used, version: version! };
    });
  }

  /** Removes holds whose lease has expired since the last read. */
  expire(now: number): void {
    this.#rows = this.#rows.filter(({ expires_on }) => expires_on > now);
    this.#sum();
  }

  #sum(): void {
    this.#byPeriod = new Map();
    for (const { writer, subscription_seq, period_start, meter, amount } of this.#rows) {
      if (writer === this.writer || amount === "0") continue;
      const key = periodKey(subscription_seq, period_start);
      const meters = this.#byPeriod.get(key) ?? new Map<string, Amount>();
      meters.set(meter, (meters.get(meter) ?? 0n) + BigInt(amount));
      this.#byPeriod.set(key, meters);
    }
  }
}

/** Those with an estimate are deleted when it is counted; see LostUsage. */
export async function deleteExpiredHolds(storage: Storage, now: number): Promise<void> {
  await storage.write((transaction) =>
    transaction.run("DELETE FROM quota_holds WHERE expires_on <= ? AND estimate = '0'", [now]),
  );
}

/** Deletes the holds of primaries that have ended: their workers hold them. */
export async function deleteHoldsOf(storage: Storage, writers: Iterable<string>): Promise<void> {
  await storage.write(async (transaction) => {
    for (const writer of writers) await transaction.run("DELETE FROM quota_holds WHERE writer = ?", [writer]);
  });
}
