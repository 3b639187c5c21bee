import { requestIdOf } from "../../core/http/request-id.ts";
import { problemResponse, toResponse } from "../../core/http/response.ts";
import { Problem } from "../../core/problems/problem.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { deferred, type HttpRequest } from "../../platform/http1/message/http-request.ts";
import { splitTarget } from "../../platform/http1/message/target.ts";
import type { HandlerResult } from "../../platform/http1/server/request-handler.ts";

type Dispatch = (request: HttpRequest) => HandlerResult;

/** How long a request waits for the next primary during an upgrade. */
const patienceMilliseconds = 60_000;

/**
 * Decides where the requests of a worker go: to this process, or, while the machine is upgraded, first nowhere and then
 * to the primary.
 */
export class UpgradeQueue {
  #state: "open" | "holding" | "forwarding" = "open";
  readonly #held = new Map<HttpRequest, () => void>();

  constructor(private readonly clock: Clock) {}

  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** The number of requests that wait. */
  get held(): number {
    return this.#held.size;
  }

  /** `probe` serves the requests that do not wait, and returns undefined for others. */
  through(serve: Dispatch, forward: Dispatch, probe: (request: HttpRequest) => HandlerResult | undefined): Dispatch {
    return (request) => {
      if (this.#state === "open") return serve(request);
      const probed = probe(request);
      if (probed) return probed;
      return this.#state === "forwarding" ? forward(request) : this.#hold(request, forward);
    };
  }

  /** New requests wait from now on. */
  hold(): void {
    this.#state = "holding";
  }

  /** Forwards the requests that wait, and all new ones. */
  forward(): void {
    this.#state = "forwarding";
    for (const release of [...this.#held.values()]) release();
  }

  #hold(request: HttpRequest, forward: Dispatch): typeof deferred {
    const forget = () => {
      clearTimeout(timer);
      this.#held.delete(request);
    };
    const timer = setTimeout(() => {
      forget();
      request.respond(this.#unavailable(request));
    }, patienceMilliseconds);
    this.#held.set(request, () => {
      forget();
      forward(request);
    });
    request.abortListener = { onAbort: forget };
    return deferred;
  }

  #unavailable(request: HttpRequest) {
    const requestId = requestIdOf(request);
    const { path } = splitTarget(request.target);
    const problem = new Problem("storage_unavailable", { retryAfterSeconds: 1 });
    return toResponse(problemResponse(problem, { path, requestId, now: this.clock.now() }), requestId);
  }
}
