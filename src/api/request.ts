import { z } from "zod";
import { fieldErrors, jsonPointer } from "../core/problems/field-errors.ts";
import { type FieldError, invalid, Problem } from "../core/problems/problem.ts";
import type { Body } from "../platform/http1/body.ts";
import type { HttpRequest } from "../platform/http1/http-request.ts";
import type { Endpoint, TagFilter } from "./endpoint.ts";

const smallBody = 1024 * 1024;
const largeBody = 10 * 1024 * 1024;
const tagPrefix = "tag.";

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

const mostTagConditions = 20;

/** The conditions of a request, each once: what is stored has a value per name, so a repeated one says nothing new. */
export function checkTags(endpoint: Endpoint, query: QueryText): TagFilter {
  if (!endpoint.takesTags) return noQuery.tags;
  if ("tag" in query.values) throw invalid("?tag", "must name a property: tag.<property>=<value>");
  if (query.tags.length === 0) return noQuery.tags;
  const conditions = new Map<string, TagFilter[number]>();
  for (const tag of query.tags) {
    if (tag.name === "") throw invalid("?tag.", "must name a property: tag.<property>=<value>");
    conditions.set(`${tag.name}\0${tag.value}`, tag);
    if (conditions.size > mostTagConditions)
      throw invalid(`?${tagPrefix}${tag.name}`, `is one tag condition too many: at most ${mostTagConditions}`);
  }
  return [...conditions.values()];
}

export function checkQuery(endpoint: Endpoint, query: QueryText): unknown {
  if (!endpoint.query) return query.values;
  const result = endpoint.query.safeParse(query.values);
  if (result.success) return result.data;
  throw validationProblem(fieldErrors(result.error.issues, (path) => `?${path.join(".")}`));
}

/** The body as text, refused as soon as it proves too large. A body that came with its head is there without waiting. */
export function readBody({ body }: HttpRequest, endpoint: Endpoint): string | Promise<string> {
  if (!body) return "";
  const limit = endpoint.largeBody ? largeBody : smallBody;
  if (body.length !== undefined && body.length > limit) throw tooLarge(limit);
  // What is only looked at (a key to verify) need not be proven UTF-8; what is stored must.
  const decode = endpoint.run.kind === "read" ? lenient : strict;
  const text = body.wholeText();
  if (text !== undefined) return text;
  const whole = body.whole();
  if (whole) return whole.length > limit ? refuseTooLarge(limit) : decode(whole);
  return body.bytes(limit).then((bytes) => (bytes ? decode(bytes) : refuseTooLarge(limit)), cutShort);
}

function refuseTooLarge(limit: number): never {
  throw tooLarge(limit);
}

/** The client went away in the middle, or broke the rules of HTTP: that is no fault of the server. */
function cutShort(): never {
  throw new Problem("invalid_json", { detail: "The body is cut short." });
}

const byteOrderMark = 0xfeff;

/** What is not UTF-8 becomes question marks of a kind, and is then no key that anybody has. */
function lenient(bytes: Buffer): string {
  const text = bytes.toString();
  return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text;
}

/** Of a body that is only looked at; undefined where not all of it is here. */
export function textOf(body: Body): string | undefined {
  const text = body.wholeText();
  if (text !== undefined) return text;
  const bytes = body.whole();
  return bytes && lenient(bytes);
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function strict(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Problem("invalid_json", { detail: "The body is not valid JSON: it is not UTF-8." });
  }
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

/** For operations that take no body but tolerate an empty one. */
export const noBody = z
  .strictObject({})
  .optional()
  .meta({ examples: [{}] });
