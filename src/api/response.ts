import { emptyResponse, jsonResponse, type PlainResponse } from "../core/http/response.ts";
import { etagOf, matchesTag } from "../lib/http/etag.ts";
import type { HttpRequest } from "../platform/http1/message/http-request.ts";
import type { Endpoint, Reply } from "./endpoint.ts";
import { showsSecrets } from "./redact.ts";
import { nextPageLink, type PageBody } from "./schemas.ts";
import { type JsonText, serialize } from "./serialize.ts";

/**
 * Returns the response to a handler's reply, synchronously unless it is large. The response schema filters the body:
 * fields that it does not declare are dropped.
 */
export function responseOf(
  endpoint: Endpoint,
  request: HttpRequest,
  address: { path: string; search: string },
  reply: Reply<unknown>,
): PlainResponse | Promise<PlainResponse> {
  if (!endpoint.response) return emptyResponse(204, { ...reply.headers });
  const text = reply.text ?? serialize(endpoint.response, reply.body);
  return text instanceof Promise
    ? text.then((whole) => responseWith(whole, endpoint, request, address, reply))
    : responseWith(text, endpoint, request, address, reply);
}

function responseWith(
  text: JsonText,
  endpoint: Endpoint,
  request: HttpRequest,
  address: { path: string; search: string },
  reply: Reply<unknown>,
): PlainResponse {
  const response = jsonResponse(text);
  if (reply.startsJob || endpoint.accepted === "always") response.status = 202;
  if (reply.headers) Object.assign(response.headers, reply.headers);
  // Keys and tokens must not be cached.
  const caching = showsSecrets(endpoint) ? { "cache-control": "no-store" } : undefined;
  if (caching) Object.assign(response.headers, caching);
  if (reply.revision) {
    const etag = etagOf(reply.revision, reply.composed ? Bun.hash(response.body!).toString(36) : "");
    const ifNoneMatch = endpoint.method === "GET" ? request.headers.get("if-none-match") : null;
    if (ifNoneMatch !== null && matchesTag(ifNoneMatch, etag)) return emptyResponse(304, { etag, ...caching });
    response.headers.etag = etag;
  }
  if (endpoint.isList) {
    const next = nextPageLink(address, reply.body as PageBody);
    if (next) response.headers.link = next;
  }
  return response;
}
