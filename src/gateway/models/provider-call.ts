import type { ModelsRouteOptions } from "../../core/artifact/models-schema.ts";
import type { ProblemCode } from "../../core/problems/catalogue.ts";
import { type EgressAddress, EgressDenied } from "../../platform/egress/egress.ts";
import {
  type FailedAttempt,
  type PendingRequest,
  type ResponseHandler,
  SendTimeout,
} from "../../platform/http1/client/client-request.ts";
import type { HttpHeaders } from "../../platform/http1/message/headers.ts";
import { HttpResponse } from "../../platform/http1/message/http-response.ts";
import { continuesAfterDisconnect, isClientGone } from "../exchange/detached-response.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { clientGoneStatus, reject } from "../exchange/rejection.ts";
import type { UpstreamProxy } from "../upstreams/calls/proxy.ts";
import type { Timed } from "../upstreams/deadlines.ts";
import type { ModelCall } from "./metering/model-call.ts";
import { editedBody } from "./request/edit-request.ts";
import { outputLimits, type ParsedRequest } from "./request/read-request.ts";
import { ErrorBody } from "./response/error-body.ts";
import { deliver } from "./response/provider-response.ts";
import type { Cooldowns } from "./targets/cooldowns.ts";
import { isAccountExhausted } from "./targets/exhausted-account.ts";
import type { RunningTarget } from "./targets/running-models.ts";

const passed = new Set(["accept", "user-agent", "openai-beta"]);
const passedPrefixes = ["anthropic-", "x-stainless-", "x-claude-code-"];

/** The headers of a request to a provider: a few of the caller's, then the provider's own. */
function headersForProvider(headers: HttpHeaders, target: RunningTarget): HttpHeaders {
  const sent = headers.copy();
  sent.deleteWhere((name) => !isPassed(name));
  // Otherwise the provider could read the same bytes as a form.
  sent.setOwn("content-type", "application/json");
  // The response must be readable.
  sent.setOwn("accept-encoding", "identity");
  for (const [name, value] of target.headers)
    if (name !== "anthropic-version" || !sent.has(name)) sent.setOwn(name, value);
  return sent;
}

function isPassed(name: string): boolean {
  return passed.has(name) || passedPrefixes.some((prefix) => name.startsWith(prefix));
}

/** The count of tokens has limits of its own. */
export function cooldownKey({ key }: RunningTarget, operation: ParsedRequest["operation"]): string {
  return operation === "messages/count_tokens" ? `${key} ${operation}` : key;
}

export function rejectCooling(exchange: Exchange, seconds: number): HttpResponse {
  return reject(exchange, "model_cooling_down", { retryAfterSeconds: Math.max(1, Math.ceil(seconds)) });
}

/** Statuses with which a provider rejects a request that another target may serve. */
const busyStatuses = [429, 503, 529];
/** Statuses after which the provider may have done the work. */
const failureStatuses = [500, 502, 504];

interface ProviderCallOptions {
  exchange: Exchange;
  proxy: UpstreamProxy;
  request: ParsedRequest;
  /** A consumer, or the network of a client without one. */
  consumer: string;
  /** The targets without a cooldown, in the order in which they are tried. */
  targets: readonly RunningTarget[];
  call: ModelCall;
  options: ModelsRouteOptions;
  cooldowns: Cooldowns;
  /** Releases the memory of the body, which is no longer needed. */
  release(): void;
}

/** A request to the targets of an alias, one after the other, until a response begins that no rule discards. */
export class ProviderCall implements ResponseHandler, Timed {
  deadline: number;
  waitingAt = -1;
  #next = 0;
  #target: RunningTarget;
  #pending: PendingRequest | undefined;
  #isDispatching = false;
  #isLocating = false;
  #isTimedOut = false;
  /** Whether the request tests a target that cools down. */
  #isProbe = false;
  #errorBody: ErrorBody | undefined;
  readonly #failed: FailedAttempt[] = [];

  constructor(private readonly own: ProviderCallOptions) {
    this.deadline = performance.now() + own.exchange.route.timeoutSeconds * 1000;
    this.#target = own.targets[0]!;
  }

  start(): void {
    this.own.proxy.deadlines.add(this);
    this.#attempt();
  }

