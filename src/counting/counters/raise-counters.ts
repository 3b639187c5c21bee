import { partsOf } from "../../lib/amount.ts";
import { Slice } from "../../lib/tasks/slices.ts";
import type { ColumnType, WriteTransaction } from "../../platform/storage/storage.ts";
import { type CounterChange, type CounterRow, type CounterTotal, totalColumns, totalOf } from "./counter-store.ts";
import { raiseSeries } from "./usage-series-store.ts";

// Billionths that make a whole are carried: nine million fractions would exceed the exact range of a number.
const carry = (column: string) => `(usage_counters.${column} + excluded.${column}) / 1000000000`;
const rest = (column: string) => `(usage_counters.${column} + excluded.${column}) % 1000000000`;

const all = "true";
/** A subquery instead of a join, which may change the order of the rows. */
const ofExisting = "(SELECT seq FROM subscriptions WHERE seq = column1) IS NOT NULL";

const types: ColumnType[] = ["bigint", "bigint", "text", "bigint", "bigint", "bigint", "bigint", "bigint"];

const raise = (
  changes: string,
  condition: string,
) => `INSERT INTO usage_counters (subscription_seq, period_start, meter, events, whole, billionths,
    removed_events, removed_whole, removed_billionths, consumed_whole, consumed_billionths, is_unchecked)
  SELECT column1, column2, column3, column4, column5, column6, 0, 0, 0, column7, column8, 1 FROM ${changes} AS changes
  WHERE ${condition}
  ON CONFLICT (subscription_seq, period_start, meter) DO UPDATE SET
    events = usage_counters.events + excluded.events,
    whole = usage_counters.whole + excluded.whole + ${carry("billionths")},
    billionths = ${rest("billionths")},
    consumed_whole = usage_counters.consumed_whole + excluded.consumed_whole + ${carry("consumed_billionths")},
    consumed_billionths = ${rest("consumed_billionths")},
    is_unchecked = 1,
    version = usage_counters.version + 1
  RETURNING ${totalColumns}`;

/**
 * Applies at most one change for each counter, and returns the totals. Counters are locked in the order of their
 * subscription and period as text, then of their meter: the same in all releases, so that two transactions with several
 * counters in common cannot deadlock.
 */
export function raiseCounters(transaction: WriteTransaction, changes: CounterChange[]): Promise<CounterTotal[]> {
  return raiseWith(transaction, all, changes);
}

/** The same for subscriptions that may have been deleted. Their changes are dropped. */
export function raiseExisting(transaction: WriteTransaction, changes: CounterChange[]): Promise<CounterTotal[]> {
  return raiseWith(transaction, ofExisting, changes);
}

async function raiseWith(
  transaction: WriteTransaction,
  condition: string,
  changes: CounterChange[],
): Promise<CounterTotal[]> {
  const totals: CounterTotal[] = [];
  const slice = new Slice();
  const sorted = sortedByPeriod(changes);
  for (const { sql, parameters } of transaction.tablesOf(types, sorted.map(valuesOf))) {
    for (const row of await transaction.all<CounterRow>(raise(sql, condition), parameters)) totals.push(totalOf(row));
    if (slice.isOver) await slice.next();
  }
  const existing = new Set(totals.map(({ subscriptionSeq }) => subscriptionSeq));
  await raiseSeries(
    transaction,
    sorted.filter(({ subscriptionSeq }) => existing.has(subscriptionSeq)),
  );
  return totals;
}

/** Sorted for each period of a subscription separately: sorting 100,000 at once would block the event loop. */
function sortedByPeriod(changes: CounterChange[]): CounterChange[] {
  if (changes.length <= 1) return changes;
  const periods = Map.groupBy(changes, ({ subscriptionSeq, periodStart }) => `${subscriptionSeq} ${periodStart}`);
  return [...periods.keys()]
    .sort()
    .flatMap((key) => periods.get(key)!.sort((one, other) => (one.meter < other.meter ? -1 : 1)));
}

function valuesOf(change: CounterChange): unknown[] {
  const amount = partsOf(change.amount);
  const consumed = partsOf(change.consumed);
  return [
    change.subscriptionSeq,
    change.periodStart,
    change.meter,
    change.events,
    Number(amount.whole),
    Number(amount.billionths),
    Number(consumed.whole),
    Number(consumed.billionths),
  ];
}
