import { decimalOf } from "../../lib/amount.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import type { Reads } from "../../platform/storage/storage.ts";
import { addUsage, emptyRow, type ModelUsageRow } from "./model-usage-counter.ts";
import { readModelUsage, topModelConsumers } from "./model-usage-store.ts";
import type { TimeSteps } from "./range.ts";
import { steps } from "./steps.ts";
import { none } from "./traffic.ts";

interface ModelSeriesQuery {
  accountSeq: number;
  range: TimeSteps;
  by: "model" | "provider" | "deployment" | "consumer" | undefined;
  /** The number of series in addition to that of all others. */
  limit: number;
  model: string | undefined;
  provider: string | undefined;
  consumer: string | undefined;
}

const noKey = { deploymentSeq: 0, consumerId: "", consumer: "", model: "", provider: "", currency: "" };

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
    const { requests, errors, estimated, input, cached, cacheWrite, output } = this.row;
    const { cost, charge, firstBytes, firstByteMs } = this.row;
    const isSummed = this.#currencies.size <= 1;
    const money = (amount: number) => (isSummed ? decimalOf(BigInt(amount)) : null);
    return {
      requests,
      errors,
      estimated,
      input,
      cached,
      cacheWrite,
      output,
      currency: isSummed ? ([...this.#currencies][0] ?? null) : null,
      cost: money(cost),
      charge: money(charge),
      margin: money(charge - cost),
      firstByteMs: firstBytes === 0 ? null : Math.round(firstByteMs / firstBytes),
    };
  }
}

/** Returns the series of a query, those with the most requests first and that of all others last. */
export async function readModelSeries(reads: Reads, { range, by, limit, ...query }: ModelSeriesQuery) {
  const { from, to } = range;
  const selection = { ...query, step: steps[range.step].milliseconds, from, to };
  const consumers = by === "consumer" ? await topModelConsumers(reads, selection, limit) : [];
  const rows = await readModelUsage(reads, selection, by, consumers);
  const keyed = Map.groupBy(rows, ({ key }) => key);
  if (by === undefined && keyed.size === 0) keyed.set(null, []);
  const rest = by === "consumer" ? (keyed.get(null) ?? []) : [];
  if (by === "consumer") keyed.delete(null);
  const all = [...keyed].map(([key, ofKey]) => {
    const series = new UsageSeries(range);
    for (const row of ofKey) series.add(row);
    return { key, ofKey, series };
  });
  all.sort((one, other) => other.series.totals.row.requests - one.series.totals.row.requests);
  // Requests without a consumer are a series too.
  const shown = all.slice(0, limit).map(({ key, series }) => series.present(key === none ? null : key, false));
  rest.push(...all.slice(limit).flatMap(({ ofKey }) => ofKey));
  if (rest.length > 0) {
    const others = new UsageSeries(range);
    for (const row of rest) others.add(row);
    shown.push(others.present(null, true));
  }
  return shown;
}
