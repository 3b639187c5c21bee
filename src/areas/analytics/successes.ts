import type { Reads } from "../../platform/storage/storage.ts";
import { firstAndLast } from "./series-store.ts";

const namesPerQuery = 500;

/** The first and the last day with a successful response, by consumer, as far as counts are stored. */
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
