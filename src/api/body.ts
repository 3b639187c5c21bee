import { z } from "zod";
import { fieldErrors, jsonPointer, parseOptions } from "../core/problems/field-errors.ts";
import { type FieldError, invalid, invalidFields, Problem } from "../core/problems/problem.ts";
import { runInSlices } from "../lib/tasks/slices.ts";
import { type JsonBounds, JsonScanner, type ScanResult } from "../lib/text/json-scanner.ts";
import type { HttpRequest } from "../platform/http1/message/http-request.ts";
import type { Batch, Endpoint } from "./endpoint.ts";
import { readBytes } from "./form.ts";

const kibibyte = 1024;
const smallBody = 1024 * kibibyte;
const largeBody = 10 * 1024 * kibibyte;
/** The maximum size without a credential. */
const anyonesBody = 16 * kibibyte;

/**
 * Returns the body as text, synchronously if it has arrived. Rejects a body that is too large as early as possible.
 * `account` is the caller's.
 */
export function readBody(
  request: HttpRequest,
  endpoint: Endpoint,
  account: string | undefined,
): string | Promise<string> {
  const { body } = request;
  if (!body) return "";
  const limit = endpoint.access === "anyone" ? anyonesBody : endpoint.largeBody ? largeBody : smallBody;
  if ((body.length ?? 0) <= limit) {
    const text = body.wholeText();
    if (text !== undefined) return text;
  }
  if (account !== undefined) request.account = `management ${account}`;
  // Only bodies that may be stored must be valid UTF-8.
  const decode = endpoint.run.kind === "read" ? lenient : strict;
  const bytes = readBytes(request, limit, "invalid_json");
  return bytes instanceof Promise ? bytes.then(decode) : decode(bytes);
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

/** The bounds of a body, or of one item of a batch. Parsing that much takes about 30 ms. */
const bounds: JsonBounds = { depth: 512, values: 100_000, members: 20_000 };
const boundErrors: Record<keyof JsonBounds, string> = {
  depth: `must not be nested deeper than ${bounds.depth}`,
  values: `must have at most ${bounds.values} values`,
  members: `must have at most ${bounds.members} members in all`,
};

/** A body of this length is within the bounds, or costs no more than one that is. */
const alwaysBounded = 8 * kibibyte;
const charactersAtOnce = 256 * kibibyte;

/** Returns the validated body. Ignores Content-Type, because existing clients send JSON as text/plain. */
export function checkBody(endpoint: Endpoint, text: string): unknown {
  if (!endpoint.body) return undefined;
  if (text.length <= alwaysBounded) return checkValue(endpoint, endpoint.body, text);
  return runInSlices(checkLong(endpoint, endpoint.body, text));
}

function* checkLong(endpoint: Endpoint, schema: z.ZodType, text: string): Generator<void, unknown> {
  const start = text.search(/[^ \t\r\n]/);
  if (endpoint.batch && text[start] === "[") {
    const items = yield* checkBatch(endpoint.batch, text, start + 1);
    return items.length > 0 ? items : checkValue(endpoint, schema, "[]");
  }
  const scanner = new JsonScanner(text, bounds);
  rejectUnbounded(yield* scan(scanner), "");
  return checkValue(endpoint, schema, text);
}

function checkValue(endpoint: Endpoint, schema: z.ZodType, text: string): unknown {
  const value = text === "" ? undefined : parseJson(text);
  const parsed = endpoint.parse?.(value);
  if (parsed !== undefined) return parsed;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  if (value === undefined) throw invalid("", "must be JSON");
  throw invalidFields(errorsOf(schema, value, []));
}

/** Validates again with the input in the issues, which distinguishes a missing field from a wrong one. */
function errorsOf(schema: z.ZodType, value: unknown, path: PropertyKey[]): FieldError[] {
  const { error } = schema.safeParse(value, parseOptions);
  return fieldErrors(error!.issues, (inner) => jsonPointer([...path, ...inner]));
}

/** The maximum number of errors in one response. */
const maxErrors = 100;

/** Parses and validates the items of an array one by one, and stops at the first item beyond the maximum. */
function* checkBatch({ item, max, tooMany }: Batch, text: string, start: number): Generator<void, unknown[]> {
  const scanner = new JsonScanner(text, bounds);
  const items: unknown[] = [];
  const errors: FieldError[] = [];
  for (let from = start; ; from = scanner.position + 1) {
    scanner.begin(from);
    rejectUnbounded(yield* scan(scanner), `/${items.length}`);
    const end = text[scanner.position];
    const part = text.slice(from, scanner.position);
    if (end === "]" && items.length === 0 && part.trim() === "") break;
    if (items.length === max) throw invalid("", tooMany);
    const value = parseJson(part);
    if (value === undefined || (end !== "," && end !== "]")) throw notJson();
    const result = item.safeParse(value);
    if (!result.success) errors.push(...errorsOf(item, value, [items.length]));
    if (errors.length >= maxErrors) break;
    items.push(result.data);
    if (end === "]") break;
    yield;
  }
  if (errors.length > 0) throw invalidFields(errors.slice(0, maxErrors));
  if (text.slice(scanner.position + 1).trim() !== "") throw notJson();
  return items;
}

function* scan(scanner: JsonScanner): Generator<void, ScanResult> {
  for (;;) {
    const result = scanner.scan(charactersAtOnce);
    if (result !== "more") return result;
    yield;
  }
}

function rejectUnbounded(result: ScanResult, pointer: string): void {
  if (result !== "end" && result !== "more") throw invalid(pointer, boundErrors[result]);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (text.trim() === "") return undefined;
    throw notJson(error);
  }
}

/** Includes the engine's message unless it quotes the input, which may be a key. */
function notJson(error?: unknown): Problem {
  const message = error instanceof SyntaxError ? error.message.replace(/^JSON Parse error: /, "") : "it cannot be read";
  const shown = /["'`]/.test(message.replace(/Expected '[^']'/g, "")) ? "it cannot be read" : message;
  return new Problem("invalid_json", { detail: `The body is not valid JSON: ${shown}` });
}

/** For operations without a body that accept an empty object. */
export const noBody = z
  .strictObject({})
  .optional()
  .meta({ examples: [{}] });
