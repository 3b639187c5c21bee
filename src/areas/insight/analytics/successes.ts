import type { Reads } from "../../../platform/storage/storage.ts";
import { pieces, timesAtOnce } from "./series.ts";
import { alignDown, keptSince, steps } from "./steps.ts";
import { detail } from "./traffic.ts";
import { detail as verificationDetail } from "./verification-writer.ts";

const namesPerQuery = 500;
const day = steps["1d"].milliseconds;
const places = (values: readonly unknown[]) => values.map(() => "?").join(", ");

/** The first and the last stored day with a successful response, by consumer. */
export async function successesOf(
  reads: Reads,
  accountSeq: number,
  consumers: string[],
): Promise<Map<string, { first: number; last: number }>> {
  const found = new Map<string, { first: number; last: number }>();
  for (let at = 0; at < consumers.length; at += namesPerQuery) {
    const some = consumers.slice(at, at + namesPerQuery);
    for (const { consumer, first, last } of await reads.all<{ consumer: string; first: number; last: number }>(
      `SELECT consumer, MIN(time) AS first, MAX(time) AS last FROM traffic
       WHERE account_seq = ? AND step = ? AND detail = ? AND status < 400 AND consumer <> ''
         AND consumer IN (${places(some)}) GROUP BY consumer`,
      [accountSeq, day, detail.consumers, ...some],
    ))
      found.set(consumer, { first: Number(first), last: Number(last) });
  }
  return found;
}

/**
 * Whether a request succeeded or a key was verified as valid, as far as counts are stored. Unknown paths and rejected
 * keys do not count. The latest days are read first, so that it is quick for an account that is in use.
 */
export async function hasEverSucceeded(
  reads: Reads,
  accountSeq: number,
  keyBucketSeqs: number[],
  now: number,
): Promise<boolean> {
  const days: number[] = [];
  for (let time = alignDown(now, day); time >= keptSince("1d", now); time -= day) days.push(time);
  for (const some of pieces(days, timesAtOnce)) {
    // Rows of deleted deployments are about to be removed.
    const success = `SELECT 1 AS found FROM traffic WHERE step = ? AND time IN (${places(some)}) AND detail = ?
      AND account_seq = ? AND deployment_seq IN (SELECT seq FROM deployments WHERE account_seq = ?)
      AND status >= 200 AND status < 400 LIMIT 1`;
    if (await reads.one(success, [day, ...some, detail.totals, accountSeq, accountSeq])) return true;
  }
  const valid = `SELECT 1 AS found FROM verifications
    WHERE bucket_seq = ? AND step = ? AND detail = ? AND result = 'valid' LIMIT 1`;
  for (const seq of keyBucketSeqs) if (await reads.one(valid, [seq, day, verificationDetail.totals])) return true;
  return false;
}
