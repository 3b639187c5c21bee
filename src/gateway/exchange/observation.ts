import type { HttpResponse } from "../../platform/http1/message/http-response.ts";
import type { Exchange } from "./exchange.ts";
import type { Observation } from "./policy.ts";
import { clientGoneStatus } from "./rejection.ts";

/** The code of a response that a policy in the project's code has returned. */
const codeOfResponse = "policy_response";

/**
 * Makes the rejection of a policy in `observe` an observation: the request continues. The policy has failed if it threw
 * an error, or rejects with 5xx: enforced, that would be no decision about the request.
 */
export function observeRejection(exchange: Exchange, at: number, response: HttpResponse, hasThrown = false): void {
  const { rejection, decisionDetail, failure } = exchange;
  const { status } = response;
  const hasFailed = hasThrown || status === clientGoneStatus || (rejection !== undefined && status >= 500);
  const detail = decisionDetail ?? { reason: rejection ?? (hasFailed ? "failed" : "response"), status };
  const message = failure instanceof Error ? { message: failure.message } : {};
  response.discard();
  exchange.rejection = undefined;
  exchange.rejectionDetail = undefined;
  exchange.decisionDetail = undefined;
  exchange.failure = undefined;
  exchange.isRejectedByCode = false;
  exchange.observations ??= [];
  // The first one counts: a stream of a model may exceed its budget several times.
  exchange.observations[at] ??= {
    code: hasFailed ? undefined : (rejection ?? codeOfResponse),
    detail: { ...detail, ...message },
  };
}

/**
 * What a policy has found about a request that it let continue: in `observe`, or at the response. Undefined if it has
 * passed both.
 */
export function observationOf({ observations, doneDetails }: Exchange, at: number): Observation | undefined {
  const entered = observations?.[at];
  const done = doneDetails?.[at];
  return entered ?? (done && "rejection" in done ? { code: done.rejection, detail: done.detail } : undefined);
}

/** Whether a policy in `observe` would have rejected the request. */
export function isObserved(exchange: Exchange): boolean {
  const { observing } = exchange.running;
  return observing?.some(({ at }) => observationOf(exchange, at)?.code !== undefined) ?? false;
}
