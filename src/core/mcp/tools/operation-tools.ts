import { isJsonObject, type JsonObject } from "../../../lib/text/json-object.ts";
import { resolvedIn } from "../../../lib/text/json-pointer.ts";
import type { Tool, ToolAnnotations } from "../types.ts";
import { maxParts, SchemaInliner } from "./schema-inliner.ts";
import type { BodyBinding, ParameterBinding, ParameterPlace, ToolBinding } from "./tool-request.ts";

/** Keywords of an object whose members can be arguments of their own. */
const plainKeywords = new Set([
  ...["type", "properties", "required", "title", "description", "example", "examples", "deprecated", "xml"],
  ...["externalDocs", "additionalProperties", "default", "$comment", "nullable"],
]);

/** Whether an object has only declared members, and no rules about several of them. */
function isPlainObjectSchema(schema: JsonObject): boolean {
  const { type = "object", properties, additionalProperties } = schema;
  if (type !== "object" || !isJsonObject(properties)) return false;
  if (additionalProperties !== undefined && additionalProperties !== false) return false;
  return Object.keys(schema).every((name) => plainKeywords.has(name) || name.startsWith("x-"));
}

/** An operation of a document as a tool. Plain JSON. */
export interface OperationTool {
  tool: Tool;
  binding: ToolBinding;
  /** The size of the tool in `tools/list`, and an estimate of the tokens that a model reads for it. */
  bytes: number;
  tokens: number;
}

export interface ToolSource {
  path: string;
  /** Upper case. */
  method: string;
  /** By default the operationId. */
  name?: string;
  /** Whether responses are validated, so that the tool can promise their schema. */
  hasOutput?: boolean;
}

/** Thrown for an operation that cannot be a tool. */
export class UnusableOperation extends Error {}

const toolName = /^[A-Za-z0-9_-]{1,64}$/;
/** The names of properties that all models accept. */
const argumentName = /^[A-Za-z0-9_.-]{1,64}$/;
const bytesPerToken = 4;

/** Headers that describe the message or its sender: never arguments. */
const ownHeaders = new Set([
  ...["authorization", "proxy-authorization", "cookie", "accept", "content-type", "content-length", "host"],
  ...["connection", "keep-alive", "transfer-encoding", "upgrade", "te", "trailer", "expect", "forwarded"],
]);
const ownHeaderPrefix = /^(x-forwarded-|x-tollgate-|mcp-|proxy-)/;

const styles: Record<ParameterPlace, readonly string[]> = {
  path: ["simple"],
  query: ["form", "deepObject", "spaceDelimited", "pipeDelimited"],
  header: ["simple"],
};

interface Parameter {
  name: string;
  in: string;
  definition: JsonObject;
}

/** Makes tools of the operations of an OpenAPI document, whose references all point into it. */
export class OperationTools {
  readonly #credentials: ReadonlySet<string>;

