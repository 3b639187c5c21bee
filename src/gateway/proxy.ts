import { type Egress, EgressDenied, type UpstreamAddress } from "../platform/egress/egress.ts";
import type { PendingRequest, ResponseHandler } from "../platform/http1/client-request.ts";
import type { HttpClient } from "../platform/http1/http-client.ts";
import { HttpResponse } from "../platform/http1/http-response.ts";
import { ProtocolError } from "../platform/http1/protocol-error.ts";
import type { Exchange } from "./exchange.ts";
import { prepareForClient } from "./forwarded-headers.ts";
import { refuse } from "./refusal.ts";

/** What is logged and measured of a request whose sender went away before it was answered. */
export const clientGoneStatus = 499;

/** How often those that wait are looked at, which is also how exact timeouts are. */
const lookMilliseconds = 25;

/**
 * Asks upstreams and hands their answers on while they come. All that wait are looked at by one timer: most requests are
 * answered before it comes round, and so need none of their own.
 */
export class UpstreamProxy {
  readonly #waiting = new Set<UpstreamCall>();
  #timer: Timer | undefined;

  constructor(
    private readonly egress: Egress,
    private readonly client: HttpClient,
    /** Goes on with an exchange once its upstream has answered, or will not. */
    private readonly goOn: (exchange: Exchange, answer: HttpResponse) => void,
  ) {}

  ask(exchange: Exchange, upstream: string): void {
    const call = new UpstreamCall(exchange, this);
    try {
      const located = this.egress.locate(upstream);
      if (located instanceof Promise)
        located.then(
          (found) => this.#ask(call, found),
          (error: unknown) => call.onError(error),
        );
      else this.#ask(call, located);
    } catch (error) {
      call.onError(error);
    }
  }

  over(call: UpstreamCall, answer: HttpResponse): void {
    this.#waiting.delete(call);
    call.exchange.request.abortListener = undefined;
    this.goOn(call.exchange, answer);
  }

  #ask(call: UpstreamCall, { origin, basePath }: UpstreamAddress): void {
    const { exchange } = call;
    const { request, route, method, headers } = exchange;
    const body = exchange.body ?? request.body;
    const timeoutMilliseconds = route.timeoutSeconds * 1000;
    // The time that the upstream has begins when it has been asked: a large body may take its sender longer than that.
    const isThere = exchange.body !== undefined || request.body === undefined || request.body.hasEnded;
    if (isThere) call.deadline = performance.now() + timeoutMilliseconds;
    this.#waiting.add(call);
    this.#timer ??= setInterval(() => this.#look(), lookMilliseconds);
    const onSent = () => {
      call.deadline = performance.now() + timeoutMilliseconds;
    };
    try {
      call.pending = this.client.dispatch(
        {
          origin,
          method,
          target: basePath === "" ? exchange.address : basePath + exchange.address,
          headers,
          body,
          upgrade: exchange.isWebSocket ? "websocket" : undefined,
          onSent: isThere ? undefined : onSent,
        },
        call,
      );
      request.abortListener = call;
    } catch (error) {
      call.onError(error);
    }
  }

  #look(): void {
    const now = performance.now();
    for (const call of this.#waiting) if (now >= call.deadline) call.late();
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** A request that waits for the head of its upstream's answer. */
class UpstreamCall implements ResponseHandler {
  pending: PendingRequest | undefined;
  /** When the upstream is late; unknown while the request is still being sent. */
  deadline = Number.POSITIVE_INFINITY;
  #isLate = false;

  constructor(
    readonly exchange: Exchange,
    private readonly proxy: UpstreamProxy,
  ) {}

  onResponse(answer: HttpResponse): void {
    try {
      prepareForClient(answer);
    } catch (error) {
      answer.discard();
      this.onError(error);
      return;
    }
    this.proxy.over(this, answer);
  }

  onError(error: unknown): void {
    this.proxy.over(this, this.#refusalFor(error));
  }

  /** The client disconnected. */
  onAbort(): void {
    this.pending?.cancel(new Error("the client went away"));
  }

  late(): void {
    this.#isLate = true;
    this.pending?.cancel(new Error("the upstream did not answer in time"));
  }

  #refusalFor(error: unknown): HttpResponse {
    const { exchange } = this;
    if (this.#isLate) return refuse(exchange, "upstream_timeout");
    if (exchange.request.isAborted) return new HttpResponse(clientGoneStatus);
    exchange.failure = error;
    if (exchange.request.body?.failure instanceof ProtocolError) return refuse(exchange, "malformed_request");
    return refuse(exchange, error instanceof EgressDenied ? "upstream_not_allowed" : "upstream_unavailable");
  }
}
