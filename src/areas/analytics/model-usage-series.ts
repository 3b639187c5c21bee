import { decimalOf } from "../../lib/amount.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import type { Reads } from "../../platform/storage/storage.ts";
import { addUsage, emptyRow, type ModelUsageRow } from "./model-usage-counter.ts";
import { readModelUsage } from "./model-usage-store.ts";
import type { TimeSteps } from "./range.ts";
import { steps } from "./steps.ts";

export interface ModelSeriesQuery {
  accountSeq: number;
  range: TimeSteps;
  by: "model" | "provider" | "deployment" | undefined;
  /** The number of series in addition to that of all others. */
  limit: number;
  model: string | undefined;
  provider: string | undefined;
}

const noKey = { deploymentSeq: 0, model: "", provider: "", currency: "" };

/** The rows of one series: by step, and all together. */
class UsageSeries {
  readonly totals = new UsageSum();
  readonly #points: UsageSum[];

  constructor(private readonly range: TimeSteps) {
    this.#points = range.times.map(() => new UsageSum());
  }

  add(row: ModelUsageRow & { time: number }): void {
    this.totals.add(row);
    this.#points[(Number(row.time) - this.range.from) / steps[this.range.step].milliseconds]?.add(row);
  }

  present(key: string | null, isOther: boolean) {
    const points = this.#points.map((point, index) => ({
      time: formatDateTime(this.range.times[index]!),
      ...point.present(),
    }));
    return { key, ...(isOther ? { isOther: true as const } : {}), totals: this.totals.present(), points };
  }
}

class UsageSum {
  readonly row = emptyRow(noKey);
  readonly #currencies = new Set<string>();

  add(row: ModelUsageRow): void {
    addUsage(this.row, row);
    if (row.currency !== "") this.#currencies.add(row.currency);
  }

  present() {
    const {
      deploymentSeq: _,
      model: __,
      provider: ___,
      firstBytes,
      firstByteMs,
      cost,
      charge,
      currency: ____,
      ...counts
    } = this.row;
    const isSummed = this.#currencies.size <= 1;
    const money = (amount: number) => (isSummed ? decimalOf(BigInt(amount)) : null);
    return {
      ...counts,
      currency: isSummed ? ([...this.#currencies][0] ?? null) : null,
      cost: money(cost),
      charge: money(charge),
      margin: money(charge - cost),
      firstByteMs: firstBytes === 0 ? null : Math.round(firstByteMs / firstBytes),
    };
  }
}

/** Returns the series of a query, those with the most requests first and that of all others last. */
export async function readModelSeries(
  reads: Reads,
  { accountSeq, range, by, limit, model, provider }: ModelSeriesQuery,
) {
  const { milliseconds } = steps[range.step];
  const rows = await readModelUsage(reads, accountSeq, milliseconds, range);
  const chosen = rows.filter(
    (row) => (model === undefined || row.model === model) && (provider === undefined || row.provider === provider),
  );
  const keyed = Map.groupBy(chosen, (row) => (by === undefined ? "" : row[by]));
  if (by === undefined && keyed.size === 0) keyed.set("", []);
  const all = [...keyed].map(([key, ofKey]) => {
    const series = new UsageSeries(range);
    for (const row of ofKey) series.add(row);
    return { key, ofKey, series };
  });
  all.sort((one, other) => other.series.totals.row.requests - one.series.totals.row.requests);
  const shown = all.slice(0, limit).map(({ key, series }) => series.present(by === undefined ? null : key, false));
  if (all.length > limit) {
    const rest = new UsageSeries(range);
    for (const { ofKey } of all.slice(limit)) for (const row of ofKey) rest.add(row);
    shown.push(rest.present(null, true));
  }
  return shown;
}
