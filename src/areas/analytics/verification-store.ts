import { removedAccountSeq } from "../../core/database/removed-account.ts";
import { runsOf } from "../../platform/storage/runs.ts";
import type { Reads, WriteTransaction } from "../../platform/storage/storage.ts";

/** Verifications are stored twice, so that a query without consumers reads few rows. */
export const detail = {
  /** By result. */
  totals: 0,
  /** By consumer and result. */
  consumers: 1,
} as const;

export type Detail = (typeof detail)[keyof typeof detail];

export interface VerificationPlace {
  bucketSeq: number;
  /** The step in milliseconds. */
  step: number;
  detail: Detail;
  time: number;
}

export interface VerificationRow {
  consumer: string;
  result: string;
  count: number;
  observed: number;
}

const inPlace = "bucket_seq = ? AND step = ? AND detail = ? AND time = ?";

const placeParameters = ({ bucketSeq, step, detail, time }: VerificationPlace) => [bucketSeq, step, detail, time];

export async function countRows(reads: Reads, place: VerificationPlace): Promise<number> {
  const sql = `SELECT COUNT(*) AS rows FROM verifications WHERE ${inPlace}`;
  return (await reads.one<{ rows: number }>(sql, placeParameters(place)))!.rows;
}

const findSome = (rows: number) => `SELECT consumer, result FROM verifications WHERE ${inPlace}
  AND (consumer, result) IN (VALUES ${Array(rows).fill("(?, ?)").join(", ")})`;

/** Returns which of the rows exist. */
export async function findRows(
  reads: Reads,
  place: VerificationPlace,
  rows: VerificationRow[],
): Promise<Pick<VerificationRow, "consumer" | "result">[]> {
  const found: Pick<VerificationRow, "consumer" | "result">[] = [];
  for (const run of runsOf(rows)) {
    const keys = run.flatMap(({ consumer, result }) => [consumer, result]);
    found.push(...(await reads.all<VerificationRow>(findSome(run.length), [...placeParameters(place), ...keys])));
  }
  return found;
}

const addSome = (
  rows: number,
) => `INSERT INTO verifications (bucket_seq, step, detail, time, consumer, result, amount, observed)
  VALUES ${Array(rows).fill("(?, ?, ?, ?, ?, ?, ?, ?)").join(", ")}
  ON CONFLICT (bucket_seq, step, detail, time, consumer, result)
    DO UPDATE SET amount = verifications.amount + excluded.amount, observed = verifications.observed + excluded.observed`;

/** Adds to stored rows, or creates them. */
export async function addRows(
  transaction: WriteTransaction,
  place: VerificationPlace,
  rows: VerificationRow[],
): Promise<void> {
  for (const run of runsOf(rows)) {
    const values = run.flatMap(({ consumer, result, count, observed }) => [
      ...placeParameters(place),
      consumer,
      result,
      count,
      observed,
    ]);
    await transaction.run(addSome(run.length), values);
  }
}

/** Returns those of the buckets that are not deleted. */
export async function existingBuckets(reads: Reads, seqs: number[]): Promise<Set<number>> {
  const rows = await reads.query
    .selectFrom("key_buckets")
    .select("seq")
    .where("seq", "in", seqs)
    .where("account_seq", "<>", removedAccountSeq)
    .execute();
  return new Set(rows.map(({ seq }) => seq));
}

/** Returns the next bucket with rows, in the order of `seq`. One look-up in the primary key. */
export async function bucketAfter(reads: Reads, seq: number): Promise<number | undefined> {
  const sql = "SELECT bucket_seq FROM verifications WHERE bucket_seq > ? ORDER BY bucket_seq LIMIT 1";
  return (await reads.one<{ bucket_seq: number }>(sql, [seq]))?.bucket_seq;
}

const primaryKey = "bucket_seq, step, detail, time, consumer, result";

const removeWhere = (condition: string) => `DELETE FROM verifications WHERE (${primaryKey}) IN (
    SELECT ${primaryKey} FROM verifications WHERE ${condition} ORDER BY ${primaryKey} LIMIT ?
  ) RETURNING step`;

const beforePlace = "bucket_seq = ? AND step = ? AND detail = ? AND time < ?";

export async function hasBefore(reads: Reads, place: VerificationPlace): Promise<boolean> {
  const sql = `SELECT step FROM verifications WHERE ${beforePlace} LIMIT 1`;
  return (await reads.one(sql, placeParameters(place))) !== undefined;
}

/** Removes at most the given number of rows of a bucket and step from before a time. Returns how many it removed. */
export async function removeBefore(
  transaction: WriteTransaction,
  place: VerificationPlace,
  rows: number,
): Promise<number> {
  return (await transaction.all(removeWhere(beforePlace), [...placeParameters(place), rows])).length;
}

/** Removes at most the given number of rows of a bucket. Returns how many it removed. */
export async function removeOfBucket(transaction: WriteTransaction, bucketSeq: number, rows: number): Promise<number> {
  return (await transaction.all(removeWhere("bucket_seq = ?"), [bucketSeq, rows])).length;
}
