import { KnownPrices } from "../../../core/model-prices/known-prices.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import type { ModelCall, ModelRequest, ModelTarget } from "./call-types.ts";
import { MeteredCall } from "./metered-call.ts";

export type { ModelCall, ModelRequest } from "./call-types.ts";

/** Holds what a request may use. Returns a rejection if the budget does not suffice. */
export function beginModelCall(
  exchange: Exchange,
  request: ModelRequest,
  target: ModelTarget,
): ModelCall | HttpResponse | Promise<ModelCall | HttpResponse> {
  const begin = (known: KnownPrices) => {
    const call = new MeteredCall(exchange, { request, target, known });
    const held = call.begin();
    return held instanceof Promise ? held.then((rejection) => rejection ?? call) : (held ?? call);
  };
  const known = KnownPrices.loaded;
  return known ? begin(known) : KnownPrices.load().then(begin);
}

/** Counts a request for the list of models. */
export function beginModelsList(exchange: Exchange): HttpResponse | undefined | Promise<HttpResponse | undefined> {
  return new MeteredCall(exchange, undefined).begin();
}