  constructor(
    private readonly document: JsonObject,
    { credentialHeaders = [] }: { credentialHeaders?: readonly string[] } = {},
  ) {
    this.#credentials = new Set([
      ...credentialHeaders.map((name) => `header ${name.toLowerCase()}`),
      ...securityParameters(document),
    ]);
  }

  /** Throws an UnusableOperation. */
  toolOf({ path, method, name, hasOutput }: ToolSource): OperationTool {
    const pathItem = this.#resolved((this.document.paths as JsonObject | undefined)?.[path]);
    const operation = this.#resolved(operationIn(pathItem, method));
    if (!pathItem || !operation) throw new UnusableOperation(`The document has no operation ${method} ${path}.`);
    const named = name ?? operation.operationId;
    if (typeof named !== "string" || !toolName.test(named))
      throw new UnusableOperation(
        "the name of a tool is its operationId, of at most 64 letters, digits, underscores and hyphens",
      );
    const parameters = this.#parametersOf(pathItem, operation);
    const input = SchemaInliner.convert(this.document, "request", (inliner) =>
      this.#inputOf(parameters, this.#resolved(operation.requestBody), inliner),
    );
    if (!input) throw new UnusableOperation(`its schemas have more than ${maxParts} parts`);
    const { result, definitions } = input;
    const { properties, required, bindings, body } = result;
    const outputSchema = hasOutput ? this.#outputOf(operation) : undefined;
    const tool: Tool = {
      name: named,
      ...titleOf(operation),
      ...descriptionOf(operation, `${method} ${path}`),
      inputSchema: {
        type: "object",
        properties,
        ...(required.length > 0 && { required }),
        ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
      },
      ...(outputSchema && { outputSchema }),
      annotations: annotationsOf(method),
    };
    const bytes = Buffer.byteLength(JSON.stringify(tool));
    const binding: ToolBinding = { method, path, parameters: bindings, ...(body && { body }) };
    return { tool, binding, bytes, tokens: Math.ceil(bytes / bytesPerToken) };
  }

  #resolved(value: unknown): JsonObject | undefined {
    return resolvedIn(this.document, value);
  }

  /** Those of the operation override those of its path. */
  #parametersOf(pathItem: JsonObject, operation: JsonObject): Parameter[] {
    const found = new Map<string, Parameter>();
    for (const { parameters } of [pathItem, operation])
      for (const each of Array.isArray(parameters) ? parameters : []) {
        const definition = this.#resolved(each);
        if (typeof definition?.name !== "string" || typeof definition.in !== "string") continue;
        const { name, in: place } = definition as { name: string; in: string };
        found.set(`${place} ${place === "header" ? name.toLowerCase() : name}`, { name, in: place, definition });
      }
    return [...found].flatMap(([key, parameter]) => (this.#isArgument(key, parameter) ? [parameter] : []));
  }

  #isArgument(key: string, { name, in: place, definition }: Parameter): boolean {
    if (place === "cookie" || place === "querystring") {
      if (definition.required !== true) return false;
      throw new UnusableOperation(
        place === "cookie"
          ? `the operation requires the cookie "${name}", which a tool cannot send`
          : `the operation requires the parameter "${name}", the query as a whole, which a tool cannot send`,
      );
    }
    if (this.#credentials.has(key)) return false;
    const lower = name.toLowerCase();
    return place !== "header" || !(ownHeaders.has(lower) || ownHeaderPrefix.test(lower));
  }

  #inputOf(parameters: readonly Parameter[], requestBody: JsonObject | undefined, inliner: SchemaInliner) {
    const properties: JsonObject = {};
    const required: string[] = [];
    const bindings = parameters.map((parameter): ParameterBinding => {
      const { name, in: place, definition } = parameter;
      const argument = argumentFor(name, place, properties);
      const { binding, schema } = bindingOf(parameter, argument, this.#resolved.bind(this));
      const converted = inliner.convert(schema);
      const description = definition.description ?? (isJsonObject(converted) ? converted.description : undefined);
      properties[argument] = {
        ...(isJsonObject(converted) ? converted : {}),
        ...(typeof description === "string" && { description }),
      };
      if (binding.required) required.push(argument);
      return binding;
    });
    const body = requestBody && this.#bodyOf(requestBody, inliner, properties, required);
    return { properties, required, bindings, body };
  }

  /** Adds the arguments of the body: its members, or `body`. */
  #bodyOf(
    requestBody: JsonObject,
    inliner: SchemaInliner,
    properties: JsonObject,
    required: string[],
  ): BodyBinding | undefined {
    const isRequired = requestBody.required === true;
    const content = isJsonObject(requestBody.content) ? requestBody.content : {};
    const mediaType = sentType(Object.keys(content));
    if (mediaType === undefined) {
      if (!isRequired) return undefined;
      throw new UnusableOperation(
        `a tool sends bodies of JSON, forms and text, and the operation requires ${Object.keys(content).join(" or ") || "another"}`,
      );
    }
    const schema = this.#resolved(content[mediaType])?.schema ?? {};
    const binding = { mediaType: mediaType.split(";")[0]!.trim(), required: isRequired };
    const plain = this.#resolved(schema);
    const converted =
      plain && isPlainObjectSchema(plain) ? inliner.convert(withoutReference(schema, plain)) : undefined;
    const members = isJsonObject(converted) && isJsonObject(converted.properties) ? converted.properties : undefined;
    const names = Object.keys(members ?? {});
    const isFlat = names.length > 0 && names.every((name) => isArgumentName(name) && !Object.hasOwn(properties, name));
    if (isFlat && !isText(mediaType)) {
      Object.assign(properties, members);
      // Members of an optional body are required only if there is a body.
      if (isRequired) required.push(...((converted as { required?: string[] }).required ?? []));
      return { ...binding, members: names };
    }
    const argument = Object.hasOwn(properties, "body") ? argumentFor("body", "content", properties) : "body";
    const whole = isText(mediaType) ? { type: "string" } : inliner.convert(schema);
    const { description } = requestBody;
    properties[argument] = {
      ...(isJsonObject(whole) ? whole : {}),
      ...(typeof description === "string" && { description }),
    };
    if (isRequired) required.push(argument);
    return { ...binding, argument };
  }

  /** The schema of the only successful response, if that is an object. */
  #outputOf(operation: JsonObject): JsonObject | undefined {
    const responses = isJsonObject(operation.responses) ? operation.responses : {};
    const successes = Object.keys(responses).filter((status) => /^2/.test(status));
    if (successes.length !== 1 || "default" in responses) return undefined;
    const content = this.#resolved(responses[successes[0]!])?.content;
    const types = isJsonObject(content) ? Object.keys(content) : [];
    if (types.length !== 1 || !isJson(types[0]!)) return undefined;
    const schema = this.#resolved((content as JsonObject)[types[0]!])?.schema;
    const output = SchemaInliner.convert(this.document, "response", (inliner) => {
      const plain = this.#resolved(schema);
      return plain && plain.type === "object" ? inliner.convert(withoutReference(schema, plain)) : undefined;
    });
    if (!isJsonObject(output?.result) || output.result.type !== "object") return undefined;
    const { result, definitions } = output;
    return { ...result, ...(Object.keys(definitions).length > 0 && { $defs: definitions }) };
  }
}

