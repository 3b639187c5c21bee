import type { Storage, WriteTransaction } from "../../platform/storage/storage.ts";
import type { CounterTotal } from "../counters/counter-store.ts";
import { raiseExisting } from "../counters/raise-counters.ts";
import { addHour } from "../counters/usage-hours.ts";

/**
 * How long after the end of its lease the estimated usage of a node counts. Longer than the restart of a primary, whose
 * workers return to the next one.
 */
const lossMilliseconds = 30_000;

interface LostRow {
  writer: string;
  subscription_seq: number;
  period_start: number;
  meter: string;
  estimate: string;
  used_on: number;
  expires_on: number;
}

const idOf = ({ writer, subscription_seq, period_start, meter, expires_on }: LostRow) =>
  JSON.stringify([writer, subscription_seq, period_start, meter, expires_on]);

/** Counts the estimated usage that killed nodes have published. */
export class LostUsage {
  /** Rows are counted when they are seen again: after an outage of storage, all nodes are late. */
  #seen = new Set<string>();

  constructor(private readonly storage: Storage) {}

  /** Returns the totals of the counters that were raised. */
  async count(now: number): Promise<CounterTotal[]> {
    const rows = await this.storage.reads.all<LostRow>(
      "SELECT * FROM quota_holds WHERE expires_on <= ? AND estimate <> '0'",
      [now - lossMilliseconds],
    );
    const due = rows.filter((row) => this.#seen.has(idOf(row)));
    this.#seen = new Set(rows.map(idOf));
    const totals: CounterTotal[] = [];
    for (const row of due) totals.push(...(await this.storage.write((transaction) => countRow(transaction, row))));
    return totals;
  }
}

/** Another node may have counted it, or its node may have published again. */
async function countRow(transaction: WriteTransaction, row: LostRow): Promise<CounterTotal[]> {
  const { writer, subscription_seq: subscriptionSeq, period_start: periodStart, meter, expires_on } = row;
  const deleted = await transaction.all<LostRow>(
    `DELETE FROM quota_holds
     WHERE writer = ? AND subscription_seq = ? AND period_start = ? AND meter = ? AND expires_on = ? RETURNING *`,
    [writer, subscriptionSeq, periodStart, meter, expires_on],
  );
  if (deleted.length === 0) return [];
  const consumed = BigInt(row.estimate);
  const hours = new Map<number, bigint>();
  addHour(hours, row.used_on, consumed);
  return raiseExisting(transaction, [{ subscriptionSeq, periodStart, meter, events: 0, amount: 0n, consumed, hours }]);
}
