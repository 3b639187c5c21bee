import { measureJson } from "../../../core/json-schema/json-text.ts";
import { parseExactJson } from "../../../lib/text/exact-json.ts";
import type { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import { readWhole } from "../../../platform/http1/message/read-whole.ts";
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
    if (!Buffer.isBuffer(bytes)) return bytes;
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
    const bytes = await readWhole(context.request, response.body ?? "", maxBodyBytes);
    if (bytes === "full") return reject(context, "buffers_full", { retryAfterSeconds: 1 });
    if (typeof bytes === "string")
      return reject(context, "response_too_large", { detail: `The response is larger than ${maxBodyBytes} bytes.` });
    if (bytes.length === 0) return response;
    const changed = changedText(bytes, changes);
    if (changed === undefined)
      return reject(context, "response_unreadable", { detail: "The upstream's response is not valid JSON." });
    for (const name of contentHeaders) headers.delete(name);
    return new HttpResponse(status, headers, changed);
  }
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
