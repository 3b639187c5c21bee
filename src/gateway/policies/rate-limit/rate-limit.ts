import type { DecisionDetail } from "../../../areas/insight/request-log/request-record.ts";
import type { LimitPlace, Limits, TakenRequest } from "../../../counting/limits/limits.ts";
import { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import {
  addPendingDecision,
  type Policy,
  type PolicyPlace,
  type RequestContext,
  takePendingDecision,
} from "../../exchange/policy.ts";
import { reject, rejectWhileUnavailable } from "../../exchange/rejection.ts";
import { subjectDetail, subjectOf } from "../subject/subject.ts";
import type { RateLimitOptions } from "./schema.ts";

/** Limits the requests of each subject in a window, with the fields of draft-ietf-httpapi-ratelimit-headers. */
export class RateLimitPolicy implements Policy {
  readonly #place: LimitPlace;
  readonly #limit: string;
  /** The item of `RateLimit-Policy`, the same on every response. Names of policies need no escapes in it. */
  readonly #policyItem: string;
  /** How the item of `RateLimit` begins. */
  readonly #itemStart: string;
  /** The texts of the last `resetSeconds`: most requests share them. */
  #resetSeconds = -1;
  #reset = "";
  #itemEnd = "";

  constructor(
    private readonly limits: Limits,
    private readonly options: RateLimitOptions,
    place: PolicyPlace,
  ) {
    const { windowSeconds, window: kind } = options;
    const scope = `${place.deployment} ${place.name}`;
    this.#place = { scope, windowSeconds, kind, ...(place.observes && { observes: true }) };
    this.#limit = String(options.requests);
    this.#policyItem = `"${place.name}";q=${options.requests};w=${options.windowSeconds}`;
    this.#itemStart = `"${place.name}";r=`;
  }

  enter(context: RequestContext): HttpResponse | undefined | Promise<HttpResponse | undefined> {
    const { by, requests } = this.options;
    const taken =
      takePendingDecision<TakenRequest | null>(context, this) ??
      this.limits.take(this.#place, subjectOf(by, context), requests, context.now, context);
    if (!(taken instanceof Promise)) return this.#decide(context, taken);
    return taken.then(
      (decided) => (decided ? this.#decide(context, decided) : this.enter(context)),
      (error: unknown) => rejectWhileUnavailable(context, error),
    );
  }

  prefetch(context: RequestContext): boolean {
    const { by, requests } = this.options;
    const result = this.limits.takeAhead(this.#place, subjectOf(by, context), requests, context.now, context);
    // A request that is rejected by a policy before is not counted, so there is nothing to undo.
    return result !== undefined && addPendingDecision(context, { policy: this, result, undo: () => {} });
  }

  #decide(context: RequestContext, { left, resetsOn }: TakenRequest): HttpResponse | undefined {
    const resetSeconds = Math.ceil((resetsOn - context.now) / 1000);
    if (!this.#place.observes) this.#setHeaders(context, Math.max(0, left), resetSeconds);
    return left === -1 ? this.#reject(context, resetSeconds, resetsOn) : undefined;
  }

  #reject(context: RequestContext, retryAfterSeconds: number, resetsOn: number): HttpResponse {
    const { by, requests: limit, windowSeconds, window } = this.options;
    const decision: DecisionDetail = {
      reason: "exceeded",
      used: limit,
      limit,
      windowSeconds,
      ...(window === "sliding" && { window }),
      resetsOn,
      ...subjectDetail(by, context),
    };
    return reject(context, "rate_limited", { retryAfterSeconds, decision });
  }

  /** The structured fields list all limits of a route; the legacy headers show the one with the least remaining. */
  #setHeaders(context: RequestContext, left: number, resetSeconds: number): void {
    context.responseHeaders ??= new HttpHeaders();
    const headers = context.responseHeaders;
    if (resetSeconds !== this.#resetSeconds) {
      this.#resetSeconds = resetSeconds;
      this.#reset = String(resetSeconds);
      this.#itemEnd = `;t=${resetSeconds}`;
    }
    const remaining = String(left);
    const item = this.#itemStart + remaining + this.#itemEnd;
    const others = headers.get("ratelimit");
    if (others === null) {
      headers.setOwn("ratelimit-policy", this.#policyItem);
      headers.setOwn("ratelimit", item);
    } else {
      headers.setOwn("ratelimit-policy", `${headers.get("ratelimit-policy")}, ${this.#policyItem}`);
      headers.setOwn("ratelimit", `${others}, ${item}`);
    }
    if (!this.options.legacyHeaders) return;
    const shown = headers.get("ratelimit-remaining");
    if (shown !== null && Number(shown) <= left) return;
    headers.setOwn("ratelimit-limit", this.#limit);
    headers.setOwn("ratelimit-remaining", remaining);
    headers.setOwn("ratelimit-reset", this.#reset);
  }
}
