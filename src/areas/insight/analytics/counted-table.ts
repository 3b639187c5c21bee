import type { LatencyHistogram } from "../../../lib/latency-histogram.ts";
import { runsOf } from "../../../platform/storage/runs.ts";
import type { Reads, Statement, WriteTransaction } from "../../../platform/storage/storage.ts";

/** No route matched, no consumer is known, or no key, client or tool was used. */
export const none = "";

/**
 * Replaces routes, consumers, keys or clients that are too many to be distinguished. Only a client can have this name; it
 * is counted as one of the others.
 */
export const other = "*";

/** Columns by name: those of a primary key, or some of them. */
export type RowKey = Readonly<Record<string, number | string>>;

/** Where rows are: what they belong to, the step and its time. */
export interface Place extends RowKey {
  /** The step in milliseconds. */
  step: number;
  time: number;
}

export interface CountedRow<Counts> {
  place: Place;
  /** The rest of the primary key. */
  key: RowKey;
  counts: Counts;
}

type SumsOf<Counts> = { [Name in keyof Counts]: Counts[Name] extends number ? Name : never }[keyof Counts] & string;

interface Declared<Counts> {
  name: string;
  /** The primary key, in its order: among its columns are `step` and `time`. */
  key: readonly string[];
  /** The columns of the sums. */
  sums: Readonly<Record<SumsOf<Counts>, string>>;
  create(): Counts;
}

/** The histogram of counts that have one. */
function latencyOf(counts: { readonly latency?: LatencyHistogram }): LatencyHistogram | undefined {
  return counts.latency;
}

/** A table of counts by minute, hour and day. Sums and histograms of rows can be added, and subtracted again. */
export class CountedTable<Counts extends object> {
  readonly name: string;
  readonly #key: readonly string[];
  readonly #sums: [name: string, column: string][];
  readonly #columns: string[];
  /** The columns of counts, as a query selects them. */
  readonly countColumns: string;
  readonly create: () => Counts;

  constructor({ name, key, sums, create }: Declared<Counts>) {
    this.name = name;
    this.create = create;
    this.#key = key;
    this.#sums = Object.entries<string>(sums);
    this.#columns = this.#sums.map(([, column]) => column);
    if (latencyOf(create())) this.#columns.push("latency");
    this.countColumns = this.#columns.join(", ");
  }

