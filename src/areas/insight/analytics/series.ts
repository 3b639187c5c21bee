import { Slice, yieldToEventLoop } from "../../../lib/tasks/slices.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { other, type RowKey } from "./counted-table.ts";
import type { TimeSteps } from "./range.ts";
import { steps } from "./steps.ts";

/** Rows of a table: all that a condition selects. */
export interface Selection {
  table: string;
  /** The columns to read of each row, without those of its group. */
  columns: string;
  where: string;
  parameters: readonly (number | string)[];
}

/** Selects rows by columns that are equal to values. Those that are undefined are left out. */
export function selectionOf(
  table: { name: string; countColumns: string },
  owners: { where: string; parameters: readonly (number | string)[] },
  equal: Readonly<Record<string, number | string | undefined>>,
): Selection {
  const given = Object.entries(equal).filter((each): each is [string, number | string] => each[1] !== undefined);
  return {
    table: table.name,
    columns: `time, ${table.countColumns}`,
    where: [owners.where, ...given.map(([column]) => `${column} = ?`)].join(" AND "),
    parameters: [...owners.parameters, ...given.map(([, value]) => value)],
  };
}

/** A row as it was read. */
export type SeriesRow = RowKey & { time: number };

/** How rows of a kind add up to a point. */
export interface PointKind<Point, Shown> {
  create(): Point;
  add(point: Point, row: SeriesRow): void;
  /** Adds the other point. With -1 it subtracts it; it must have been added before. */
  merge(point: Point, from: Point, sign?: 1 | -1): void;
  show(point: Point): Shown;
  /** By which series are ranked: the sum of `ranked` of the rows. */
  sizeOf(point: Point): number;
  /** The column that is summed to rank series. */
  ranked: string;
}

export interface SeriesRead<Point, Shown> {
  kind: PointKind<Point, Shown>;
  range: TimeSteps;
  /** The number of series in addition to that of all others. */
  limit: number;
  /** The columns by which rows are grouped. Undefined for one series. */
  by: readonly string[] | undefined;
  /** Rows that have the columns of the groups. */
  fine: Selection;
  /** The coarsest rows with the same sums. */
  total: Selection;
  /** Whether requests without a value have no fine rows: they are the total without the others. */
  isSparse?: boolean;
  keyOf?: (row: RowKey) => string | null;
}

export interface Series<Shown> {
  /** The group of the series. Null for all, or for those without a value. */
  key: string | null;
  isOther: boolean;
  totals: Shown;
  /** One value for each step of the range. */
  points: Shown[];
}

/**
 * Returns the series of a query, the largest first and that of all others last. The series add up to the total: others
 * are the difference between the total and the listed series.
 */
export async function readSeries<Point, Shown>(
  reads: Reads,
  query: SeriesRead<Point, Shown>,
): Promise<Series<Shown>[]> {
  const { kind, range, limit, by, fine, isSparse = false, keyOf = () => null } = query;
  const total = new SeriesBuilder(null, range, kind);
  const builders = new Map<string | null, SeriesBuilder<Point, Shown>>();
  let named: { column: string; values: (number | string)[] } | undefined;
  if (by) {
    const ranked = await rank(reads, fine, by, query);
    if (isSparse) {
      const sum = (groups: { size: number }[]) => groups.reduce((all, { size }) => all + size, 0);
      const size = sum(await rank(reads, query.total, ["detail"], query)) - sum(ranked);
      if (size > 0) ranked.push({ row: Object.fromEntries(by.map((column) => [column, ""])), size });
    }
    const compared = ({ row }: { row: RowKey }) => keyOf(row) ?? "";
    ranked.sort((one, another) => another.size - one.size || (compared(one) < compared(another) ? -1 : 1));
    const chosen = ranked.slice(0, limit).map(({ row }) => row);
    for (const row of chosen) builders.set(keyOf(row), new SeriesBuilder(keyOf(row), range, kind));
    const [column, another] = by;
    const values = chosen.map((row) => row[column!]!);
    if (column && !another && typeof values[0] === "string") named = { column, values };
  }
  // Those without a value have no rows of their own.
  const without = isSparse ? builders.get(null) : undefined;
  const withValue = new SeriesBuilder(null, range, kind);
  const slice = new Slice();
  // In parts, because the histograms of all points together would take 100 MB.
  for (let from = 0; from < range.times.length; from += timesAtOnce) {
    const times = range.times.slice(from, from + timesAtOnce);
    for (const each of [...builders.values(), withValue, total]) each.begin(times);
    const addPart = (row: SeriesRow) => {
      builders.get(keyOf(row))?.add(row);
      if (without) withValue.add(row);
    };
    if (builders.size > 0) await visitRows(reads, fine, query, times, addPart, by, without ? undefined : named);
    // Read last, so that the total is never smaller than the parts that are subtracted from it.
    await visitRows(reads, query.total, query, times, (row) => total.add(row));
    without?.addDifference(total, withValue);
    for (const each of builders.values()) {
      total.subtract(each);
      each.end();
      if (slice.isOver) await slice.next();
    }
    total.end();
  }
  if (!by) return [total.done()];
  const shown = [...builders.values()].map((each) => each.done());
  return total.size > 0 ? [...shown, total.done(true)] : shown;
}

