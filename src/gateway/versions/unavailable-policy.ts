import type { HttpResponse } from "../../platform/http1/message/http-response.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Policy, RequestContext } from "../exchange/policy.ts";
import { reject } from "../exchange/rejection.ts";

/** Replaces a policy or target that cannot be used with the current secrets: rejects every request. */
export class UnavailablePolicy implements Policy {
  constructor(private readonly reason: Error) {}

  enter(context: RequestContext): HttpResponse {
    (context as RequestContext & Partial<Exchange>).failure = this.reason;
    return reject(context, "deployment_unavailable", {
      retryAfterSeconds: 1,
      decision: { reason: "unusable_secret" },
    });
  }
}
