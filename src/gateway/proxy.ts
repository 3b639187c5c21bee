import { type Egress, EgressRefused } from "../egress/egress.ts";
import type { Exchange, WaitingForUpstream } from "./exchange.ts";
import { prepareForClient } from "./forwarded-headers.ts";
import { refuse } from "./refusal.ts";

/** What is logged and measured of a request whose sender went away before it was answered. */
export const clientGoneStatus = 499;

/** A body of this size comes with the head; a larger one may take its sender longer than the upstream may take to answer. */
const smallBody = 64 * 1024;

/** Below the time after which the server gives a silent connection up. */
const patientSeconds = 45;

/** How often those that wait are looked at, which is also how exact timeouts are. */
const lookMilliseconds = 25;

/**
 * Asks upstreams and hands their answers on while they come. Bun itself asks again where an idle connection turns out to be
 * closed, and only for methods that may be repeated; so nothing here does.
 *
 * All that wait are looked at by one timer. Most requests are answered before it comes round, and so need neither a timer of
 * their own (0.25 µs in a loop) nor a listener to the request's signal (0.9 µs).
 */
export class UpstreamProxy {
  readonly #waiting = new Set<WaitingForUpstream>();
  #timer: Timer | undefined;

  constructor(private readonly egress: Egress) {}

  /** The answer as it comes, or its failure; either has to be handed to `received` or `failed`. */
  ask(exchange: Exchange, upstream: string): Promise<Response> {
    const { request, route, method, headers } = exchange;
    const abort = new AbortController();
    const waiting = { request, abort, deadline: Number.POSITIVE_INFINITY, isLate: false, isWatched: false };
    exchange.waiting = waiting;
    this.#waiting.add(waiting);
    this.#timer ??= setInterval(() => this.#look(), lookMilliseconds);
    if (route.timeoutSeconds > patientSeconds) allowSilence(exchange);
    const body = bodyOf(exchange, () => {
      waiting.deadline = performance.now() + route.timeoutSeconds * 1000;
    });
    return this.egress.fetch(upstream + exchange.address, { method, headers, body, signal: abort.signal });
  }

  received(exchange: Exchange, answer: Response): Response {
    this.#waiting.delete(exchange.waiting!);
    prepareForClient(answer.headers);
    if (isEventStream(answer)) allowSilence(exchange);
    return quietly(answer);
  }

  failed(exchange: Exchange, error: unknown): Response {
    const waiting = exchange.waiting!;
    this.#waiting.delete(waiting);
    if (waiting.isLate) return refuse(exchange, "upstream_timeout");
    if (waiting.request.signal.aborted) return new Response(null, { status: clientGoneStatus });
    exchange.failure = error;
    return refuse(exchange, error instanceof EgressRefused ? "upstream_not_allowed" : "upstream_unavailable");
  }

  #look(): void {
    const now = performance.now();
    for (const waiting of this.#waiting) {
      if (now >= waiting.deadline) {
        waiting.isLate = true;
        waiting.abort.abort();
      } else if (!waiting.isWatched) {
        waiting.isWatched = true;
        watchSender(waiting);
      }
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** Who goes away in the middle of the answer's body ends it at the upstream without our doing. */
function watchSender({ request, abort }: WaitingForUpstream): void {
  if (request.signal.aborted) abort.abort();
  else request.signal.addEventListener("abort", () => abort.abort());
}

/** The time that the upstream has begins when it has been asked: `onSent` is called once the body is on its way. */
function bodyOf(exchange: Exchange, onSent: () => void): Bun.BodyInit | undefined {
  const { request } = exchange;
  if (exchange.body !== undefined || request.body === null) {
    onSent();
    return exchange.body;
  }
  const length = request.headers.get("content-length");
  if (length === null || Number(length) > smallBody) return watched(request.body, onSent);
  onSent();
  return request.body;
}

/** Passes a body on piece by piece as it is asked for. Declared lengths are kept, and memory stays bounded. */
function watched(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  // Told by `read` too. Nobody waits for this one, and a rejection that nobody waits for ends the process.
  reader.closed.catch(() => {});
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        onEnd();
        controller.close();
      } catch (error) {
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/**
 * Where the rest of a body does not come, the client's connection must break, or it would take the half for the whole. Bun
 * does so, but of a body that it passes on by itself it also writes the error and the upstream's address to stderr; not of
 * one that comes through a stream of ours, unless it breaks with the head. Bodies that are declared small are left to Bun:
 * they are the many, and with such a stream half as many requests a second were forwarded.
 */
function quietly(answer: Response): Response {
  const length = answer.headers.get("content-length");
  if (length !== null && Number(length) <= smallBody) return answer;
  // Not asked before: a body that was looked at is one that Bun does not pass on by itself any more.
  if (answer.body === null) return answer;
  const { status, statusText, headers } = answer;
  return new Response(
    watched(answer.body, () => {}),
    { status, statusText, headers },
  );
}

/** Events may be hours apart. */
function isEventStream(answer: Response): boolean {
  return answer.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}

function allowSilence({ arrival, request }: Exchange): void {
  arrival.server.timeout(request, 0);
}
