import { ownCopy } from "../../../lib/cache/own-copy.ts";
import { bufferPiece } from "../../../platform/http1/memory/buffer-memory.ts";
import { Body } from "../../../platform/http1/message/body.ts";
import { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../../platform/http1/message/http-request.ts";
import { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import { NameSet } from "../../../platform/http1/message/name-set.ts";
import { type Policy, type PolicyState, type RequestContext, stateOf } from "../../exchange/policy.ts";
import type { CachedResponse, CachedResponses } from "./cached-responses.ts";
import type { CacheOptions } from "./schema.ts";

interface CacheState extends PolicyState {
  /** The URL, as a text that no other policy has. */
  url: string;
  /** The key of the response. Undefined if the request may change the resource. */
  key: string | undefined;
}

/** Methods that change nothing. */
const safeMethods = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "QUERY"]);

const maxBodyBytes = 1024 * 1024;

/** Headers of a single exchange, which are not stored. */
const notStored = new Set(["age", "connection", "content-length", "transfer-encoding", "x-cache", "x-request-id"]);

/** The headers of a 304. */
const of304 = new Set(["cache-control", "content-location", "date", "etag", "expires", "last-modified", "vary"]);

/**
 * Headers that upstreams may depend on without naming them in `Vary`: the requested host, whose port the client
 * chooses, and headers that override the URL or the method. Not `x-forwarded-for`, which differs for every client.
 */
const alwaysVaries = new NameSet(
  "forwarded",
  "x-forwarded-host",
  "x-forwarded-path",
  "x-forwarded-port",
  "x-forwarded-prefix",
  // A cached redirect to https would also be served to https clients, forever.
  "x-forwarded-proto",
  "x-forwarded-scheme",
  "x-forwarded-server",
  "x-forwarded-ssl",
  "x-host",
  "x-http-method",
  "x-http-method-override",
  "x-method-override",
  "x-original-host",
  "x-original-url",
  "x-rewrite-url",
);

/** A value that no header can have. */
const absent = "\0";

/** Responds with stored responses for as long as they are fresh. */
export class CachePolicy implements Policy {
  readonly #owner: string;

  constructor(
    private readonly responses: CachedResponses,
    private readonly options: CacheOptions,
  ) {
    this.#owner = responses.nextOwner();
  }

  enter(context: RequestContext): HttpResponse | undefined {
    const { request, method, headers, now } = context;
    const isHead = method === "HEAD";
    const url = `${this.#owner}\n${context.address}`;
    if (!safeMethods.has(method)) return this.#remember(context, url);
    if ((method !== "GET" && !isHead) || headers.has("range") || request.headers.has("upgrade")) return undefined;
    // The response may depend on the body.
    if (request.body || context.body) return undefined;
    const key = this.#keyOf(context, url);
    const stored = rejectsStored(headers) ? undefined : this.responses.find(key, headers, now);
    if (stored) return hit(stored, headers, isHead, now);
    return this.#remember(context, url, key);
  }

  #remember(context: RequestContext, url: string, key?: string): undefined {
    const state: CacheState = { policy: this, previous: context.state, url, key };
    context.state = state;
  }

  leave(context: RequestContext, response: HttpResponse): HttpResponse {
    const state = stateOf<CacheState>(context, this);
    if (!state) return response;
    if (state.key === undefined) {
      if (response.status >= 200 && response.status < 400) this.responses.invalidate(state.url);
      return response;
    }
    response.headers.set("x-cache", "miss");
    const seconds = this.#freshSeconds(context, response);
    if (seconds > 0) this.#store(context, state.key, response, seconds);
    return response;
  }

  /** Neither header values nor URLs contain line ends, so different requests cannot have the same key. */
  #keyOf({ route, headers, consumerId }: RequestContext, url: string): string {
    const whose = this.options.by === "consumer" ? (consumerId ?? "") : "";
    // Policies in code may send two routes with different upstreams to one URL.
    const parts = [url, this.responses.generation(url), route.path, whose];
    for (const name of this.options.vary) parts.push(headers.get(name) ?? absent);
    if (headers.mayHold(alwaysVaries))
      for (const [name, value] of headers) if (alwaysVaries.has(name)) parts.push(`${name}: ${value}`);
    return parts.join("\n");
  }

  #freshSeconds({ method, headers, rejection, now }: RequestContext, response: HttpResponse): number {
    if (method !== "GET" || rejection !== undefined || forbidsStoring(headers)) return 0;
    if (Number(response.headers.get("content-length") ?? 0) > maxBodyBytes) return 0;
    const isPersonal = ["authorization", "cookie"].some(
      (name) => headers.has(name) && !this.options.vary.includes(name),
    );
    return freshSeconds(response, { seconds: this.options.seconds, isPersonal, now });
  }

  #store({ headers, now, request }: RequestContext, key: string, response: HttpResponse, seconds: number): void {
    const stored: Omit<CachedResponse, "body"> = {
      status: response.status,
      headers: ownCopies([...response.headers].filter(([name]) => !notStored.has(name))),
      age: Number(response.headers.get("age") ?? 0),
      storedOn: now,
      expiresOn: now + seconds * 1000,
      varies: namesIn(response.headers.get("vary")).map((name) => [name, ownCopyIfAny(headers.get(name))]),
    };
    const store = (body: Buffer) => this.responses.store(key, { ...stored, body });
    const { body } = response;
    if (body instanceof Body) collect(request, body, store);
    else store(Buffer.from(body ?? ""));
  }
}

