import { isJsonObject, type JsonObject } from "../../../lib/text/json-object.ts";

export type ParameterPlace = "path" | "query" | "header";

/** How an argument becomes a parameter. */
export interface ParameterBinding {
  argument: string;
  name: string;
  in: ParameterPlace;
  required: boolean;
  style?: string;
  explode?: boolean;
  /** The value is sent as JSON text. */
  isJson?: true;
}

/** How arguments become the body: one of them as a whole, or several as its members. */
export interface BodyBinding {
  mediaType: string;
  required: boolean;
  argument?: string;
  members?: string[];
}

/** How the arguments of a tool become a request. */
export interface ToolBinding {
  method: string;
  /** The path template of the operation. */
  path: string;
  parameters: ParameterBinding[];
  body?: BodyBinding;
}

export interface ToolRequest {
  method: string;
  path: string;
  /** Without `?`. */
  query: string;
  headers: [name: string, value: string][];
  body?: Buffer;
}

/** Thrown for arguments that cannot be sent. The message is for the model. */
export class ArgumentError extends Error {}

/** Throws an ArgumentError. The arguments match the tool's schema. */
export function toolRequest(binding: ToolBinding, given: JsonObject): ToolRequest {
  const { method, parameters, body } = binding;
  let { path } = binding;
  const query: string[] = [];
  const headers: [string, string][] = [];
  for (const parameter of parameters) {
    const value = Object.hasOwn(given, parameter.argument) ? given[parameter.argument] : undefined;
    if (value === undefined || value === null) {
      if (parameter.required) throw new ArgumentError(`${parameter.argument} is required.`);
    } else if (parameter.in === "path") path = withPathParameter(path, parameter, value);
    else if (parameter.in === "query") query.push(...queryOf(parameter, value));
    else headers.push([parameter.name.toLowerCase(), headerOf(parameter, value)]);
  }
  const content = body && bodyOf(body, given);
  if (content) headers.push(["content-type", body.mediaType]);
  return { method, path, query: query.join("&"), headers, ...(content && { body: content }) };
}

function withPathParameter(path: string, { name, argument, explode }: ParameterBinding, value: unknown): string {
  const text = listed(argument, value, explode ?? false).join(",");
  const isRest = path.endsWith(`{${name}+}`);
  const segments = isRest ? text.split("/") : [text];
  if (text.split(/[/\\]/).some((segment) => segment === "." || segment === ".."))
    throw new ArgumentError(`${argument} must not contain "." or ".." as a segment.`);
  if (segments.some((segment) => segment === "")) throw new ArgumentError(`${argument} must not be empty.`);
  const encoded = segments.map((segment) => encode(argument, segment)).join("/");
  return path.replace(isRest ? `{${name}+}` : `{${name}}`, () => encoded);
}

function queryOf(parameter: ParameterBinding, value: unknown): string[] {
  const { argument, style, explode, isJson } = parameter;
  const name = encode(argument, parameter.name);
  if (isJson) return [`${name}=${encode(argument, JSON.stringify(value))}`];
  if (isJsonObject(value)) {
    const members = Object.entries(value).filter(([, each]) => each !== undefined && each !== null);
    if (style === "deepObject")
      return members.flatMap(([key, each]) =>
        (Array.isArray(each) ? each : [each]).map(
          (item) => `${name}${encode(argument, `[${key}]`)}=${encode(argument, plain(argument, item))}`,
        ),
      );
    if (explode)
      return members.map(([key, each]) => `${encode(argument, key)}=${encode(argument, plain(argument, each))}`);
  }
  const texts = listed(argument, value, false).map((text) => encode(argument, text));
  if (explode && Array.isArray(value)) return texts.map((text) => `${name}=${text}`);
  const separator = style === "spaceDelimited" ? "%20" : style === "pipeDelimited" ? "%7C" : ",";
  return [`${name}=${texts.join(separator)}`];
}

function headerOf({ argument, explode, isJson }: ParameterBinding, value: unknown): string {
  const text = isJson ? JSON.stringify(value) : listed(argument, value, explode ?? false).join(",");
  if (!/^[\x20-\x7e\t]*$/.test(text) || text !== text.trim())
    throw new ArgumentError(`${argument} is sent as a header and must consist of printable ASCII characters.`);
  return text;
}

/** The texts of a value: of a list its items, of an object its names and values. */
function listed(argument: string, value: unknown, explode: boolean): string[] {
  if (Array.isArray(value)) return value.map((each) => plain(argument, each));
  if (!isJsonObject(value)) return [plain(argument, value)];
  return Object.entries(value).flatMap(([name, each]) =>
    explode ? [`${name}=${plain(argument, each)}`] : [name, plain(argument, each)],
  );
}

function plain(argument: string, value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw new ArgumentError(`${argument} must not contain null, lists or objects inside of another value.`);
}

/** Also encodes characters that have a meaning to some servers, and that `encodeURIComponent` leaves. */
function encode(argument: string, text: string): string {
  try {
    return encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  } catch {
    throw new ArgumentError(`${argument} is not valid Unicode.`);
  }
}

function bodyOf({ mediaType, required, argument, members }: BodyBinding, given: JsonObject): Buffer | undefined {
  let value: unknown;
  if (members) {
    const sent = members.filter((name) => Object.hasOwn(given, name));
    if (sent.length > 0 || required) value = Object.fromEntries(sent.map((name) => [name, given[name]]));
  } else if (argument !== undefined && Object.hasOwn(given, argument)) value = given[argument];
  if (value === undefined) return undefined;
  if (mediaType.startsWith("text/")) return Buffer.from(String(value));
  if (mediaType === "application/x-www-form-urlencoded") return Buffer.from(formOf(value));
  return Buffer.from(JSON.stringify(value));
}

function formOf(value: unknown): string {
  if (!isJsonObject(value)) throw new ArgumentError("The body must be an object.");
  const fields = Object.entries(value).flatMap(([name, each]) =>
    (Array.isArray(each) ? each : [each]).map((item): [string, string] => [name, plain(name, item)]),
  );
  return new URLSearchParams(fields).toString();
}