/**
 * The number of times in one statement, which limits how long other queries wait. Constant, so that the statement is
 * prepared once. Times are listed one by one, because each is a separate range of the primary key.
 */
export const timesAtOnce = 32;
/** The number of names in one statement. Constant, so that the statement is prepared once. */
const namesAtOnce = 16;

/** Splits into lists of equal size. The last one is padded with its last value, which matches nothing twice. */
export function* pieces<Value>(values: readonly Value[], size: number): Generator<Value[]> {
  for (let from = 0; from < values.length; from += size) {
    const piece = values.slice(from, from + size);
    while (piece.length < size) piece.push(piece.at(-1)!);
    yield piece;
  }
}

const places = (values: readonly unknown[]) => values.map(() => "?").join(", ");

/** Visits rows in no particular order. With `names`, only those with these values. */
async function visitRows(
  reads: Reads,
  { table, columns, where, parameters }: Selection,
  { range }: { range: TimeSteps },
  someTimes: readonly number[],
  visit: (row: SeriesRow) => void,
  by: readonly string[] = [],
  names?: { column: string; values: (number | string)[] },
): Promise<void> {
  const step = steps[range.step].milliseconds;
  for (const some of names ? pieces(names.values, namesAtOnce) : [[]])
    for (const times of pieces(someTimes, timesAtOnce)) {
      const condition = some.length === 0 ? "" : ` AND ${names!.column} IN (${places(some)})`;
      const sql = `SELECT ${[...by, columns].join(", ")} FROM ${table}
        WHERE step = ? AND time IN (${places(times)}) AND ${where}${condition}`;
      for (const row of await reads.all<SeriesRow>(sql, [step, ...times, ...parameters, ...some])) visit(row);
      await yieldToEventLoop();
    }
}

/** Returns the size of each group, without those of rows that are not distinguished. */
async function rank(
  reads: Reads,
  { table, where, parameters }: Selection,
  by: readonly string[],
  { range, kind }: { range: TimeSteps; kind: { ranked: string } },
): Promise<{ row: RowKey; size: number }[]> {
  const groups = new Map<string, { row: RowKey; size: number }>();
  const columns = by.join(", ");
  for (const times of pieces(range.times, timesAtOnce)) {
    const sql = `SELECT ${columns}, CAST(SUM(${kind.ranked}) AS bigint) AS size FROM ${table}
      WHERE step = ? AND time IN (${places(times)}) AND ${where} GROUP BY ${columns}`;
    const found = await reads.all<RowKey & { size: number }>(sql, [
      steps[range.step].milliseconds,
      ...times,
      ...parameters,
    ]);
    for (const { size, ...row } of found) {
      const key = Object.values(row).join("\0");
      if (Object.values(row).includes(other)) continue;
      const group = groups.get(key) ?? { row, size: 0 };
      group.size += size;
      groups.set(key, group);
    }
    await yieldToEventLoop();
  }
  return [...groups.values()];
}

/** Builds one series in batches of points. */
class SeriesBuilder<Point, Shown> {
  readonly #points: Shown[] = [];
  readonly #totals: Point;
  readonly #milliseconds: number;
  #from = 0;
  #current: Point[] = [];

  constructor(
    private readonly key: string | null,
    { step }: TimeSteps,
    private readonly kind: PointKind<Point, Shown>,
  ) {
    this.#milliseconds = steps[step].milliseconds;
    this.#totals = kind.create();
  }

  get size(): number {
    return this.kind.sizeOf(this.#totals);
  }

  /** Begins the next batch of points. */
  begin(times: readonly number[]): void {
    this.#from = times[0]!;
    this.#current = times.map(() => this.kind.create());
  }

  add(row: SeriesRow): void {
    this.kind.add(this.#current[(row.time - this.#from) / this.#milliseconds]!, row);
  }

  subtract(part: SeriesBuilder<Point, Shown>): void {
    for (const [index, point] of part.#current.entries()) this.kind.merge(this.#current[index]!, point, -1);
  }

  /** Adds what the first has more than the second. It cannot have less, unless its consumer became one of the others. */
  addDifference(whole: SeriesBuilder<Point, Shown>, part: SeriesBuilder<Point, Shown>): void {
    for (const [index, point] of whole.#current.entries()) {
      const taken = part.#current[index]!;
      if (this.kind.sizeOf(point) < this.kind.sizeOf(taken)) continue;
      this.kind.merge(this.#current[index]!, point);
      this.kind.merge(this.#current[index]!, taken, -1);
    }
  }

  end(): void {
    for (const point of this.#current) {
      this.kind.merge(this.#totals, point);
      this.#points.push(this.kind.show(point));
    }
    this.#current = [];
  }

  done(isOther = false): Series<Shown> {
    return { key: this.key, isOther, totals: this.kind.show(this.#totals), points: this.#points };
  }
}

/** The names of an account's deployments or buckets, by `seq`. */
export async function namesOf(
  reads: Reads,
  table: "deployments" | "key_buckets",
  accountSeq: number,
): Promise<Map<number, string>> {
  const sql = `SELECT seq, name FROM ${table} WHERE account_seq = ?`;
  const rows = await reads.all<{ seq: number; name: string }>(sql, [accountSeq]);
  return new Map(rows.map(({ seq, name }) => [seq, name]));
}