function hit(stored: CachedResponse, request: HttpHeaders, isHead: boolean, now: number): HttpResponse {
  const isKnown = hasTag(request.get("if-none-match"), stored);
  const headers = new HttpHeaders(isKnown ? stored.headers.filter(([name]) => of304.has(name)) : stored.headers);
  headers.set("age", String(stored.age + Math.floor((now - stored.storedOn) / 1000)));
  headers.set("x-cache", "hit");
  if (isKnown) return new HttpResponse(304, headers);
  if (isHead) headers.set("content-length", String(stored.body.length));
  return new HttpResponse(stored.status, headers, isHead ? undefined : stored.body);
}

/** Weak comparison, as for If-None-Match. */
function hasTag(ifNoneMatch: string | null, { status, headers }: CachedResponse): boolean {
  const tag = headers.find(([name]) => name === "etag")?.[1];
  if (ifNoneMatch === null || tag === undefined || status !== 200) return false;
  const bare = (text: string) => text.trim().replace(/^W\//, "");
  return ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((one) => bare(one) === bare(tag));
}

function ownCopies(headers: [name: string, value: string][]): [name: string, value: string][] {
  return headers.map(([name, value]) => [name, ownCopy(value)]);
}

function ownCopyIfAny(value: string | null): string | null {
  return value === null ? null : ownCopy(value);
}

function namesIn(vary: string | null): string[] {
  return vary === null
    ? []
    : vary
        .toLowerCase()
        .split(",")
        .map((name) => name.trim());
}

/** Passes a copy of a streamed body to `done` at its end, unless it is incomplete, too large, or there is no memory for it. */
function collect(request: HttpRequest, body: Body, done: (bytes: Buffer) => void): void {
  let pieces: Buffer[] | undefined = [];
  let size = 0;
  body.observe({
    piece(bytes) {
      if (!pieces) return;
      if (size + bytes.length <= maxBodyBytes && request.reserve(bytes.length)) {
        size += bytes.length;
        bufferPiece(pieces, bytes);
        return;
      }
      request.release(size);
      pieces = undefined;
    },
    end() {
      if (pieces) done(Buffer.concat(pieces));
    },
  });
}

/** The statuses of cacheable responses. */
const cacheableStatuses = new Set([200, 203, 301, 308, 404, 410]);

interface CacheRule {
  /** The lifetime of responses that do not specify one. */
  seconds: number;
  /** Whether the target received the caller's own credentials: then only a response marked public is stored. */
  isPersonal: boolean;
  now: number;
}

/**
 * The freshness lifetime of a response in seconds; 0 if it must not be stored. Follows the rules for shared caches (RFC
 * 9111).
 */
export function freshSeconds({ status, headers }: HttpResponse, { seconds, isPersonal, now }: CacheRule): number {
  if (!cacheableStatuses.has(status) || headers.has("set-cookie") || headers.get("vary")?.includes("*")) return 0;
  const control = directivesOf(headers.get("cache-control"));
  if (control.has("no-store") || control.has("private") || control.has("no-cache")) return 0;
  if (isPersonal && !control.has("public") && !control.has("s-maxage")) return 0;
  const maxAge = control.get("s-maxage") ?? control.get("max-age");
  const fresh = maxAge === undefined ? (secondsToExpiry(headers, now) ?? seconds) : Number(maxAge);
  const age = Number(headers.get("age") ?? 0);
  return Number.isFinite(fresh - age) ? Math.max(0, fresh - age) : 0;
}

/** Whether the client requires a response from the target. */
export function rejectsStored(headers: HttpHeaders): boolean {
  const control = directivesOf(headers.get("cache-control"));
  return control.has("no-cache") || control.has("no-store");
}

export function forbidsStoring(headers: HttpHeaders): boolean {
  return directivesOf(headers.get("cache-control")).has("no-store");
}

function directivesOf(header: string | null): Map<string, string> {
  const directives = new Map<string, string>();
  if (header === null) return directives;
  for (const directive of header.toLowerCase().split(",")) {
    const [name = "", value = ""] = directive.split("=");
    directives.set(name.trim(), value.trim().replaceAll('"', ""));
  }
  return directives;
}

/** Measured by the clock of the target, which may differ from ours. An invalid date counts as expired. */
function secondsToExpiry(headers: HttpHeaders, now: number): number | undefined {
  const expires = headers.get("expires");
  if (expires === null) return undefined;
  return (Date.parse(expires) - (Date.parse(headers.get("date") ?? "") || now)) / 1000 || 0;
}
