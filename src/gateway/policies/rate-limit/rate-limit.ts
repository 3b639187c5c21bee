import type { DecisionDetail } from "../../../areas/requests/record.ts";
import { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { Policy, PolicyPlace, RequestContext } from "../../policy.ts";
import { reject } from "../../rejection.ts";
import { subjectDetail, subjectOf } from "../subject/subject.ts";
import type { RateLimitOptions } from "./schema.ts";
import type { RateLimitWindows, Window } from "./windows.ts";

/** Limits the requests of each subject in a window, with the RateLimit headers. */
export class RateLimitPolicy implements Policy {
  readonly #scope: string;
  readonly #limit: string;
  #window: Window | undefined;

  constructor(
    private readonly windows: RateLimitWindows,
    private readonly options: RateLimitOptions,
    place: PolicyPlace,
  ) {
    this.#scope = `${place.deployment} ${place.name}`;
    this.#limit = String(options.requests);
  }

  enter(context: RequestContext): HttpResponse | undefined {
    const { now } = context;
    let window = this.#window;
    if (window === undefined || now >= window.end || now < window.start) {
      window = this.windows.open(this.#scope, this.options.windowSeconds, now);
      this.#window = window;
    }
    const left = window.take(subjectOf(this.options.by, context), this.options.requests);
    const resetSeconds = Math.ceil((window.end - now) / 1000);
    this.#setHeaders(context, Math.max(0, left), resetSeconds);
    return left === -1 ? this.#reject(context, resetSeconds, window.end) : undefined;
  }

  #reject(context: RequestContext, retryAfterSeconds: number, resetsOn: number): HttpResponse {
    const { by, requests: limit, windowSeconds } = this.options;
    const decision: DecisionDetail = {
      reason: "exceeded",
      used: limit,
      limit,
      windowSeconds,
      resetsOn,
      ...subjectDetail(by, context),
    };
    return reject(context, "rate_limited", { retryAfterSeconds, decision });
  }

  /** If there are several limits, the headers show the one with the least remaining. */
  #setHeaders(context: RequestContext, left: number, resetSeconds: number): void {
    context.responseHeaders ??= new HttpHeaders();
    const headers = context.responseHeaders;
    const shown = headers.get("ratelimit-remaining");
    if (shown !== null && Number(shown) <= left) return;
    headers.setOwn("ratelimit-limit", this.#limit);
    headers.setOwn("ratelimit-remaining", String(left));
    headers.setOwn("ratelimit-reset", String(resetSeconds));
  }
}
