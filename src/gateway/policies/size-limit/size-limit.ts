import { Body, BodyTooLarge } from "../../../platform/http1/message/body.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import {
  type Policy,
  type PolicyState,
  type RejectedResponse,
  type RequestContext,
  stateOf,
} from "../../exchange/policy.ts";
import { reject } from "../../exchange/rejection.ts";
import type { SizeLimitOptions } from "./schema.ts";

interface SizeLimitState extends PolicyState {
  /** A response of unknown length that is being sent; undefined if the response is too large by its length. */
  response: Body | undefined;
}

/** Limits the size of bodies: by their declared length, and while they stream. */
export class SizeLimitPolicy implements Policy {
  constructor(
    private readonly options: SizeLimitOptions,
    private readonly observes = false,
  ) {}

  enter(context: RequestContext): HttpResponse | undefined {
    const { requestBytes: limit } = this.options;
    const { body } = context.request;
    if (limit === undefined || body === undefined) return undefined;
    const size = context.body?.length ?? body.length ?? body.received;
    if (size > limit)
      return reject(context, "body_too_large", {
        detail: `The body is larger than ${limit} bytes.`,
        decision: { reason: "request_too_large", limit },
      });
    if (!this.observes) body.limit = Math.min(body.limit, limit);
    return undefined;
  }

  leave(context: RequestContext, response: HttpResponse): HttpResponse {
    const { responseBytes: limit } = this.options;
    if (limit === undefined || context.method === "HEAD" || context.rejection !== undefined) return response;
    const { body } = response;
    // A stream of unknown length may have arrived with its head.
    if ((response.bodyLength ?? (body instanceof Body ? body.received : 0)) > limit) {
      this.#keep(context, undefined);
      if (this.observes) return response;
      response.discard();
      return reject(context, "response_too_large", { detail: `The response is larger than ${limit} bytes.` });
    }
    if (body instanceof Body && body.length === undefined) {
      if (!this.observes) body.limit = Math.min(body.limit, limit);
      this.#keep(context, body);
    }
    return response;
  }

  done(context: RequestContext): RejectedResponse | undefined {
    const { requestBytes, responseBytes } = this.options;
    const state = stateOf<SizeLimitState>(context, this);
    if (state && (state.response === undefined || this.#isTooLarge(state.response, responseBytes!)))
      return { rejection: "response_too_large", detail: { reason: "response_too_large", limit: responseBytes! } };
    const { body } = context.request;
    if (requestBytes !== undefined && body && this.#isTooLarge(body, requestBytes))
      return { rejection: "body_too_large", detail: { reason: "request_too_large", limit: requestBytes } };
    return undefined;
  }

  #isTooLarge(body: Body, limit: number): boolean {
    return this.observes ? body.received > limit : body.failure instanceof BodyTooLarge;
  }

  #keep(context: RequestContext, response: Body | undefined): void {
    const state: SizeLimitState = { policy: this, previous: context.state, response };
    context.state = state;
  }
}
