import type { RetryCause } from "../../../core/artifact/upstream-schema.ts";
import { type EgressAddress, EgressDenied } from "../../../platform/egress/egress.ts";
import {
  type FailedAttempt,
  type PendingRequest,
  type ResponseHandler,
  SendTimeout,
} from "../../../platform/http1/client/client-request.ts";
import { Body } from "../../../platform/http1/message/body.ts";
import type { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import { ProtocolError } from "../../../platform/http1/message/protocol-error.ts";
import { continuesAfterDisconnect, isClientGone } from "../../exchange/detached-response.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import { prepareForClient } from "../../exchange/forwarded-headers.ts";
import { clientGoneStatus, reject, rejectBody } from "../../exchange/rejection.ts";
import { readRequestBody } from "../../exchange/request-body.ts";
import type { BalancedUpstream, UpstreamTarget } from "../balanced-upstream.ts";
import type { Timed } from "../deadlines.ts";
import { addressesOf, passEarlyHints, type UpstreamProxy } from "./proxy.ts";
import { type Addresses, replaceLocations } from "./public-locations.ts";

/** Larger bodies are streamed, and a request cannot be retried once part of a stream was sent. */
const maxReplayedBodyBytes = 64 * 1024;

const failureStatuses: Record<number, RetryCause> = { 502: "502", 503: "503", 504: "504" };

/**
 * A request to an upstream with several targets: makes attempts until there is a response or no rule allows another
 * one.
 */
export class BalancedCall implements ResponseHandler, Timed {
  deadline = Number.POSITIVE_INFINITY;
  waitingAt = -1;
  /** The deadline of all attempts together. */
  #lastMoment = Number.POSITIVE_INFINITY;
  #body: Uint8Array | string | Body | undefined;
  #target: UpstreamTarget | undefined;
  readonly #tried: UpstreamTarget[] = [];
  #pending: PendingRequest | undefined;
  /** Attempts that count. Those that failed before anything was sent do not. */
  #counted = 0;
  #isLastResort = false;
  /** Whether the attempt is a probe of an ejected target. */
  #isProbe = false;
  #isTimedOut = false;
  #isLocating = false;
  #isDispatching = false;
  readonly #failed: FailedAttempt[] = [];

  constructor(
    readonly exchange: Exchange,
    private readonly upstream: BalancedUpstream,
    private readonly proxy: UpstreamProxy,
  ) {}

  start(): void {
    const { exchange, upstream } = this;
    upstream.budget.request(performance.now());
    const body = exchange.body ?? exchange.request.body;
    this.#body = body;
    if (!(body instanceof Body) || !upstream.retries(exchange.method)) {
      this.#attempt();
      return;
    }
    if (body.hasEnded && (body.length ?? body.received) <= maxReplayedBodyBytes) {
      this.#body = body.wholeText() ?? body.whole() ?? body;
      this.#attempt();
    } else if (body.length !== undefined && body.length <= maxReplayedBodyBytes) {
      readRequestBody(exchange, maxReplayedBodyBytes).then(
        (bytes) => {
          if (!Buffer.isBuffer(bytes)) return this.#finish(bytes);
          this.#body = bytes;
          this.#attempt();
        },
        (error: unknown) => this.#finish(this.#rejectionFor(error, "reset")),
      );
    } else this.#attempt();
  }

  onEarlyHints(headers: HttpHeaders): void {
    passEarlyHints(this.exchange, headers);
  }

  onResponse(response: HttpResponse): void {
    const cause = failureStatuses[response.status];
    if (cause === undefined) {
      this.#target!.state.success(this.#isProbe);
      this.#endWith(response);
      return;
    }
    this.upstream.failed(this.#target!, this.#isProbe, performance.now());
    this.#attemptFailed(`status_${cause}`);
    if (this.#mayRetry(cause)) {
      response.discard();
      this.#attemptOver();
      this.#attempt();
    } else this.#endWith(response);
  }

  onError(error: unknown): void {
    const { exchange } = this;
    this.#isLocating = false;
    const { state } = this.#target!;
    const hasNoClient = isClientGone(exchange) || exchange.request.body?.failure instanceof ProtocolError;
    const cause = this.#causeOf(error);
    if (hasNoClient) state.noResult(this.#isProbe);
    else {
      this.upstream.failed(this.#target!, this.#isProbe, performance.now());
      this.#attemptFailed(cause);
    }
    const isRetried = !hasNoClient && this.#mayRetry(cause);
    this.#attemptOver();
    if (isRetried) this.#attempt();
    else this.#finish(this.#rejectionFor(error, cause));
  }

  /** Aborts the call to the upstream when the client disconnects. */
  onAbort(): void {
    const cancel = () => this.#cancel(new Error("the client disconnected"));
    if (!continuesAfterDisconnect(this.exchange, cancel)) cancel();
  }

  timeOut(): void {
    this.#isTimedOut = true;
    this.#cancel(new Error("the upstream did not respond in time"));
  }

  #cancel(reason: Error): void {
    if (this.#pending) this.#pending.cancel(reason);
    else if (this.#isLocating) this.onError(reason);
  }

  #attempt(): void {
    const { exchange, proxy } = this;
    const now = performance.now();
    const { target, isLastResort } = this.upstream.choose(exchange, this.#tried, now);
    this.#target = target;
    this.#tried.push(target);
    this.#isLastResort = isLastResort;
    this.#counted += 1;
    this.#pending = undefined;
    this.#isTimedOut = false;
    this.#isProbe = target.state.begin();
    exchange.attempts += 1;
    exchange.targetUrl = target.url;
    if (this.#isComplete) this.#startTimeouts(now);
    proxy.deadlines.add(this);
    exchange.request.abortListener = this;
    try {
      const located = proxy.egress.locate(target.url);
      if (!(located instanceof Promise)) {
        this.#send(target, located);
        return;
      }
      this.#isLocating = true;
      const attempt = exchange.attempts;
      const isCurrent = () => this.#isLocating && exchange.attempts === attempt;
      located.then(
        (found) => isCurrent() && this.#send(target, found),
        (error: unknown) => isCurrent() && this.onError(error),
      );
    } catch (error) {
      this.onError(error);
    }
  }

  #send(target: UpstreamTarget, located: EgressAddress): void {
    this.#isLocating = false;
    const { exchange } = this;
    const { origin, basePath } = target.origin.at(located);
    const attempt = exchange.attempts;
    const host = this.upstream.options.preserveHost ? exchange.clientHost : undefined;
    this.#isDispatching = true;
    try {
      const pending = this.proxy.client.dispatch(
        {
          origin,
          method: exchange.method,
          host,
          target: basePath === "" ? exchange.address : basePath + exchange.address,
          headers: this.proxy.egress.headersFor(exchange.headers, origin, host),
          body: this.#body,
          upgrade: exchange.isWebSocket ? "websocket" : undefined,
          sendTimeoutSeconds: exchange.route.timeoutSeconds,
          onSent: this.#isComplete ? undefined : () => this.#startTimeouts(performance.now()),
        },
        this,
      );
      // An attempt may have failed before this returns.
      if (exchange.attempts === attempt) this.#pending = pending;
    } catch (error) {
      this.onError(error);
    }
    this.#isDispatching = false;
  }

  /** The timeout begins when the body is sent completely: a client may take longer than the timeout to send it. */
  get #isComplete(): boolean {
    return !(this.#body instanceof Body) || this.#body.hasEnded;
  }

  #startTimeouts(now: number): void {
    const { exchange, upstream } = this;
    if (this.#lastMoment === Number.POSITIVE_INFINITY) this.#lastMoment = now + exchange.route.timeoutSeconds * 1000;
    const { perTrySeconds = Number.POSITIVE_INFINITY } = upstream.options.retries ?? {};
    this.deadline = Math.min(this.#lastMoment, now + perTrySeconds * 1000);
  }

  #causeOf(error: unknown): RetryCause {
    if (!(this.#pending?.isSent ?? this.#isDispatching)) return "connect";
    return this.#isTimedOut || error instanceof SendTimeout ? "504" : "reset";
  }

  #mayRetry(cause: RetryCause): boolean {
    const { upstream, exchange } = this;
    const now = performance.now();
    if (this.#isLastResort || now >= this.#lastMoment) return false;
    if (cause === "connect" && upstream.hasOther(this.#tried, now)) {
      this.#counted -= 1;
      return true;
    }
    const { retries } = upstream.options;
    if (!retries || !upstream.retriesOn(cause) || this.#counted >= retries.attempts) return false;
    if (cause !== "connect" && !(upstream.retries(exchange.method) && this.#canReplay)) return false;
    return upstream.budget.take(now);
  }

  get #canReplay(): boolean {
    const body = this.#body;
    return body === undefined || (!(body instanceof Body) && body.length <= maxReplayedBodyBytes);
  }

  #attemptFailed(reason: string): void {
    this.#failed.push({ ended: performance.now(), reason, address: this.#target!.label });
  }

  #attemptOver(): void {
    this.#target!.state.inFlight -= 1;
  }

  #endWith(response: HttpResponse): void {
    const { state } = this.#target!;
    const body = response.unsliced ? undefined : response.body;
    if (body instanceof Body)
      body.whenOver = () => {
        state.inFlight -= 1;
      };
    else state.inFlight -= 1;
    try {
      prepareForClient(response);
      replaceLocations(response.headers, () => this.#addresses);
    } catch (error) {
      response.discard();
      this.#finish(this.#rejectionFor(error, "reset"));
      return;
    }
    this.#finish(response);
  }

  get #addresses(): Addresses {
    const { exchange, upstream } = this;
    const { hosts, options } = upstream;
    const { clientHost } = exchange;
    const isPreserved = options.preserveHost === true && clientHost !== undefined;
    const all = isPreserved ? new Set([...hosts, clientHost.toLowerCase()]) : hosts;
    return addressesOf(exchange, this.#target!.origin, all);
  }

  #finish(response: HttpResponse): void {
    const { exchange, proxy } = this;
    proxy.deadlines.delete(this);
    exchange.request.abortListener = undefined;
    const { isRetried, failedAttempts = [] } = this.#pending ?? {};
    if (isRetried) exchange.attempts += 1;
    this.#failed.push(...failedAttempts);
    if (this.#failed.length > 0) exchange.failedAttempts = this.#failed;
    proxy.continueWith(exchange, response);
  }

  #rejectionFor(error: unknown, cause: RetryCause): HttpResponse {
    const { exchange } = this;
    if (isClientGone(exchange)) return new HttpResponse(clientGoneStatus);
    const bodyFailure = exchange.request.body?.failure;
    if (bodyFailure instanceof ProtocolError) return rejectBody(exchange, bodyFailure);
    exchange.failure = error;
    if (this.#isLastResort) return reject(exchange, "all_targets_down", { retryAfterSeconds: 1 });
    if (cause === "504" || this.#isTimedOut) return reject(exchange, "upstream_timeout");
    return reject(exchange, error instanceof EgressDenied ? "upstream_not_allowed" : "upstream_unavailable");
  }
}
