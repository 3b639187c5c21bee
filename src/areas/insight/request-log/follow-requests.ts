import type { NewRequests } from "./request-tail.ts";
import type { Omitted } from "./requests.ts";
import { consumerIdIn, observedIn, type RequestFilter, type RequestLogScope, type WrittenRequest } from "./store.ts";

export type { WrittenRequest };

/** The new requests of a scope that match, and the number of omitted requests. */
export function newRequestsFor({ requests, omitted }: NewRequests, scope: RequestLogScope, filter: RequestFilter) {
  const counts: Omitted = { successes: 0, failures: 0 };
  for (const { accountSeq, deploymentSeq, successes, failures } of omitted) {
    if (!isIn(scope, accountSeq, deploymentSeq)) continue;
    counts.successes += successes;
    counts.failures += failures;
  }
  const isOf = (row: WrittenRequest) => isIn(scope, row.account_seq, row.deployment_seq);
  return {
    requests: requests.filter((row) => isOf(row) && matches(row, filter)),
    omitted: counts.successes + counts.failures > 0 ? counts : undefined,
  };
}

function isIn(scope: RequestLogScope, accountSeq: number, deploymentSeq: number): boolean {
  return scope.deploymentSeq === undefined ? scope.accountSeq === accountSeq : scope.deploymentSeq === deploymentSeq;
}

/** The same conditions as in `listRequests`. */
function matches(writtenRequest: WrittenRequest, filter: RequestFilter): boolean {
  const { statuses, method, route, consumer, consumerId, requestId, q, observed, from, to } = filter;
  if (statuses && (writtenRequest.status < statuses[0] || writtenRequest.status > statuses[1])) return false;
  if (method !== undefined && writtenRequest.method !== method) return false;
  if (route !== undefined && writtenRequest.route !== (route === "unknown" ? null : route)) return false;
  if (consumer !== undefined && writtenRequest.consumer !== (consumer === "" ? null : consumer)) return false;
  if (consumerId !== undefined && !writtenRequest.entry.includes(consumerIdIn(consumerId))) return false;
  if (requestId !== undefined && writtenRequest.request_id !== requestId) return false;
  if (q !== undefined && !writtenRequest.path.includes(q)) return false;
  if (observed !== undefined && !writtenRequest.entry.includes(observedIn(observed))) return false;
  if (from !== undefined && writtenRequest.time < from) return false;
  return to === undefined || writtenRequest.time < to;
}