/** A definition as the root of a schema, where a reference must not be. */
function withoutReference(schema: unknown, resolved: JsonObject): JsonObject {
  return isJsonObject(schema) && typeof schema.$ref !== "string" ? schema : resolved;
}

function operationIn(pathItem: JsonObject | undefined, method: string): unknown {
  const others = pathItem?.additionalOperations;
  return pathItem?.[method.toLowerCase()] ?? (isJsonObject(others) ? others[method] : undefined);
}

/** A name for an argument that is not taken. Other names than those of models' schemas are replaced. */
function argumentFor(name: string, place: string, taken: JsonObject): string {
  const plain = name.replaceAll(/[^A-Za-z0-9]+/g, "_").slice(0, 48) || "value";
  const free = isArgumentName(name) ? name : plain;
  if (!Object.hasOwn(taken, free)) return free;
  let argument = `${free.slice(0, 48)}_${place}`;
  for (let number = 2; Object.hasOwn(taken, argument); number += 1)
    argument = `${free.slice(0, 48)}_${place}_${number}`;
  return argument;
}

function isArgumentName(name: string): boolean {
  return argumentName.test(name) && name !== "__proto__";
}

function bindingOf(
  { name, in: place, definition }: Parameter,
  argument: string,
  resolved: (value: unknown) => JsonObject | undefined,
): { binding: ParameterBinding; schema: unknown } {
  const at = place as ParameterPlace;
  const binding = { argument, name, in: at, required: definition.required === true };
  if (isJsonObject(definition.content)) {
    const [type, content] = Object.entries(definition.content)[0] ?? ["", undefined];
    if (!isJson(type))
      throw new UnusableOperation(`the parameter "${name}" has the media type "${type}", which a tool cannot send`);
    return { binding: { ...binding, isJson: true }, schema: resolved(content)?.schema };
  }
  const style = (definition.style as string | undefined) ?? styles[at][0]!;
  if (!styles[at].includes(style))
    throw new UnusableOperation(`the parameter "${name}" has the style "${style}", which a tool cannot send`);
  const explode = (definition.explode as boolean | undefined) ?? style === "form";
  return { binding: { ...binding, style, explode }, schema: definition.schema };
}

function titleOf({ summary }: JsonObject): Pick<Tool, "title"> {
  return typeof summary === "string" && summary.trim() !== "" ? { title: summary.trim() } : {};
}

function descriptionOf({ summary, description, deprecated }: JsonObject, fallback: string): Pick<Tool, "description"> {
  const texts = [summary, description].filter((text): text is string => typeof text === "string" && text.trim() !== "");
  const distinct = texts.map((text) => text.trim()).filter((text, at, all) => all.indexOf(text) === at);
  if (deprecated === true) distinct.push("This operation is deprecated.");
  return { description: distinct.join("\n\n") || fallback };
}

/** POST may do anything, so nothing is promised. */
function annotationsOf(method: string): ToolAnnotations {
  if (["GET", "HEAD", "OPTIONS", "QUERY"].includes(method)) return { readOnlyHint: true };
  if (method === "PUT" || method === "DELETE")
    return { readOnlyHint: false, destructiveHint: true, idempotentHint: true };
  return { readOnlyHint: false, destructiveHint: true, idempotentHint: false };
}

/** The media type that a tool sends, of those that the operation accepts. */
function sentType(types: readonly string[]): string | undefined {
  return (
    types.find((type) => isJson(type)) ??
    types.find((type) => type.startsWith("application/x-www-form-urlencoded")) ??
    types.find((type) => isText(type)) ??
    (types.some((type) => type === "*/*" || type === "application/*") ? "application/json" : undefined)
  );
}

function isJson(type: string): boolean {
  return /^application\/([^;]+\+)?json\b/i.test(type);
}

function isText(type: string): boolean {
  return /^text\/[^*]/i.test(type);
}

/** Parameters that carry the API's own credentials. */
function securityParameters({ components }: JsonObject): string[] {
  const schemes =
    isJsonObject(components) && isJsonObject(components.securitySchemes) ? components.securitySchemes : {};
  return Object.values(schemes).flatMap((scheme) => {
    if (!isJsonObject(scheme) || scheme.type !== "apiKey" || typeof scheme.name !== "string") return [];
    return `${scheme.in} ${scheme.in === "header" ? scheme.name.toLowerCase() : scheme.name}`;
  });
}
