import type { ProblemCode } from "../../../core/problems/catalogue.ts";
import { Body } from "../../../platform/http1/message/body.ts";
import { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import { errorEvent } from "../../exchange/model-errors.ts";
import { reject } from "../../exchange/rejection.ts";
import type { ModelCall } from "../metering/model-call.ts";
import type { ParsedRequest } from "../request/read-request.ts";
import { EventForwarder } from "./event-forwarder.ts";
import { cleanResponseHeaders } from "./response-headers.ts";

interface Delivery {
  response: HttpResponse;
  call: ModelCall;
  exchange: Exchange;
  request: ParsedRequest;
  secrets: readonly string[];
}

const brokenDetail = "The connection to the provider failed in the middle of its response.";

/** Converts a provider's successful response to that of the caller: its body is the same, except for one event. */
export function deliver({ response, call, exchange, request, secrets }: Delivery): HttpResponse {
  const { headers } = response;
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding.trim().toLowerCase() !== "identity") {
    call.responded(response);
    response.discard();
    exchange.failure = new Error("the provider encoded its response, which was not accepted");
    return reject(exchange, "model_provider_failed");
  }
  const isStream = headers.get("content-type")?.toLowerCase().startsWith("text/event-stream") ?? false;
  return isStream
    ? deliverEvents({ response, call, exchange, request, secrets })
    : deliverWhole(response, call, secrets);
}

function deliverWhole(response: HttpResponse, call: ModelCall, secrets: readonly string[]): HttpResponse {
  call.responded(response);
  cleanResponseHeaders(response.headers, secrets);
  return response;
}

function deliverEvents({ response, call, exchange, request, secrets }: Delivery): HttpResponse {
  const { operation, isStream, wantsUsage } = request;
  const { requestId } = exchange;
  const dropsUsage = operation === "chat/completions" && isStream && !wantsUsage;
  const { headers, status, body } = response;
  const eventOf = (code: ProblemCode, detail: string) =>
    errorEvent(operation, { status: 502, code, detail, requestId });
  const source = body instanceof Body ? body : Body.of(Buffer.from((body ?? "") as Uint8Array));
  const forwarder = new EventForwarder(source, {
    holding: () => call.holding,
    dropsUsage,
    brokenEvent: () => eventOf("upstream_unavailable", brokenDetail),
    secretEvent: () => {
      exchange.failure = new Error("the provider returned an error that contains its credential");
      return eventOf("model_provider_failed", "The provider failed in the middle of its response.");
    },
    secrets,
  });
  call.onHoldFailed = (code, detail) => forwarder.stop(eventOf(code, detail));
  call.responded(response);
  cleanResponseHeaders(headers, secrets);
  headers.delete("content-length");
  forwarder.start();
  return new HttpResponse(status, headers, forwarder.body);
}
