import type { Reads } from "../../platform/storage/storage.ts";
import { NewRows } from "./follower.ts";
import { type KeptRequest, type Omitted, requestOf } from "./requests.ts";
import { lastSeq, omittedBetween, type RequestFilter, requestsAfter, type Scope } from "./store.ts";

const mostRows = 1000;
const minuteMilliseconds = 60_000;

export interface NewRequests {
  requests: KeptRequest[];
  /** Since the last call, where any were. */
  omitted: Omitted | undefined;
}

/** The requests that match and are written from now on. */
export async function followRequests(
  reads: Reads,
  scope: Scope,
  filter: RequestFilter,
  now: () => number,
): Promise<() => Promise<NewRequests>> {
  const rows = await NewRows.from({
    last: () => lastSeq(reads),
    after: (seq) => requestsAfter(reads, scope, seq, mostRows, filter),
    most: mostRows,
  });
  const from = now() - (now() % minuteMilliseconds);
  const count = () => omittedBetween(reads, scope, from, Number.MAX_SAFE_INTEGER);
  let known = await count();
  return async () => {
    const requests = (await rows.next()).map(requestOf);
    const current = await count();
    const omitted = {
      successes: current.successes - known.successes,
      failures: current.failures - known.failures,
    };
    known = current;
    return { requests, omitted: omitted.successes + omitted.failures > 0 ? omitted : undefined };
  };
}
