import { z } from "zod";
import { fieldErrors, jsonPointer } from "../core/problems/field-errors.ts";
import { invalid, invalidFields, Problem } from "../core/problems/problem.ts";
import { maxTagConditions, tooManyTagConditions } from "../core/schemas/schemas.ts";
import type { HttpRequest } from "../platform/http1/message/http-request.ts";
import { ProtocolError } from "../platform/http1/message/protocol-error.ts";
import type { Endpoint, TagFilter } from "./endpoint.ts";

const smallBody = 1024 * 1024;
const largeBody = 10 * 1024 * 1024;
const tagPrefix = "tag.";

export interface QueryText {
  values: Record<string, string>;
  tags: TagFilter;
}

export const noQuery: QueryText = { values: {}, tags: [] };

export function readQuery(search: string): QueryText {
  if (search === "") return noQuery;
  const values: Record<string, string> = Object.create(null);
  const tags: TagFilter = [];
  for (const [name, value] of new URLSearchParams(search)) {
    if (name.includes("\0") || value.includes("\0")) throw invalid(`?${name}`, "must not contain NUL characters");
    if (name.startsWith(tagPrefix)) tags.push({ name: name.slice(tagPrefix.length), value });
    else if (name in values) throw invalid(`?${name}`, "is given more than once");
    else values[name] = value;
  }
  return { values, tags };
}

/** What was probably meant as a condition: `tag`, `tags.plan`, `Tag.plan`, `tag[plan]`. */
const likeTag = /^\W*tags?(?![a-z])/i;

/**
 * The tag conditions of a request, without duplicates. One that is not understood is rejected, never ignored: it may be all
 * that keeps a caller from changing what belongs to somebody else.
 */
export function checkTags(endpoint: Endpoint, query: QueryText): TagFilter {
  if (!endpoint.takesTags && endpoint.method === "GET") return noQuery.tags;
  for (const name in query.values)
    if (likeTag.test(name)) throw invalid(`?${name}`, "must name a property: tag.<property>=<value>");
  if (!endpoint.takesTags && query.tags.length > 0)
    throw invalid(`?${tagPrefix}${query.tags[0]!.name}`, "is no condition of this operation");
  if (query.tags.length === 0) return noQuery.tags;
  const conditions = new Map<string, TagFilter[number]>();
  for (const tag of query.tags) {
    if (tag.name === "") throw invalid("?tag.", "must name a property: tag.<property>=<value>");
    conditions.set(`${tag.name}\0${tag.value}`, tag);
    if (conditions.size > maxTagConditions) throw invalid(`?${tagPrefix}${tag.name}`, tooManyTagConditions);
  }
  return [...conditions.values()];
}

export function checkQuery(endpoint: Endpoint, query: QueryText): unknown {
  if (!endpoint.query) return query.values;
  const result = endpoint.query.safeParse(parametersOf(endpoint, query));
  if (result.success) return result.data;
  throw invalidFields(fieldErrors(result.error.issues, (path) => `?${path.join(".")}`));
}

/** Conditions on tags are parameters like any other where an operation has none: those that reject unknown ones reject them too. */
function parametersOf(endpoint: Endpoint, { values, tags }: QueryText): QueryText["values"] {
  const others = withoutAccount(values);
  if (endpoint.takesTags || tags.length === 0) return others;
  return { ...others, ...Object.fromEntries(tags.map(({ name, value }) => [`${tagPrefix}${name}`, value])) };
}

/** The name of the account is no parameter of any one operation: it was used to find the account. */
function withoutAccount(values: QueryText["values"]): QueryText["values"] {
  if (values.accountName === undefined) return values;
  const { accountName: _, ...others } = values;
  return others;
}

/** The body as text; synchronous if it has arrived. Rejects a body that is too large as early as possible. */
export function readBody({ body }: HttpRequest, endpoint: Endpoint): string | Promise<string> {
  if (!body) return "";
  const limit = endpoint.largeBody ? largeBody : smallBody;
  if (body.length !== undefined && body.length > limit) throw tooLarge(limit);
  // Only bodies that may be stored must be valid UTF-8.
  const decode = endpoint.run.kind === "read" ? lenient : strict;
  const text = body.wholeText();
  if (text !== undefined) return text;
  const whole = body.whole();
  if (whole) return whole.length > limit ? rejectTooLarge(limit) : decode(whole);
  return body.bytes(limit).then((bytes) => (bytes ? decode(bytes) : rejectTooLarge(limit)), cutShort);
}

function rejectTooLarge(limit: number): never {
  throw tooLarge(limit);
}

/** The client disconnected, or sent an invalid body or too slowly. */
function cutShort(error: unknown): never {
  if (error instanceof ProtocolError && error.status === 408) throw new Problem("request_timeout");
  throw new Problem("invalid_json", { detail: "The body is incomplete." });
}

const byteOrderMark = 0xfeff;

/** Invalid UTF-8 becomes U+FFFD, which no key contains. */
function lenient(bytes: Buffer): string {
  const text = bytes.toString();
  return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text;
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function strict(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Problem("invalid_json", { detail: "The body is not valid JSON: it is not UTF-8." });
  }
}

/** Ignores Content-Type: existing clients send JSON as text/plain. */
export function checkBody(endpoint: Endpoint, text: string): unknown {
  if (!endpoint.body) return undefined;
  const value = text === "" ? undefined : parseJson(text);
  const parsed = endpoint.parse?.(value);
  if (parsed !== undefined) return parsed;
  const result = endpoint.body.safeParse(value);
  if (result.success) return result.data;
  if (value === undefined) throw invalid("", "must be JSON");
  // Again with the input in the issues, which distinguishes a missing field from a wrong one.
  const { error } = endpoint.body.safeParse(value, { reportInput: true });
  throw invalidFields(fieldErrors(error!.issues, jsonPointer));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (text.trim() === "") return undefined;
    throw new Problem("invalid_json", { detail: `The body is not valid JSON: ${jsonError(error)}` });
  }
}

/** The engine's message, unless it quotes the input, which may be a key. */
function jsonError(error: unknown): string {
  const message = error instanceof SyntaxError ? error.message.replace(/^JSON Parse error: /, "") : "it cannot be read";
  return /["'`]/.test(message.replace(/Expected '[^']'/g, "")) ? "it cannot be read" : message;
}

function tooLarge(limit: number): Problem {
  return new Problem("body_too_large", { detail: `The body is larger than ${limit / 1024 / 1024} MiB.` });
}

/** For operations without a body that accept an empty object. */
export const noBody = z
  .strictObject({})
  .optional()
  .meta({ examples: [{}] });
