import type { Body } from "../../platform/http1/message/body.ts";
import type { HttpRequest } from "../../platform/http1/message/http-request.ts";

/** The maximum time without a client, for the wait for the response and the response together. */
const maxMilliseconds = 60_000;
const maxResponses = 100;

/**
 * The response to a request whose client has disconnected, which is read to its end because a policy counts what it
 * reports.
 */
export class DetachedResponse {
  static #count = 0;
  #state: "connected" | "detached" | "ended" = "connected";
  #isReading = false;
  #cancel = () => {};
  #timer: Timer | undefined;
  /** Undefined while the client is connected. */
  #finished: PromiseWithResolvers<boolean> | undefined;

  /** Whether the client has disconnected and the request continues. */
  get isActive(): boolean {
    return this.#state === "detached";
  }

  /** Resolves at the end of the response, with whether it is complete. Undefined if the client did not disconnect before. */
  get finished(): Promise<boolean> | undefined {
    return this.#finished?.promise;
  }

  /**
   * Call it when the client disconnects. Returns whether the request continues; `cancel` is then called when the time
   * is over.
   */
  begin(cancel: () => void): boolean {
    if (this.#state === "ended") return false;
    this.#cancel = cancel;
    if (this.#state === "detached") return true;
    if (DetachedResponse.#count >= maxResponses) return false;
    DetachedResponse.#count += 1;
    this.#state = "detached";
    this.#finished = Promise.withResolvers();
    this.#timer = setTimeout(() => {
      this.#end(false);
      this.#cancel();
    }, maxMilliseconds);
    return true;
  }

  /** Continues to read the body if the client disconnects. */
  read(body: Body): void {
    this.#isReading = true;
    body.keepsReading = () => this.begin(() => body.cancel());
    body.whenOver = () => this.#end(body.hasEnded);
  }

  /** Call it after the response. Ends it unless a body is still read. */
  responded(): void {
    if (!this.#isReading) this.#end(true);
  }

  #end(isComplete: boolean): void {
    if (this.#state !== "detached") return;
    this.#state = "ended";
    DetachedResponse.#count -= 1;
    clearTimeout(this.#timer);
    this.#finished?.resolve(isComplete);
  }
}

/** A request that may continue without its client. */
interface Exchange {
  readonly request: HttpRequest;
  /** Replaces the body of the request. */
  readonly body: unknown;
  readonly detachedResponse: DetachedResponse | undefined;
}

/** Whether a request ends because its client has disconnected. */
export function isClientGone({ request, detachedResponse }: Exchange): boolean {
  return request.isAborted && !detachedResponse?.isActive;
}

/** Whether a request whose client disconnects continues without it. It does not if its body is incomplete. */
export function continuesAfterDisconnect({ detachedResponse, request, body }: Exchange, cancel: () => void): boolean {
  if (!detachedResponse || (request.body && body === undefined && !request.body.hasEnded)) return false;
  return detachedResponse.begin(cancel);
}
