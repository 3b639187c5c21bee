import { yieldToEventLoop } from "../../lib/tasks/slices.ts";
import type { Reads } from "../../platform/storage/storage.ts";
import { pieces, timesAtOnce } from "./series-store.ts";
import { steps } from "./steps.ts";
import { other } from "./traffic.ts";
import { type Detail, detail } from "./verification-store.ts";

/** Selects the rows of a series. */
export interface VerificationSelection {
  accountSeq: number;
  /** The step in milliseconds. */
  step: number;
  times: number[];
  detail: Detail;
  /** The key bucket of the series. Undefined for all buckets of the account. */
  bucketSeq: number | undefined;
  consumer: string | undefined;
  result: string | undefined;
}

export type VerificationDimension = "bucket" | "consumer" | "result";

const columns = { bucket: "bucket_seq", consumer: "consumer", result: "result" } as const;

export interface VerificationSeriesRow {
  /** The group: the `seq` of a bucket, a consumer or a result. Undefined without a dimension. */
  dimension?: number | string;
  time: number;
  verifications: number;
  rejected: number;
  observed: number;
}

const sums = `CAST(SUM(amount) AS bigint) AS verifications,
  CAST(SUM(CASE WHEN result = 'valid' THEN 0 ELSE amount END) AS bigint) AS rejected,
  CAST(SUM(observed) AS bigint) AS observed`;

/** Visits the sums by time and dimension. With `values`, only these values of the dimension. */
export async function visitSums(
  reads: Reads,
  selection: VerificationSelection,
  visit: (row: VerificationSeriesRow) => void,
  by?: { dimension: VerificationDimension; values: (number | string)[] },
): Promise<void> {
  const column = by && columns[by.dimension];
  for (const times of pieces(selection.times, timesAtOnce)) {
    const { where, parameters } = conditions(selection, times);
    const condition = by ? ` AND ${column} IN (${by.values.map(() => "?").join(", ")})` : "";
    const group = by ? `${column}, time` : "time";
    const sql = `SELECT ${by ? `${column} AS dimension, ` : ""}time, ${sums} FROM verifications
      WHERE ${where}${condition} GROUP BY ${group}`;
    for (const row of await reads.all<VerificationSeriesRow>(sql, [...parameters, ...(by?.values ?? [])])) visit(row);
    await yieldToEventLoop();
  }
}

/** Returns the number of verifications of each value of a dimension. */
export async function rankVerifications(
  reads: Reads,
  selection: VerificationSelection,
  dimension: VerificationDimension,
): Promise<Map<number | string, number>> {
  const ranked = new Map<number | string, number>();
  const column = columns[dimension];
  for (const times of pieces(selection.times, timesAtOnce)) {
    const { where, parameters } = conditions(selection, times);
    const sql = `SELECT ${column} AS dimension, CAST(SUM(amount) AS bigint) AS verifications FROM verifications
      WHERE ${where} GROUP BY ${column}`;
    for (const row of await reads.all<Required<VerificationSeriesRow>>(sql, parameters))
      if (row.dimension !== other) ranked.set(row.dimension, (ranked.get(row.dimension) ?? 0) + row.verifications);
    await yieldToEventLoop();
  }
  return ranked;
}

/** Buckets are conditions of every query: deleted ones belong to no account. */
function conditions(selection: VerificationSelection, times: number[]) {
  const { accountSeq, step, detail, bucketSeq, consumer, result } = selection;
  const places = times.map(() => "?").join(", ");
  let where = `bucket_seq IN (SELECT seq FROM key_buckets WHERE account_seq = ?) AND step = ? AND detail = ?
    AND time IN (${places})`;
  const parameters: (number | string)[] = [accountSeq, step, detail, ...times];
  const add = (condition: string, value: number | string | undefined) => {
    if (value === undefined) return;
    where += ` AND ${condition}`;
    parameters.push(value);
  };
  add("bucket_seq = ?", bucketSeq);
  add("consumer = ?", consumer);
  add("result = ?", result);
  return { where, parameters };
}

export async function bucketNames(reads: Reads, seqs: number[]): Promise<Map<number, string>> {
  if (seqs.length === 0) return new Map();
  const rows = await reads.query.selectFrom("key_buckets").select(["seq", "name"]).where("seq", "in", seqs).execute();
  return new Map(rows.map(({ seq, name }) => [seq, name]));
}

/** Whether a key of the bucket was verified as valid on one of the stored days. */
export async function hasValidVerification(reads: Reads, bucketSeq: number): Promise<boolean> {
  const query = `SELECT 1 AS found FROM verifications
    WHERE bucket_seq = ? AND step = ? AND detail = ? AND result = 'valid' LIMIT 1`;
  return (await reads.one(query, [bucketSeq, steps["1d"].milliseconds, detail.totals])) !== undefined;
}
