import type { HttpResponse } from "../platform/http1/http-response.ts";
import type { Exchange } from "./exchange.ts";
import type { Passage, Policy } from "./policy.ts";
import { refuse } from "./refusal.ts";

/** Takes the place of a policy or target that cannot be used with the present secrets: rejects every request. */
export class UnavailablePolicy implements Policy {
  constructor(private readonly reason: Error) {}

  enter(passage: Passage): HttpResponse {
    (passage as Passage & Partial<Exchange>).failure = this.reason;
    return refuse(passage, "deployment_unavailable", { retryAfterSeconds: 1 });
  }
}
