import { isJsonObject } from "../../../lib/text/json-object.ts";
import { unescapePointer } from "../../../lib/text/json-pointer.ts";

/** A value to fill in, with an example from the document. */
interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  value: string;
  isRequired: boolean;
}

/** The parts of an OpenAPI operation that are needed to build a request. */
export interface Operation {
  parameters: Parameter[];
  contentType: string | undefined;
  body: string;
}

type Json = Record<string, unknown>;

const maxDepth = 8;

/** Parses the document. Returns undefined if there is none, or if it cannot be parsed: then nothing is filled in. */
export async function parseDocument(
  document: { file: string; text: string } | null | undefined,
): Promise<Json | undefined> {
  if (!document) return undefined;
  try {
    if (document.file.endsWith(".json")) return objectOf(JSON.parse(document.text));
    // Loaded only for projects in YAML.
    const { parse } = await import("yaml");
    return objectOf(parse(document.text));
  } catch {
    return undefined;
  }
}

/** The parameters and the body of a route. Path parameters that the document lacks are added. */
export function operationOf(document: Json | undefined, method: string, path: string): Operation {
  const resolve = resolverOf(document);
  const item = resolve(objectOf(document?.paths)?.[path]);
  const operation = resolve(item?.[method.toLowerCase()] ?? item?.["x-tollgate-any"]);
  const declared = [...listOf(item?.parameters), ...listOf(operation?.parameters)].map(resolve);
  const byPlace = new Map<string, Parameter>();
  for (const [, name = ""] of path.matchAll(/\{([^{}+]+)\+?\}/g))
    byPlace.set(`path ${name}`, { name, in: "path", value: "", isRequired: true });
  for (const parameter of declared) {
    const { name, in: place } = parameter ?? {};
    if (typeof name !== "string" || (place !== "path" && place !== "query" && place !== "header")) continue;
    const value = textOf(exampleOf(parameter!, resolve));
    byPlace.set(`${place} ${name}`, { name, in: place, value, isRequired: parameter!.required === true });
  }
  const content = objectOf(resolve(operation?.requestBody)?.content) ?? {};
  const contentType = Object.keys(content).find((type) => type.includes("json")) ?? Object.keys(content)[0];
  const media = contentType === undefined ? undefined : resolve(content[contentType]);
  const example = media && exampleOf(media, resolve);
  return {
    parameters: [...byPlace.values()],
    contentType,
    body: example === undefined ? "" : typeof example === "string" ? example : JSON.stringify(example, null, 2),
  };
}

/** Fills the parameters of a path in. `{rest+}` keeps its slashes. */
export function filledPath(path: string, values: Record<string, string>): string {
  return path.replace(/\{([^{}+]+)(\+?)\}/g, (_, name: string, rest: string) => {
    const value = values[name] ?? "";
    return rest ? value.split("/").map(encodeURIComponent).join("/") : encodeURIComponent(value);
  });
}

type Resolve = (value: unknown) => Json | undefined;

/** Follows references inside the document. Others resolve to nothing. */
function resolverOf(document: Json | undefined): Resolve {
  return (value) => {
    let found = objectOf(value);
    for (let depth = 0; typeof found?.$ref === "string" && depth < maxDepth; depth++) {
      if (!found.$ref.startsWith("#/")) return undefined;
      const names = found.$ref.slice(2).split("/").map(unescapePointer);
      found = names.reduce<Json | undefined>((at, name) => objectOf(at?.[name]), document);
    }
    return found;
  };
}

/** The example of a parameter or media type: its own, one of its schema, or a value of its type. */
function exampleOf(owner: Json, resolve: Resolve): unknown {
  if (owner.example !== undefined) return owner.example;
  const named = resolve(Object.values(objectOf(owner.examples) ?? {})[0]);
  if (named?.value !== undefined) return named.value;
  return generatedValue(owner.schema, resolve, 0);
}

function generatedValue(place: unknown, resolve: Resolve, depth: number): unknown {
  const schema = resolve(place);
  if (!schema || depth > maxDepth) return undefined;
  const given =
    schema.example ?? schema.default ?? schema.const ?? listOf(schema.examples)[0] ?? listOf(schema.enum)[0];
  if (given !== undefined) return given;
  const parts = listOf(schema.allOf).map((part) => generatedValue(part, resolve, depth + 1));
  const [option] = [...listOf(schema.oneOf), ...listOf(schema.anyOf)];
  const type = listOf(schema.type)[0] ?? schema.type;
  if (type === "object" || schema.properties || parts.length > 0) {
    const members = Object.entries(objectOf(schema.properties) ?? {}).map(([name, member]) => [
      name,
      generatedValue(member, resolve, depth + 1),
    ]);
    return Object.assign({}, ...parts.filter((part) => typeof part === "object"), Object.fromEntries(members));
  }
  if (option !== undefined) return generatedValue(option, resolve, depth + 1);
  if (type === "array") return [generatedValue(schema.items, resolve, depth + 1)].filter((item) => item !== undefined);
  if (type === "integer" || type === "number") return typeof schema.minimum === "number" ? schema.minimum : 1;
  if (type === "boolean") return true;
  return type === "string" ? "" : undefined;
}

const objectOf = (value: unknown): Json | undefined => (isJsonObject(value) ? value : undefined);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string =>
  value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
