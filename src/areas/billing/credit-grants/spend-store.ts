import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";

/** What a customer owes for the overage of a period, under caps. Amounts are in minor units. */
export interface SpendPeriod {
  subscriptionSeq: number;
  periodStart: number;
  /** What was owed when a cap changed: a lower cap does not change it. */
  owed: bigint;
  /** What was beyond a cap that has changed since. */
  writtenOff: bigint;
  /** What invoices show as written off. */
  applied: bigint;
  /** The highest threshold that was announced, in percent. */
  threshold: number;
  /** After the end of the period its cap remains: null if there was none. */
  isOver: boolean;
  cap: bigint | null;
}

interface Row {
  subscription_seq: number;
  period_start: number;
  owed: string;
  written_off: string;
  applied: string;
  threshold: number;
  is_over: number;
  cap: string | null;
}

/** Returns the stored periods of a subscription, by their start. */
export async function spendPeriodsOf(reads: Reads, subscriptionSeq: number): Promise<Map<number, SpendPeriod>> {
  const rows = await reads.all<Row>("SELECT * FROM spend_periods WHERE subscription_seq = ?", [subscriptionSeq]);
  return new Map(
    rows.map((row) => [
      row.period_start,
      {
        subscriptionSeq,
        periodStart: row.period_start,
        owed: BigInt(row.owed),
        writtenOff: BigInt(row.written_off),
        applied: BigInt(row.applied),
        threshold: row.threshold,
        isOver: row.is_over === 1,
        cap: row.cap === null ? null : BigInt(row.cap),
      },
    ]),
  );
}

export function newSpendPeriod(subscriptionSeq: number, periodStart: number): SpendPeriod {
  const none = { owed: 0n, writtenOff: 0n, applied: 0n, threshold: 0 };
  return { subscriptionSeq, periodStart, ...none, isOver: false, cap: null };
}

export async function saveSpendPeriod(transaction: WriteTransaction, spend: SpendPeriod): Promise<void> {
  await transaction.run(
    `INSERT INTO spend_periods (subscription_seq, period_start, owed, written_off, applied, threshold, is_over, cap)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (subscription_seq, period_start) DO UPDATE SET owed = excluded.owed,
       written_off = excluded.written_off, applied = excluded.applied, threshold = excluded.threshold,
       is_over = excluded.is_over, cap = excluded.cap`,
    [
      spend.subscriptionSeq,
      spend.periodStart,
      String(spend.owed),
      String(spend.writtenOff),
      String(spend.applied),
      spend.threshold,
      spend.isOver ? 1 : 0,
      spend.cap === null ? null : String(spend.cap),
    ],
  );
}
