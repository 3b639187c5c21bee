import type { ColumnType, Storage, WriteTransaction } from "../../platform/storage/storage.ts";
import type { CounterChange, CounterTotal } from "../counters/counter-store.ts";
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
    return due.length === 0 ? [] : this.storage.write((transaction) => countRows(transaction, due));
  }
}

const types: ColumnType[] = ["text", "bigint", "bigint", "text", "bigint"];

/** Another node may have counted some, or their node may have published again. */
async function countRows(transaction: WriteTransaction, due: LostRow[]): Promise<CounterTotal[]> {
  const changes = new Map<string, CounterChange>();
  const keys = due.map((row) => [row.writer, row.subscription_seq, row.period_start, row.meter, row.expires_on]);
  for (const { sql, parameters } of transaction.tablesOf(types, keys)) {
    const deleted = await transaction.all<LostRow>(
      `DELETE FROM quota_holds WHERE (writer, subscription_seq, period_start, meter, expires_on) IN
         (SELECT column1, column2, column3, column4, column5 FROM ${sql} AS due) RETURNING *`,
      parameters,
    );
    for (const row of deleted) addEstimate(changes, row);
  }
  return raiseExisting(transaction, [...changes.values()]);
}

function addEstimate(changes: Map<string, CounterChange>, row: LostRow): void {
  const { subscription_seq: subscriptionSeq, period_start: periodStart, meter, used_on } = row;
  const key = JSON.stringify([subscriptionSeq, periodStart, meter]);
  const nothing = { events: 0, amount: 0n, consumed: 0n, hours: new Map() };
  const change = changes.get(key) ?? { subscriptionSeq, periodStart, meter, ...nothing };
  change.consumed += BigInt(row.estimate);
  addHour(change.hours, used_on, BigInt(row.estimate));
  changes.set(key, change);
}
