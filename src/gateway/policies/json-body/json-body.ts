import { measureJson } from "../../../core/json-schema/json-text.ts";
import { parseExactJson } from "../../../lib/text/exact-json.ts";
import { Body } from "../../../platform/http1/message/body.ts";
import type { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { Policy, RequestContext } from "../../exchange/policy.ts";
import { reject } from "../../exchange/rejection.ts";
import { readRequestBody } from "../../exchange/request-body.ts";
import { DocumentChanges } from "./document-changes.ts";
import type { JsonBodyOptions } from "./schema.ts";

const maxBodyBytes = 1024 * 1024;

/** Headers that describe the body before the change. */
const contentHeaders = ["content-length", "etag", "content-md5", "digest", "content-digest", "repr-digest"];

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Changes members of JSON bodies. Bodies of other media types pass unchanged. */
export class JsonBodyPolicy implements Policy {
  readonly #request: DocumentChanges | undefined;
  readonly #response: DocumentChanges | undefined;

  constructor({ request, response }: JsonBodyOptions) {
    this.#request = request && new DocumentChanges(request);
    this.#response = response && new DocumentChanges(response);
  }

  enter(context: RequestContext): HttpResponse | undefined | Promise<HttpResponse | undefined> {
    // A compressed response could not be changed.
    if (this.#response) context.headers.set("accept-encoding", "identity");
    const { headers, request } = context;
    if (!this.#request || request.body === undefined || !isJson(headers)) return undefined;
    return this.#changeRequest(context, this.#request);
  }

  leave(context: RequestContext, response: HttpResponse): HttpResponse | Promise<HttpResponse> {
    const { status, headers } = response;
    if (!this.#response || context.rejection !== undefined || !isJson(headers)) return response;
    if (context.method === "HEAD") {
      for (const name of contentHeaders) headers.delete(name);
      return response;
    }
    if (status === 101 || status === 204 || status === 304) return response;
    return this.#changeResponse(context, response, this.#response);
  }

  async #changeRequest(context: RequestContext, changes: DocumentChanges): Promise<HttpResponse | undefined> {
    const { headers } = context;
    if (headers.has("content-encoding"))
      return reject(context, "unsupported_media_type", {
        detail: "This operation does not accept compressed bodies.",
        decision: { reason: "compressed" },
      });
    const bytes = await readRequestBody(context, maxBodyBytes);
    if (!bytes)
      return reject(context, "body_too_large", {
        detail: `The body is larger than ${maxBodyBytes} bytes.`,
        decision: { reason: "body_too_large", limit: maxBodyBytes },
      });
    if (bytes.length === 0) return undefined;
    const changed = changedText(bytes, changes);
    if (changed === undefined) return reject(context, "invalid_json", { decision: { reason: "invalid_json" } });
    context.body = Buffer.from(changed);
    for (const name of contentHeaders) headers.delete(name);
    return undefined;
  }

  /** A response that cannot be changed is not sent: the change may remove data that clients must not see. */
  async #changeResponse(
    context: RequestContext,
    response: HttpResponse,
    changes: DocumentChanges,
  ): Promise<HttpResponse> {
    const { status, headers } = response;
    const encoding = headers.get("content-encoding");
    if (encoding !== null && encoding.toLowerCase() !== "identity") {
      response.discard();
      return reject(context, "response_unreadable", { detail: "The upstream's response is compressed." });
    }
    const bytes = await readResponseBody(response);
    if (!bytes)
      return reject(context, "response_too_large", { detail: `The response is larger than ${maxBodyBytes} bytes.` });
    if (bytes.length === 0) return response;
    const changed = changedText(bytes, changes);
    if (changed === undefined)
      return reject(context, "response_unreadable", { detail: "The upstream's response is not valid JSON." });
    for (const name of contentHeaders) headers.delete(name);
    return new HttpResponse(status, headers, changed);
  }
}

/** Returns undefined if the body is too large. */
async function readResponseBody(response: HttpResponse): Promise<Buffer | undefined> {
  const { body, bodyLength = 0 } = response;
  if (bodyLength > maxBodyBytes) {
    response.discard();
    return undefined;
  }
  return body instanceof Body ? await body.bytes(maxBodyBytes) : Buffer.from(body ?? "");
}

/** Returns undefined if the bytes are not JSON, or nested too deeply. */
function changedText(bytes: Uint8Array, changes: DocumentChanges): string | undefined {
  if (measureJson(bytes).isTooDeep) return undefined;
  try {
    const text = decoder.decode(bytes);
    const document = parseExactJson(text);
    changes.apply(document);
    return JSON.stringify(document);
  } catch {
    return undefined;
  }
}

function isJson(headers: HttpHeaders): boolean {
  const type = headers.get("content-type") ?? "";
  return /^\s*[^/\s]+\/(?:json|[^/;\s]+\+json)\s*(?:;|$)/i.test(type);
}
