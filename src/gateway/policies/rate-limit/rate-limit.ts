import { addressGroup } from "../../../lib/address-group.ts";
import { HttpHeaders } from "../../../platform/http1/headers.ts";
import type { HttpResponse } from "../../../platform/http1/http-response.ts";
import type { Passage, Policy, PolicyPlace } from "../../policy.ts";
import { refuse } from "../../refusal.ts";
import type { RateLimitOptions } from "./schema.ts";
import type { RateLimitWindows, Window } from "./windows.ts";

/** Lets each subject make so many requests in a window, and tells it how many are left. */
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

  enter(passage: Passage): HttpResponse | undefined {
    const { now } = passage;
    let window = this.#window;
    if (window === undefined || now >= window.end || now < window.start) {
      window = this.windows.open(this.#scope, this.options.windowSeconds, now);
      this.#window = window;
    }
    const left = window.take(this.#subjectOf(passage), this.options.requests);
    const resetSeconds = Math.ceil((window.end - now) / 1000);
    this.#tell(passage, Math.max(0, left), resetSeconds);
    return left === -1 ? refuse(passage, "rate_limited", { retryAfterSeconds: resetSeconds }) : undefined;
  }

  /** Ids of consumers and keys and addresses are never spelled alike. */
  #subjectOf(passage: Passage): string {
    const { by } = this.options;
    const subject = by === "consumer" ? passage.consumerId : by === "key" ? passage.keyId : undefined;
    return subject ?? addressGroup(passage.ip);
  }

  /** Of several limits the one that leaves the least is told. */
  #tell(passage: Passage, left: number, resetSeconds: number): void {
    passage.answerHeaders ??= new HttpHeaders();
    const headers = passage.answerHeaders;
    const told = headers.get("ratelimit-remaining");
    if (told !== null && Number(told) <= left) return;
    headers.setOwn("ratelimit-limit", this.#limit);
    headers.setOwn("ratelimit-remaining", String(left));
    headers.setOwn("ratelimit-reset", String(resetSeconds));
  }
}