  /** Adds counts to others. With -1 it subtracts them; they must have been added before. */
  merge(to: Counts, from: Counts, sign: 1 | -1 = 1): void {
    const [sums, added] = [to, from] as unknown as Record<string, number>[];
    for (const [name] of this.#sums) sums![name]! += sign * added![name]!;
    const latency = latencyOf(from);
    if (latency) latencyOf(to)!.merge(latency, sign);
  }

  /** Adds a stored row. */
  addRow(to: Counts, row: object): void {
    const [sums, columns] = [to, row] as unknown as Record<string, number>[];
    for (const [name, column] of this.#sums) sums![name]! += Number(columns![column]);
    latencyOf(to)?.mergeEncoded((row as { latency: Uint8Array }).latency);
  }

  /** Returns the stored rows among these, by `textOf`. */
  async readRows(reads: Reads, rows: CountedRow<Counts>[]): Promise<Map<string, Counts>> {
    const known = new Map<string, Counts>();
    // Both engines look each of the rows up by the primary key. PostgreSQL joins VALUES by a scan of the table if it has
    // no statistics.
    const isRow = `(${this.#key.map((column) => `${column} = ?`).join(" AND ")})`;
    for (const run of runsOf(rows)) {
      const sql = `SELECT * FROM ${this.name} WHERE ${Array(run.length).fill(isRow).join(" OR ")}`;
      for (const row of await reads.all<RowKey>(
        sql,
        run.flatMap((each) => this.#keyOf(each)),
      )) {
        const counts = this.create();
        this.addRow(counts, row);
        known.set(this.#key.map((column) => row[column]).join("\0"), counts);
      }
    }
    return known;
  }

  /** Distinguishes the rows of the table. */
  textOf(row: CountedRow<Counts>): string {
    return this.#keyOf(row).join("\0");
  }

  async countRows(reads: Reads, place: Place): Promise<number> {
    const conditions = Object.keys(place).map((column) => `${column} = ?`);
    const sql = `SELECT COUNT(*) AS rows FROM ${this.name} WHERE ${conditions.join(" AND ")}`;
    return (await reads.one<{ rows: number }>(sql, Object.values(place)))!.rows;
  }

  /** Whether the database can add to stored rows: it cannot add histograms. */
  get isSum(): boolean {
    return this.#columns.length === this.#sums.length;
  }

  /**
   * Replaces stored rows, if the caller has merged the stored ones into these and has locked them; or adds to them, of a
   * table that `isSum`.
   */
  async writeRows(
    transaction: WriteTransaction,
    rows: CountedRow<Counts>[],
    how: "replace" | "add" = "replace",
  ): Promise<void> {
    const columns = [...this.#key, ...this.#columns];
    const values = `(${columns.map(() => "?").join(", ")})`;
    const stored = (column: string) => (how === "add" ? `${this.name}.${column} + ` : "");
    const changes = this.#columns.map((column) => `${column} = ${stored(column)}excluded.${column}`).join(", ");
    const statements: Statement[] = Array.from(runsOf(rows), (run) => ({
      sql: `INSERT INTO ${this.name} (${columns.join(", ")}) VALUES ${Array(run.length).fill(values).join(", ")}
        ON CONFLICT (${this.#key.join(", ")}) DO UPDATE SET ${changes}`,
      parameters: run.flatMap((row) => [...this.#keyOf(row), ...this.#valuesOf(row.counts)]),
    }));
    // Few at a time, because a statement has at most 65,535 parameters.
    for (let from = 0; from < statements.length; from += 4) await transaction.runAll(statements.slice(from, from + 4));
  }

  /** Removes at most the given number of rows for which a condition is true. Returns how many it removed. */
  async remove(
    transaction: WriteTransaction,
    condition: string,
    parameters: readonly unknown[],
    rows: number,
  ): Promise<number> {
    const key = this.#key.join(", ");
    const sql = `DELETE FROM ${this.name} WHERE (${key}) IN (
        SELECT ${key} FROM ${this.name} WHERE ${condition} ORDER BY ${key} LIMIT ?
      ) RETURNING step`;
    return (await transaction.all(sql, [...parameters, rows])).length;
  }

  #keyOf({ place, key }: CountedRow<Counts>): unknown[] {
    return this.#key.map((column) => place[column] ?? key[column]);
  }

  #valuesOf(counts: Counts): unknown[] {
    const sums = counts as unknown as Record<string, number>;
    const values: unknown[] = this.#sums.map(([name]) => sums[name]);
    const latency = latencyOf(counts);
    if (latency) values.push(Buffer.from(latency.encode()));
    return values;
  }
}

/** Sums of counts by their key. */
export class SummedRows<Counts extends object> {
  readonly rows = new Map<string, { key: RowKey; counts: Counts; isOwn?: boolean }>();

  constructor(readonly table: CountedTable<Counts>) {}

  /** Counts are reused until something is added to them, because most are alone in their row. */
  add(key: RowKey, counts: Counts): void {
    const text = Object.values(key).join("\0");
    const row = this.rows.get(text);
    if (!row) this.rows.set(text, { key, counts });
    else if (row.isOwn) this.table.merge(row.counts, counts);
    else {
      const own = this.table.create();
      this.table.merge(own, row.counts);
      this.table.merge(own, counts);
      this.rows.set(text, { key, counts: own, isOwn: true });
    }
  }
}

/** Returns those of the deployments that exist. */
export async function existingDeployments(reads: Reads, seqs: number[]): Promise<Set<number>> {
  const rows = await reads.query.selectFrom("deployments").select("seq").where("seq", "in", seqs).execute();
  return new Set(rows.map(({ seq }) => seq));
}
