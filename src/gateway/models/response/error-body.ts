import { Body } from "../../../platform/http1/message/body.ts";
import { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import { clientGoneStatus, reject } from "../../exchange/rejection.ts";
import { retryAfterSeconds } from "../targets/cooldowns.ts";
import type { RunningTarget } from "../targets/running-models.ts";
import { cleanResponseHeaders } from "./response-headers.ts";

/** Errors of providers have a few hundred bytes. */
const maxErrorBytes = 256 * 1024;
const maxRetryAfterSeconds = 300;

/**
 * A provider's response that is no success, which is checked before the caller gets it. The body of a 429 is read by its
 * cooldown.
 */
export class ErrorBody {
  #isOver = false;

  constructor(
    private readonly exchange: Exchange,
    private readonly target: RunningTarget,
    private readonly response: HttpResponse,
    private readonly finish: (response: HttpResponse) => void,
  ) {}

  read(): void {
    const { response, exchange } = this;
    const { status } = response;
    if (status < 400 || status === 401 || status === 402 || status === 403) {
      response.discard();
      exchange.failure = new Error(`the provider ${this.target.provider} returned ${status}`);
      this.#end(reject(exchange, "model_provider_failed"));
      return;
    }
    if (status === 429) {
      const after = retryAfterSeconds(response.headers.get("retry-after"), exchange.now);
      this.#end(reject(exchange, "model_busy", { retryAfterSeconds: clamped(after) }));
      return;
    }
    const { body } = response;
    if (body instanceof Body)
      body.bytes(maxErrorBytes).then(
        (bytes) => this.#readBytes(bytes),
        () => this.#readBytes(undefined),
      );
    else this.#readBytes(body === undefined ? Buffer.alloc(0) : Buffer.from(body as Uint8Array));
  }

  /** Called when the deadline has passed or the client has disconnected. */
  cancel(isClientGone: boolean): void {
    if (this.#isOver) return;
    this.response.discard();
    this.#end(isClientGone ? new HttpResponse(clientGoneStatus) : reject(this.exchange, "upstream_timeout"));
  }

  #readBytes(bytes: Buffer | undefined): void {
    if (this.#isOver) return;
    const { response, exchange, target } = this;
    if (!bytes || target.secrets.some((secret) => bytes.includes(secret))) {
      const reason = bytes ? "an error that contains its credential" : "an error that cannot be read";
      exchange.failure = new Error(`the provider ${target.provider} returned ${reason}`);
      this.#end(reject(exchange, "model_provider_failed"));
      return;
    }
    const { headers, status } = response;
    cleanResponseHeaders(headers, target.secrets);
    headers.delete("content-length");
    this.#end(new HttpResponse(status, headers, bytes));
  }

  #end(response: HttpResponse): void {
    this.#isOver = true;
    this.finish(response);
  }
}

function clamped(seconds: number | undefined): number {
  return Math.max(1, Math.min(maxRetryAfterSeconds, Math.ceil(seconds ?? 5)));
}
