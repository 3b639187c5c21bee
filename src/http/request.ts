import { z } from "zod";
import { type FieldError, invalid, Problem } from "../problems/problem.ts";
import { redactText } from "../telemetry/log.ts";
import type { Endpoint, TagFilter } from "./endpoint.ts";
import { fieldErrors, jsonPointer } from "./issues.ts";

const smallBody = 1024 * 1024;
const largeBody = 10 * 1024 * 1024;
const tagPrefix = "tag.";

/** Path and query of a request's address, without the cost of a URL object. */
export function splitAddress(url: string): { path: string; search: string } {
  // A request of HTTP/1.0 may name no host; health checks do that.
  const pathAt = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("//") + 2);
  if (pathAt === -1) return { path: "/", search: "" };
  const searchAt = url.indexOf("?", pathAt);
  let path = searchAt === -1 ? url.slice(pathAt) : url.slice(pathAt, searchAt);
  if (path.length > 1 && path.endsWith("/")) path = path.slice(0, -1);
  return { path, search: searchAt === -1 ? "" : url.slice(searchAt + 1) };
}

export interface QueryText {
  values: Record<string, string>;
  tags: TagFilter;
}

const noQuery: QueryText = { values: {}, tags: [] };

export function readQuery(search: string): QueryText {
  if (search === "") return noQuery;
  const values: Record<string, string> = Object.create(null);
  const tags: TagFilter = [];
  for (const [name, value] of new URLSearchParams(search)) {
    if (name.includes("\0") || value.includes("\0")) throw invalid(`?${name}`, "must not hold NUL characters");
    if (name.startsWith(tagPrefix)) tags.push({ name: name.slice(tagPrefix.length), value });
    else if (name in values) throw invalid(`?${name}`, "is given more than once");
    else values[name] = value;
  }
  return { values, tags };
}

export function checkQuery(endpoint: Endpoint, query: QueryText): unknown {
  if (!endpoint.query) return query.values;
  const result = endpoint.query.safeParse(query.values);
  if (result.success) return result.data;
  throw validationProblem(fieldErrors(result.error.issues, (path) => `?${path.join(".")}`));
}

/** The body as text, refused as soon as it proves too large. */
export function readBody(request: Request, endpoint: Endpoint): Promise<string> {
  const limit = endpoint.largeBody ? largeBody : smallBody;
  const declared = request.headers.get("content-length");
  if (declared === null) return readUndeclared(request, limit);
  if (Number(declared) > limit) throw tooLarge(limit);
  // What is only looked at (a key to verify) need not pay 0.4 µs to be proven UTF-8; what is stored must.
  if (endpoint.run.kind === "read") return request.text().catch(cutShort);
  return request.bytes().then((bytes) => decode(strictUtf8(), bytes), cutShort);
}

/** The client went away in the middle, or broke the rules of HTTP: that is no fault of the server. */
function cutShort(): never {
  throw new Problem("invalid_json", { detail: "The body is cut short." });
}

/** Whether the body is declared to have less than 1,000 bytes. */
export function isSmall(request: Request): boolean {
  const declared = request.headers.get("content-length");
  return declared !== null && declared.length <= 3;
}

async function readUndeclared(request: Request, limit: number): Promise<string> {
  if (!request.body) return "";
  const decoder = strictUtf8();
  let size = 0;
  let text = "";
  for await (const chunk of chunksOf(request.body)) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(limit);
    text += decode(decoder, chunk, { stream: true });
  }
  return text + decode(decoder);
}

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body as unknown as AsyncIterable<Uint8Array>;
  } catch {
    cutShort();
  }
}

const strictUtf8 = () => new TextDecoder("utf-8", { fatal: true });

function decode(decoder: TextDecoder, bytes?: Uint8Array, options?: { stream: boolean }): string {
  try {
    return decoder.decode(bytes, options);
  } catch {
    throw new Problem("invalid_json", { detail: "The body is not valid JSON: it is not UTF-8." });
  }
}

/** More than comes with the headers in one go. */
const muchUnread = 16 * 1024;

/** Whether the client may still be sending what nobody is going to read. */
export function leavesMuchUnread(request: Request): boolean {
  if (request.bodyUsed) return false;
  return Number(request.headers.get("content-length")) > muchUnread || request.headers.has("transfer-encoding");
}

/** JSON whatever the content type says: existing clients send it as text/plain. */
export function checkBody(endpoint: Endpoint, text: string): unknown {
  if (!endpoint.body) return undefined;
  const value = text === "" ? undefined : parseJson(text);
  const result = endpoint.body.safeParse(value);
  if (result.success) return result.data;
  if (value === undefined) throw invalid("", "a JSON body is required");
  // Once more with the input in the issues, which tells a missing field from a wrong one.
  const { error } = endpoint.body.safeParse(value, { reportInput: true });
  throw validationProblem(fieldErrors(error!.issues, jsonPointer));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (text.trim() === "") return undefined;
    throw new Problem("invalid_json", { detail: `The body is not valid JSON: ${jsonMistake(error)}` });
  }
}

/** The engine's message, but none that repeats what was sent: it may be a key. */
function jsonMistake(error: unknown): string {
  const message = error instanceof SyntaxError ? error.message.replace(/^JSON Parse error: /, "") : "it cannot be read";
  return /["'`]/.test(message.replace(/Expected '[^']'/g, "")) ? "it cannot be read" : message;
}

function validationProblem(errors: FieldError[]): Problem {
  const first = errors[0]!;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  const where = first.pointer === "" ? "the body" : first.pointer;
  return new Problem("validation_failed", { detail: `${where} ${first.detail}${more}`, errors });
}

function tooLarge(limit: number): Problem {
  return new Problem("body_too_large", { detail: `The body is larger than ${limit / 1024 / 1024} MiB.` });
}

const saneRequestId = /^[\w.:/+=-]{1,128}$/;

export function requestIdOf(request: Request): string {
  const given = request.headers.get("x-request-id");
  const isSane = given !== null && saneRequestId.test(given) && redactText(given) === given;
  return isSane ? given : crypto.randomUUID();
}

/** For operations that take no body but tolerate an empty one. */
export const noBody = z
  .strictObject({})
  .optional()
  .meta({ examples: [{}] });
