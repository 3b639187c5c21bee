import { measureJson } from "../../../core/json-schema/json-text.ts";
import { isExactNumber, parseExactJson } from "../../../lib/text/exact-json.ts";
import { unescapePointer } from "../../../lib/text/json-pointer.ts";
import type { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import { readWhole } from "../../../platform/http1/message/read-whole.ts";
import type { Policy, RequestContext } from "../../exchange/policy.ts";
import { reject } from "../../exchange/rejection.ts";
import { readRequestBody } from "../../exchange/request-body.ts";
import type { JsonBodyOptions, JsonChanges } from "./schema.ts";

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

type Container = Record<string, unknown> | unknown[];

/** Renames, then removes, then sets. A change at a path that does not exist and cannot be created has no effect. */
export class DocumentChanges {
  readonly #renames: [from: string[], to: string[]][];
  readonly #removals: string[][];
  readonly #values: [path: string[], value: unknown][];

  constructor({ set, remove, rename }: JsonChanges) {
    this.#renames = Object.entries(rename).map(([from, to]) => [segmentsOf(from), segmentsOf(to)]);
    this.#removals = remove.map(segmentsOf);
    this.#values = Object.entries(set).map(([pointer, value]) => [segmentsOf(pointer), value]);
  }

  /** Changes the document in place. */
  apply(document: unknown): void {
    if (!isContainer(document)) return;
    for (const [from, to] of this.#renames) {
      const parent = parentOf(document, from);
      const name = from.at(-1)!;
      if (parent === undefined || !has(parent, name)) continue;
      const value = (parent as Record<string, unknown>)[name];
      removeFrom(parent, name);
      set(document, to, value);
    }
    for (const path of this.#removals) {
      const parent = parentOf(document, path);
      if (parent !== undefined && has(parent, path.at(-1)!)) removeFrom(parent, path.at(-1)!);
    }
    // A copy, because the next document must not share the value.
    for (const [path, value] of this.#values) set(document, path, structuredClone(value));
  }
}

function segmentsOf(pointer: string): string[] {
  return pointer.slice(1).split("/").map(unescapePointer);
}

function parentOf(document: Container, path: string[]): Container | undefined {
  let parent: unknown = document;
  for (const segment of path.slice(0, -1)) {
    if (!isContainer(parent) || !has(parent, segment)) return undefined;
    parent = (parent as Record<string, unknown>)[segment];
  }
  return isContainer(parent) ? parent : undefined;
}

/** Creates missing objects and lists on the path; `-` is the position after the last item of a list. */
function set(document: Container, path: string[], value: unknown): void {
  let parent: Container = document;
  for (const [at, segment] of path.slice(0, -1).entries()) {
    if (!has(parent, segment) && !add(parent, segment, path[at + 1] === "-" ? [] : {})) return;
    const next = (parent as Record<string, unknown>)[segment];
    if (!isContainer(next)) return;
    parent = next;
  }
  add(parent, path.at(-1)!, value);
}

/** Returns false if a list has no such position. */
function add(parent: Container, name: string, value: unknown): boolean {
  if (!Array.isArray(parent)) {
    // An assignment to "__proto__" would change the prototype.
    Object.defineProperty(parent, name, { value, writable: true, enumerable: true, configurable: true });
    return true;
  }
  if (name === "-") parent.push(value);
  else if (has(parent, name)) parent[Number(name)] = value;
  else return false;
  return name !== "-";
}

function has(parent: Container, name: string): boolean {
  if (Array.isArray(parent)) return /^(?:0|[1-9]\d*)$/.test(name) && Number(name) < parent.length;
  return Object.hasOwn(parent, name);
}

function removeFrom(parent: Container, name: string): void {
  if (Array.isArray(parent)) parent.splice(Number(name), 1);
  else delete parent[name];
}

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null && !isExactNumber(value);
}
