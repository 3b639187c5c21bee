import { dayMilliseconds, hourMilliseconds, startOf } from "../../../../counting/counters/usage-hours.ts";
import { type Amount, amountFromParts } from "../../../../lib/amount.ts";
import { Slice } from "../../../../lib/tasks/slices.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { type ArrivedUsage, arrivalsIn, usedInPeriod } from "../../metering/usage/usage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import type { precisions } from "../schemas/simulation-schema.ts";

/** Usage of a meter, when it was used, and when it was counted. */
export interface UsedAmount {
  subscriptionSeq: number;
  periodStart: number;
  periodEnd: number;
  meter: string;
  amount: Amount;
  time: number;
  arrivedOn: number;
}

export const placeOf = ({ subscriptionSeq, periodStart }: Pick<UsedAmount, "subscriptionSeq" | "periodStart">) =>
  `${subscriptionSeq} ${periodStart}`;

export type Precision = (typeof precisions)[number];

const hoursAtOnce = 168;

/**
 * The usage of a subscription in its periods since a time, in the order in which it was counted: its events, and what has no
 * stored event by the end of its hour, or else of its day.
 */
export async function usageInOrder(
  reads: Reads,
  book: Reads,
  bucket: MeteringBucket,
  subscriptionSeq: number,
  since: number,
): Promise<{ usage: UsedAmount[]; precision: Precision }> {
  const usage: UsedAmount[] = [];
  const events: (UsedAmount & { seq: number })[] = [];
  let precision: Precision = "exact";
  const periods = await book.all<{ period_start: number; period_end: number | null }>(
    `SELECT DISTINCT period_start, (SELECT MAX(period_end) FROM billing_segments AS segments
       WHERE segments.subscription_seq = usage_counters.subscription_seq AND segments.period_start = usage_counters.period_start)
       AS period_end FROM usage_counters WHERE subscription_seq = ? AND period_start >= ?`,
    [subscriptionSeq, since],
  );
  const slice = new Slice();
  for (const { period_start: periodStart, period_end } of periods) {
    const periodEnd = period_end ?? Number.POSITIVE_INFINITY;
    const left = new Map(await usedInPeriod(book, subscriptionSeq, periodStart));
    const isLeft = () => left.values().some((amount) => amount > 0n);
    /** What is counted of an hour or a day already. */
    const known = new Map<string, Amount>();
    const partOf = (step: number, time: number, meter: string) => `${step} ${startOf(time, step)} ${meter}`;
    const count = (meter: string, amount: Amount, time: number, arrivedOn = time) => {
      left.set(meter, (left.get(meter) ?? 0n) - amount);
      for (const step of [hourMilliseconds, dayMilliseconds]) {
        const part = partOf(step, time, meter);
        known.set(part, (known.get(part) ?? 0n) + amount);
      }
      return { subscriptionSeq, periodStart, periodEnd, meter, amount, time, arrivedOn };
    };
    for await (const { seq, meter, whole, billionths, time, arrivedOn } of arrivalsIn(
      reads,
      bucket,
      subscriptionSeq,
      periodStart,
    )) {
      events.push({ ...count(meter, amountFromParts(whole, billionths), time, arrivedOn), seq });
      if (slice.isOver) await slice.next();
    }
    const add = (step: number, { meter, whole, billionths, time }: Omit<ArrivedUsage, "seq" | "arrivedOn">) => {
      const rest = amountFromParts(whole, billionths) - (known.get(partOf(step, time, meter)) ?? 0n);
      const most = left.get(meter) ?? 0n;
      if (rest <= 0n || most <= 0n) return;
      const end = Math.min(time + step, periodEnd) - 1;
      usage.push(count(meter, rest < most ? rest : most, Math.max(end, periodStart)));
      if (precision !== "day") precision = step === hourMilliseconds ? "hour" : "day";
    };
    if (!isLeft()) continue;
    const days = await reads.all<ArrivedUsage>(
      "SELECT time, meter, whole, billionths FROM usage_days WHERE subscription_seq = ? AND period_start = ? ORDER BY time",
      [subscriptionSeq, periodStart],
    );
    const hours = [...new Set(days.map(({ time }) => time))].flatMap((day) =>
      Array.from({ length: dayMilliseconds / hourMilliseconds }, (_, hour) => day + hour * hourMilliseconds),
    );
    for (let first = 0; first < hours.length && isLeft(); first += hoursAtOnce) {
      const places = hours.slice(first, first + hoursAtOnce).map((hour) => [hour, subscriptionSeq]);
      for (const { sql, parameters } of reads.tablesOf(["bigint", "bigint"], places)) {
        const rows = await reads.all<ArrivedUsage>(
          `SELECT time, meter, whole, billionths FROM ${sql} AS places CROSS JOIN usage_hours
           WHERE time = column1 AND subscription_seq = column2 AND period_start = ? ORDER BY time`,
          [...parameters, periodStart],
        );
        for (const row of rows) add(hourMilliseconds, row);
      }
      if (slice.isOver) await slice.next();
    }
    for (const row of days) add(dayMilliseconds, row);
    for (const [meter, amount] of left)
      if (amount > 0n) {
        usage.push(count(meter, amount, (period_end ?? periodStart + 1) - 1));
        precision = "day";
      }
  }
  usage.push(...events.sort((one, other) => one.seq - other.seq));
  return { usage: usage.sort((one, other) => one.arrivedOn - other.arrivedOn), precision };
}
