import { type Egress, type EgressAddress, EgressDenied } from "../../../platform/egress/egress.ts";
import {
  type PendingRequest,
  type ResponseHandler,
  SendTimeout,
} from "../../../platform/http1/client/client-request.ts";
import type { HttpClient } from "../../../platform/http1/client/http-client.ts";
import { Body } from "../../../platform/http1/message/body.ts";
import type { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import { ProtocolError } from "../../../platform/http1/message/protocol-error.ts";
import { continuesAfterDisconnect, isClientGone } from "../../exchange/detached-response.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import { prepareForClient } from "../../exchange/forwarded-headers.ts";
import { clientGoneStatus, reject, rejectBody } from "../../exchange/rejection.ts";
import type { Deadlines, Timed } from "../deadlines.ts";
import type { OwnOrigin } from "../own-origin.ts";
import { type Addresses, replaceLocations } from "./public-locations.ts";

/** Sends requests to upstreams and streams their responses. */
export class UpstreamProxy {
  constructor(
    readonly egress: Egress,
    readonly client: HttpClient,
    readonly deadlines: Deadlines,
    /** Continues an exchange with the upstream's response or a rejection. */
    readonly continueWith: (exchange: Exchange, response: HttpResponse) => void,
  ) {}

  /** Sends a request to an upstream without options: one attempt. */
  send(exchange: Exchange, upstream: OwnOrigin): void {
    const call = new UpstreamCall(exchange, upstream, this);
    try {
      const located = this.egress.locate(upstream.url);
      if (located instanceof Promise)
        located.then(
          (found) => this.#send(call, upstream.at(found)),
          (error: unknown) => call.onError(error),
        );
      else this.#send(call, upstream.at(located));
    } catch (error) {
      call.onError(error);
    }
  }

  finish(call: UpstreamCall, response: HttpResponse): void {
    this.deadlines.delete(call);
    const { exchange, pending } = call;
    exchange.request.abortListener = undefined;
    if (pending) {
      exchange.attempts = pending.isRetried ? 2 : 1;
      exchange.failedAttempts = pending.failedAttempts;
    }
    this.continueWith(exchange, response);
  }

  #send(call: UpstreamCall, { origin, basePath }: EgressAddress): void {
    const { exchange } = call;
    const { request, route, method, headers } = exchange;
    const body = exchange.body ?? request.body;
    const timeoutMilliseconds = route.timeoutSeconds * 1000;
    // The timeout begins when the request is sent completely: the client may need longer for a large body.
    const isComplete = !(body instanceof Body) || body.hasEnded;
    if (isComplete) call.deadline = performance.now() + timeoutMilliseconds;
    this.deadlines.add(call);
    const onSent = () => {
      call.deadline = performance.now() + timeoutMilliseconds;
    };
    try {
      call.pending = this.client.dispatch(
        {
          origin,
          method,
          target: basePath === "" ? exchange.address : basePath + exchange.address,
          headers: this.egress.headersFor(headers, origin),
          body,
          upgrade: exchange.isWebSocket ? "websocket" : undefined,
          sendTimeoutSeconds: route.timeoutSeconds,
          onSent: isComplete ? undefined : onSent,
        },
        call,
      );
      request.abortListener = call;
    } catch (error) {
      call.onError(error);
    }
  }
}

/** Only `Link`: other headers of a response pass policies, which have not seen it yet. */
export function passEarlyHints({ request }: Exchange, headers: HttpHeaders): void {
  const link = headers.get("link");
  if (link !== null) request.sendEarlyHints(link);
}

/** The addresses of an upstream and of the request that it got. */
export function addressesOf(exchange: Exchange, { basePath }: OwnOrigin, hosts: ReadonlySet<string>): Addresses {
  const { incoming, path } = exchange;
  return { hosts, basePath, mountPrefix: incoming.prefix, publicPath: incoming.path, targetPath: path };
}

/** A request that waits for the head of the upstream's response. */
class UpstreamCall implements ResponseHandler, Timed {
  pending: PendingRequest | undefined;
  /** The deadline of the upstream; infinite while the request is still being sent. */
  deadline = Number.POSITIVE_INFINITY;
  waitingAt = -1;
  #isTimedOut = false;

  constructor(
    readonly exchange: Exchange,
    private readonly upstream: OwnOrigin,
    private readonly proxy: UpstreamProxy,
  ) {}

  onEarlyHints(headers: HttpHeaders): void {
    passEarlyHints(this.exchange, headers);
  }

  onResponse(response: HttpResponse): void {
    try {
      prepareForClient(response);
      replaceLocations(response.headers, () =>
        addressesOf(this.exchange, this.upstream, new Set([this.upstream.host])),
      );
    } catch (error) {
      response.discard();
      this.onError(error);
      return;
    }
    this.proxy.finish(this, response);
  }

  onError(error: unknown): void {
    this.proxy.finish(this, this.#rejectionFor(error));
  }

  /** Aborts the request to the upstream when the client disconnects. */
  onAbort(): void {
    const cancel = () => this.pending?.cancel(new Error("the client disconnected"));
    if (!continuesAfterDisconnect(this.exchange, cancel)) cancel();
  }

  timeOut(): void {
    this.#isTimedOut = true;
    this.pending?.cancel(new Error("the upstream did not respond in time"));
  }

  #rejectionFor(error: unknown): HttpResponse {
    const { exchange } = this;
    if (this.#isTimedOut || error instanceof SendTimeout) return reject(exchange, "upstream_timeout");
    if (isClientGone(exchange)) return new HttpResponse(clientGoneStatus);
    exchange.failure = error;
    const bodyFailure = exchange.request.body?.failure;
    if (bodyFailure instanceof ProtocolError) return rejectBody(exchange, bodyFailure);
    return reject(exchange, error instanceof EgressDenied ? "upstream_not_allowed" : "upstream_unavailable");
  }
}
