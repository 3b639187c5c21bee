import { isJsonObject, type JsonObject } from "../../../lib/text/json-object.ts";
import type { Content, ToolResult } from "../types.ts";

/** Text above this size is cut, and larger JSON is an error: half of it would be invalid, and a model reads all of it. */
export const maxTextBytes = 256 * 1024;
/** How much of a response is read. */
export const maxResultBytes = 4 * 1024 * 1024;

/** The response of an operation. */
export interface OperationResponse {
  status: number;
  headers: { get(name: string): string | null };
  body: Buffer;
  /** Whether the body is larger than `maxResultBytes`; then `body` is its beginning. */
  isTooLarge?: boolean;
  /** The address of the operation. */
  uri: string;
}

/** Converts the response of an operation to the result of a tool. */
export function toolResult(response: OperationResponse): ToolResult {
  const { status, headers, body } = response;
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (status >= 400) return failed(response);
  if (body.length === 0) return text(emptyText(response));
  if (/^application\/([^;]+\+)?json$/.test(type)) return jsonResult(response);
  const kind = /^(image|audio)\//.exec(type)?.[1] as "image" | "audio" | undefined;
  const isText = type === "" || isTextType(type);
  if (isText) return text(shortened(body, response.isTooLarge));
  if (response.isTooLarge) return error(tooLarge(maxResultBytes));
  if (kind) return { content: [{ type: kind, data: body.toString("base64"), mimeType: type }] };
  const resource = { uri: response.uri, mimeType: type, blob: body.toString("base64") };
  return { content: [{ type: "resource", resource }] };
}

/** The API's problem, and when to try again. */
function failed({ status, headers, body, isTooLarge }: OperationResponse): ToolResult {
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  const isReadable = type === "" || isTextType(type) || type.endsWith("json");
  const parts = [`The API responded with the status ${status}.`];
  if (body.length > 0 && isReadable) parts.push(shortened(body, isTooLarge));
  const retryAfter = headers.get("retry-after");
  if (retryAfter !== null)
    parts.push(/^\d+$/.test(retryAfter) ? `Try again after ${retryAfter} seconds.` : `Try again after ${retryAfter}.`);
  return error(parts.join("\n"));
}

function jsonResult({ body, isTooLarge }: OperationResponse): ToolResult {
  if (isTooLarge || body.length > maxTextBytes) return error(tooLarge(maxTextBytes));
  const content = body.toString();
  const value = parsed(content);
  return { ...text(content), ...(isJsonObject(value) && { structuredContent: value }) };
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content) as JsonObject;
  } catch {
    return undefined;
  }
}

function emptyText({ status, headers }: OperationResponse): string {
  const location = headers.get("location");
  if (location === null) return `The API responded with the status ${status} and no content.`;
  return `The API responded with the status ${status} and the address ${location}`;
}

function isTextType(type: string): boolean {
  return /^text\/|^application\/(xml|yaml|javascript|x-www-form-urlencoded|x-ndjson|graphql)$|\+(xml|yaml)$/.test(type);
}

function tooLarge(limit: number): string {
  return `The result is larger than ${limit / 1024} KiB. Ask for less, such as fewer items or fields.`;
}

/** Cut at the end of a character. */
function shortened(body: Buffer, isTooLarge = false): string {
  if (body.length <= maxTextBytes && !isTooLarge) return body.toString();
  let end = Math.min(maxTextBytes, body.length);
  while (end > 0 && (body[end]! & 0xc0) === 0x80) end -= 1;
  return `${body.toString("utf8", 0, end)}\n\n[The text is cut here: it is longer than ${maxTextBytes / 1024} KiB.]`;
}

function text(content: string): ToolResult {
  return { content: [{ type: "text", text: content }] satisfies Content[] };
}

export function error(message: string): ToolResult {
  return { ...text(message), isError: true };
}
