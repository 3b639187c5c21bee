import type { Reads } from "../../platform/storage/storage.ts";
import { firstAndLast, hasSuccessOn, pieces, timesAtOnce } from "./series-store.ts";
import { alignDown, keptSince, steps } from "./steps.ts";
import { hasValidVerification } from "./verification-series-store.ts";

const namesPerQuery = 500;

/** The first and the last stored day with a successful response, by consumer. */
export async function successesOf(
  reads: Reads,
  accountSeq: number,
  consumers: string[],
): Promise<Map<string, { first: number; last: number }>> {
  const found = new Map<string, { first: number; last: number }>();
  for (let at = 0; at < consumers.length; at += namesPerQuery)
    for (const { consumer, first, last } of await firstAndLast(
      reads,
      accountSeq,
      consumers.slice(at, at + namesPerQuery),
    ))
      found.set(consumer, { first: Number(first), last: Number(last) });
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
  const step = steps["1d"].milliseconds;
  const days: number[] = [];
  for (let day = alignDown(now, step); day >= keptSince("1d", now); day -= step) days.push(day);
  for (const some of pieces(days, timesAtOnce)) if (await hasSuccessOn(reads, accountSeq, some)) return true;
  for (const seq of keyBucketSeqs) if (await hasValidVerification(reads, seq)) return true;
  return false;
}