  onResponse(response: HttpResponse): void {
    const { status } = response;
    if (status < 300) {
      if (this.#isProbe) this.own.cooldowns.end(this.#cooldownKey);
      this.#respond(response);
      return;
    }
    const isBusy = busyStatuses.includes(status);
    const mayRetry = isBusy || (this.own.options.retryIfSent && failureStatuses.includes(status));
    if (mayRetry && this.#hasNext) {
      if (status === 429) this.#beginCooldown(response);
      else response.discard();
      this.#attemptFailed(`status_${status}`);
      this.#retry(!isBusy);
      return;
    }
    this.own.call.responded(response);
    if (status === 429) this.#beginCooldown(response);
    this.#errorBody = new ErrorBody(this.own.exchange, this.#target, response, (result) => this.#finish(result));
    this.#errorBody.read();
  }

  onError(error: unknown): void {
    this.#isLocating = false;
    const { exchange, options, call } = this.own;
    const wasSent = this.#pending?.isSent ?? this.#isDispatching;
    if (isClientGone(exchange)) {
      call.failed(wasSent ? "cancelled" : "not-sent");
      this.#finish(new HttpResponse(clientGoneStatus));
      return;
    }
    this.#attemptFailed(wasSent ? (this.#isTimedOut ? "timeout" : "reset") : "connect");
    const isOver = this.#isTimedOut || performance.now() >= this.deadline;
    if (!isOver && this.#hasNext && (!wasSent || options.retryIfSent)) {
      this.#retry(wasSent);
      return;
    }
    call.failed(wasSent ? "broken" : "not-sent");
    exchange.failure = error;
    this.#finish(reject(exchange, this.#codeOf(error)));
  }

  /** Aborts the request when the client disconnects, unless the response is read without it. */
  onAbort(): void {
    const cancel = () => this.#cancel(new Error("the client disconnected"));
    if (!continuesAfterDisconnect(this.own.exchange, cancel)) cancel();
  }

  timeOut(): void {
    this.#isTimedOut = true;
    this.#cancel(new Error("the provider did not respond in time"));
  }

  #cancel(reason: Error): void {
    if (this.#errorBody) this.#errorBody.cancel(isClientGone(this.own.exchange));
    else if (this.#pending) this.#pending.cancel(reason);
    else if (this.#isLocating) this.onError(reason);
  }

  #codeOf(error: unknown): ProblemCode {
    if (this.#isTimedOut || error instanceof SendTimeout) return "upstream_timeout";
    return error instanceof EgressDenied ? "upstream_not_allowed" : "upstream_unavailable";
  }

  get #cooldownKey(): string {
    return cooldownKey(this.#target, this.own.request.operation);
  }

  /** Consumes the response. */
  #beginCooldown(response: HttpResponse): void {
    const { cooldowns, consumer } = this.own;
    const key = this.#cooldownKey;
    const retryAfter = response.headers.get("retry-after");
    cooldowns.begin(key, consumer, retryAfter, false);
    void isAccountExhausted(response).then((isExhausted) => {
      if (isExhausted) cooldowns.begin(key, consumer, retryAfter, true);
    });
  }

  get #hasNext(): boolean {
    return this.#next < this.own.targets.length;
  }

  #attempt(): void {
    const { exchange, proxy, targets } = this.own;
    const target = targets[this.#next]!;
    this.#next += 1;
    this.#target = target;
    this.#pending = undefined;
    const entered = this.own.cooldowns.enter(this.#cooldownKey);
    if (entered === "closed") {
      this.#skip();
      return;
    }
    this.#isProbe = entered === "probe";
    exchange.attempts += 1;
    exchange.targetUrl = target.url;
    exchange.request.abortListener = this;
    try {
      const located = proxy.egress.locate(target.url);
      if (!(located instanceof Promise)) {
        this.#send(target, located);
        return;
      }
      this.#isLocating = true;
      const { attempts } = exchange;
      const isCurrent = () => this.#isLocating && exchange.attempts === attempts;
      located.then(
        (found) => isCurrent() && this.#send(target, found),
        (error: unknown) => isCurrent() && this.onError(error),
      );
    } catch (error) {
      this.onError(error);
    }
  }

  /** Another request has become the probe of the target while this one was held. */
  #skip(): void {
    if (this.#hasNext) {
      this.#retry(false);
      return;
    }
    const { call, cooldowns, consumer, exchange } = this.own;
    call.failed("not-sent");
    this.#finish(rejectCooling(exchange, cooldowns.remainingSeconds(this.#cooldownKey, consumer)));
  }

  #send(target: RunningTarget, located: EgressAddress): void {
    this.#isLocating = false;
    const { exchange, proxy, request, call, options } = this.own;
    const { operation } = request;
    const { origin, basePath } = target.origin.at(located);
    const { attempts } = exchange;
    this.#isDispatching = true;
    try {
      const pending = proxy.client.dispatch(
        {
          origin,
          method: "POST",
          target: `${basePath}/${operation}${exchange.query === "" ? "" : `?${exchange.query}`}`,
          headers: headersForProvider(exchange.headers, target),
          body: editedBody(request, {
            modelJson: target.modelJson,
            outputLimit: call.outputLimit,
            limitMember: operation === "chat/completions" ? target.chatLimitMember : outputLimits[operation][0]!,
            allowStored: options.allowStored,
            customer: this.own.consumer,
            addsCacheKey: target.hasCacheKey,
          }),
          sendTimeoutSeconds: exchange.route.timeoutSeconds,
        },
        this,
      );
      // An attempt may have failed before this returns.
      if (exchange.attempts === attempts) this.#pending = pending;
    } catch (error) {
      this.onError(error);
    }
    this.#isDispatching = false;
  }

  #retry(wasSent: boolean): void {
    const { call, targets } = this.own;
    const next = (rejection: HttpResponse | undefined) => {
      if (rejection) this.#finish(rejection);
      else if (isClientGone(this.own.exchange)) this.onError(new Error("the client disconnected"));
      else this.#attempt();
    };
    this.#pending = undefined;
    const retargeted = call.retarget(targets[this.#next]!, wasSent);
    if (!(retargeted instanceof Promise)) next(retargeted);
    else
      retargeted.then(next, (error: unknown) => {
        this.own.exchange.failure = error;
        this.#finish(reject(this.own.exchange, "internal_error"));
      });
  }

  #attemptFailed(reason: string): void {
    this.#failed.push({ ended: performance.now(), reason, address: this.#target.url });
  }

  #respond(response: HttpResponse): void {
    const { call, exchange, request } = this.own;
    this.#finish(deliver({ response, call, exchange, request, secrets: this.#target.secrets }));
  }

  #finish(response: HttpResponse): void {
    const { exchange, proxy, release } = this.own;
    proxy.deadlines.delete(this);
    exchange.request.abortListener = undefined;
    release();
    const { failedAttempts = [] } = this.#pending ?? {};
    this.#failed.push(...failedAttempts);
    if (this.#failed.length > 0) exchange.failedAttempts = this.#failed;
    proxy.continueWith(exchange, response);
  }
}
