import type { Reads } from "../../platform/storage/storage.ts";
import type { TimeSteps } from "./range.ts";
import { steps } from "./steps.ts";
import { none } from "./traffic.ts";
import {
  bucketNames,
  rankVerifications,
  type VerificationDimension,
  type VerificationSelection,
  type VerificationSeriesRow,
  visitSums,
} from "./verification-series-store.ts";
import { detail } from "./verification-store.ts";

interface VerificationSeriesQuery {
  accountSeq: number;
  range: TimeSteps;
  by: VerificationDimension | undefined;
  /** The number of series in addition to that of all others. */
  limit: number;
  bucketSeq: number | undefined;
  consumer: string | undefined;
  result: string | undefined;
}

interface VerificationCounts {
  verifications: number;
  rejected: number;
  observed: number;
}

interface VerificationSeries {
  /** The group of the series. Null for all verifications, or for values that are no key. */
  key: string | null;
  isOther: boolean;
  totals: VerificationCounts;
  /** One value for each step of the range. */
  points: VerificationCounts[];
}

/**
 * Returns the series of a query, the largest first and that of all others last. Others are the difference between the
 * total and the listed series.
 */
export async function readVerifications(reads: Reads, query: VerificationSeriesQuery): Promise<VerificationSeries[]> {
  const { by, limit, range } = query;
  const selection = selectionOf(query);
  const total = new Points(range);
  if (by === undefined) {
    await visitSums(reads, selection, (row) => total.add(row));
    return [total.series(null)];
  }
  const ranked = [...(await rankVerifications(reads, selection, by))];
  ranked.sort(([one, ofOne], [another, ofAnother]) => ofAnother - ofOne || (one < another ? -1 : 1));
  const chosen = ranked.slice(0, limit).map(([value]) => value);
  const listed = new Map(chosen.map((value) => [value, new Points(range)]));
  if (chosen.length > 0)
    await visitSums(reads, selection, (row) => listed.get(row.dimension!)?.add(row), { dimension: by, values: chosen });
  // Read last, so that the total is never smaller than the parts that are subtracted from it.
  await visitSums(reads, selection, (row) => total.add(row));
  for (const points of listed.values()) total.subtract(points);
  const names = by === "bucket" ? await bucketNames(reads, chosen as number[]) : undefined;
  const keyOf = (value: number | string) => (names ? (names.get(value as number) ?? null) : String(value));
  const series = [...listed].map(([value, points]) => points.series(value === none ? null : keyOf(value)));
  const rest = total.series(null, true);
  return rest.totals.verifications > 0 ? [...series, rest] : series;
}

function selectionOf({ accountSeq, range, by, bucketSeq, consumer, result }: VerificationSeriesQuery) {
  const isByConsumer = by === "consumer" || consumer !== undefined;
  const selection: VerificationSelection = {
    accountSeq,
    step: steps[range.step].milliseconds,
    times: range.times,
    detail: isByConsumer ? detail.consumers : detail.totals,
    bucketSeq,
    consumer,
    result,
  };
  return selection;
}

class Points {
  readonly #from: number;
  readonly #milliseconds: number;
  readonly #points: VerificationCounts[];

  constructor({ from, step, times }: TimeSteps) {
    this.#from = from;
    this.#milliseconds = steps[step].milliseconds;
    this.#points = times.map(() => ({ verifications: 0, rejected: 0, observed: 0 }));
  }

  add({ time, ...counts }: VerificationSeriesRow): void {
    addTo(this.#points[(time - this.#from) / this.#milliseconds]!, counts, 1);
  }

  subtract(part: Points): void {
    for (const [index, point] of part.#points.entries()) addTo(this.#points[index]!, point, -1);
  }

  series(key: string | null, isOther = false): VerificationSeries {
    const totals = { verifications: 0, rejected: 0, observed: 0 };
    for (const point of this.#points) addTo(totals, point, 1);
    return { key, isOther, totals, points: this.#points };
  }
}

function addTo(counts: VerificationCounts, { verifications, rejected, observed }: VerificationCounts, sign: 1 | -1) {
  counts.verifications += sign * verifications;
  counts.rejected += sign * rejected;
  counts.observed += sign * observed;
}
