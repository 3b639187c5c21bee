import { type Figure, median, medianSample, type Sample } from "./sample.ts";

/** The result of one benchmark for one target. */
export interface Row extends RowWords {
  readonly target: Target;
  /** Undefined if it could not be measured; `note` is the reason. A row with a target then counts as a miss. */
  readonly reached?: number;
  /** The single rounds whose median is `reached`. */
  readonly rounds: readonly number[];
  /**
   * The compared figure, and the medians of both sides if servers were loaded. They are not comparable across machines.
   */
  readonly figure?: Figure;
  readonly ours?: Sample;
  readonly theirs?: Sample;
  /** For a point of a curve: the cost of the work with this number of consumers. */
  readonly growth?: { readonly work: string; readonly consumers: number };
}

export interface RowWords {
  readonly what: string;
  readonly against: string;
  /** The other side is Tollgate too: with less work, or with less data. */
  readonly againstOurselves?: boolean;
  /** One sentence that explains the comparison to new readers. */
  readonly explanation: string;
  /** A remark about the figures of this run. */
  readonly note?: string;
}

type Unit = "×" | "ms" | "MB" | "B" | "/s" | "";

/** "none": there is no target; the figure helps to read the others. */
export type Target =
  | { readonly comparison: ">=" | "<=" | "<"; readonly value: number; readonly unit: Unit }
  | { readonly comparison: "none"; readonly unit: Unit };

export const forInformation: Target = { comparison: "none", unit: "×" };

export function atLeast(value: number): Target {
  return { comparison: ">=", value, unit: "×" };
}

export function atMost(value: number): Target {
  return { comparison: "<=", value, unit: "×" };
}

/** The median of the ratios of turns that belong together, and the medians of both sides. */
export function comparisonRow(
  words: RowWords,
  target: Target,
  ours: readonly Sample[],
  theirs: readonly Sample[],
  figure: Figure = "perSecond",
): Row {
  const rounds = ours.map((sample, round) => sample[figure] / theirs[round]![figure]);
  const reached = median(rounds);
  return { ...words, target, reached, rounds, figure, ours: medianSample(ours), theirs: medianSample(theirs) };
}

/** What rows without a rival are compared with. */
export const limit = "limit";

/** A row without a rival: figures of its own. */
export function limitRow(words: RowWords, target: Target, rounds: readonly number[]): Row {
  return { ...words, target, reached: median(rounds), rounds };
}

export function notMeasuredRow(words: RowWords, target: Target, why: string): Row {
  return { ...words, target, rounds: [], note: why };
}

export function isMet({ target, reached }: Row): boolean {
  if (target.comparison === "none") return true;
  if (reached === undefined) return false;
  switch (target.comparison) {
    case ">=":
      return reached >= target.value;
    case "<=":
      return reached <= target.value;
    case "<":
      return reached < target.value;
  }
}
