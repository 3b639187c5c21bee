import type { RouteValidation } from "../../../deployments/artifact.ts";
import type { FieldError } from "../../../problems/problem.ts";
import type { Passage } from "../../policy.ts";
import { describe } from "./errors.ts";
import { schemaCompiler, type ValidateFunction } from "./json-schema.ts";

type Parameter = RouteValidation["parameters"][number];

/** A parameter and the function that checks what it came to. */
interface CheckedParameter extends Parameter {
  isList: boolean;
  validate: ValidateFunction;
}

/** What a request carries parameters in. */
interface Carriers {
  passage: Passage;
  query: URLSearchParams;
  cookies: Map<string, string>;
}

/** Checks parameters: text, read as the types that their schemas ask for. */
export class ParameterCheck {
  readonly #parameters: CheckedParameter[];
  readonly #readsCookies: boolean;

  constructor(parameters: Parameter[]) {
    const compiler = schemaCompiler({ allErrors: true, coerceTypes: "array" });
    this.#parameters = parameters
      .map((parameter) => ({ parameter, types: typesOf(parameter.schema) }))
      // An object spreads over several parameters, whose names only it knows: it is not checked.
      .filter(({ types }) => !types.includes("object"))
      .map(({ parameter, types }) => {
        const validate = compiler.compile(parameter.schema as object | boolean);
        return { ...parameter, isList: types.includes("array"), validate };
      });
    this.#readsCookies = parameters.some((parameter) => parameter.in === "cookie");
  }

  errors(passage: Passage): FieldError[] {
    if (this.#parameters.length === 0) return [];
    const cookies = this.#readsCookies ? readCookies(passage.headers.get("cookie") ?? "") : new Map<string, string>();
    const carriers = { passage, query: new URLSearchParams(passage.search), cookies };
    return this.#parameters.flatMap((parameter) => errorsOf(parameter, carriers));
  }
}

function errorsOf(parameter: CheckedParameter, carriers: Carriers): FieldError[] {
  const place = parameter.in === "query" ? `?${parameter.name}` : parameter.name;
  const value = readValue(parameter, carriers);
  if (value === undefined) return parameter.required ? [{ pointer: place, detail: "is required" }] : [];
  // What a text is read as is written where it came from, so it must come from somewhere.
  const parentData = { value };
  const at = { instancePath: "", parentData, parentDataProperty: "value", rootData: parentData, dynamicAnchors: {} };
  if (parameter.validate(value, at)) return [];
  return (parameter.validate.errors ?? []).map((error) => describe(error, place));
}

function readValue(parameter: CheckedParameter, { passage, query, cookies }: Carriers): string | string[] | undefined {
  const { name, isList, explode } = parameter;
  switch (parameter.in) {
    case "query": {
      const values = query.getAll(name);
      if (values.length === 0) return undefined;
      if (values.length > 1) return values;
      return isList && !explode ? values[0]!.split(",") : values[0]!;
    }
    case "header": {
      const value = passage.headers.get(name.toLowerCase());
      if (value === null) return undefined;
      return isList ? value.split(",").map((item) => item.trim()) : value;
    }
    case "path":
    case "cookie": {
      const value = parameter.in === "path" ? passage.params[name] : cookies.get(name);
      return isList ? value?.split(",") : value;
    }
  }
}

function readCookies(header: string): Map<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of header.split(";")) {
    const end = pair.indexOf("=");
    if (end === -1) continue;
    const value = pair.slice(end + 1).trim();
    cookies.set(pair.slice(0, end).trim(), decoded(value));
  }
  return cookies;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

const mostReferences = 10;

/** The types that a schema names, perhaps by a reference within itself. */
function typesOf(root: unknown): unknown[] {
  let schema = root;
  for (let count = 0; count < mostReferences; count++) {
    if (typeof schema !== "object" || schema === null) return [];
    const { $ref, type } = schema as { $ref?: unknown; type?: unknown };
    if (type !== undefined || typeof $ref !== "string" || !$ref.startsWith("#")) return [type].flat();
    schema = resolve(root, $ref);
  }
  return [];
}

function resolve(root: unknown, reference: string): unknown {
  let found = root;
  for (const part of reference.slice(1).split("/").slice(1)) {
    const name = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
    found = (found as Record<string, unknown> | undefined)?.[name];
  }
  return found;
}
