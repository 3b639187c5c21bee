import { type Egress, EgressRefused, type Located } from "../egress/egress.ts";
import type { HttpClient } from "../wire/http-client.ts";
import { HttpResponse } from "../wire/http-response.ts";
import { Malformed } from "../wire/malformed.ts";
import type { Exchange, WaitingForUpstream } from "./exchange.ts";
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
  readonly #waiting = new Set<WaitingForUpstream>();
  #timer: Timer | undefined;

  constructor(
    private readonly egress: Egress,
    private readonly client: HttpClient,
  ) {}

  /** The answer as it comes, or its failure; either has to be handed to `received` or `failed`. */
  ask(exchange: Exchange, upstream: string): Promise<HttpResponse> {
    exchange.isAsked = true;
    const located = this.egress.locate(upstream);
    return located instanceof Promise
      ? located.then((found) => this.#ask(exchange, found))
      : this.#ask(exchange, located);
  }

  received(exchange: Exchange, answer: HttpResponse): HttpResponse {
    this.#forget(exchange);
    prepareForClient(answer);
    return answer;
  }

  failed(exchange: Exchange, error: unknown): HttpResponse {
    const isLate = exchange.waiting?.isLate;
    this.#forget(exchange);
    if (isLate) return refuse(exchange, "upstream_timeout");
    if (exchange.request.isGone) return new HttpResponse(clientGoneStatus);
    exchange.failure = error;
    if (exchange.request.body?.failure instanceof Malformed) return refuse(exchange, "malformed_request");
    return refuse(exchange, error instanceof EgressRefused ? "upstream_not_allowed" : "upstream_unavailable");
  }

  #ask(exchange: Exchange, { origin, basePath }: Located): Promise<HttpResponse> {
    const { request, route, method, headers } = exchange;
    const body = exchange.body ?? request.body;
    const timeoutMilliseconds = route.timeoutSeconds * 1000;
    // The time that the upstream has begins when it has been asked: a large body may take its sender longer than that.
    const isThere = exchange.body !== undefined || request.body === undefined || request.body.hasEnded;
    const asking = this.client.ask({
      origin,
      method,
      target: basePath + exchange.address,
      headers,
      body,
      upgrade: exchange.isWebSocket ? "websocket" : undefined,
      onSent: isThere
        ? undefined
        : () => {
            waiting.deadline = performance.now() + timeoutMilliseconds;
          },
    });
    const deadline = isThere ? performance.now() + timeoutMilliseconds : Number.POSITIVE_INFINITY;
    const waiting: WaitingForUpstream = { asking, deadline, isLate: false };
    exchange.waiting = waiting;
    this.#waiting.add(waiting);
    this.#timer ??= setInterval(() => this.#look(), lookMilliseconds);
    request.whenGone = () => asking.cancel(new Error("the client went away"));
    return asking.answer;
  }

  #forget({ waiting, request }: Exchange): void {
    if (waiting) this.#waiting.delete(waiting);
    request.whenGone = undefined;
  }

  #look(): void {
    const now = performance.now();
    for (const waiting of this.#waiting) {
      if (now < waiting.deadline) continue;
      waiting.isLate = true;
      waiting.asking.cancel(new Error("the upstream did not answer in time"));
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
