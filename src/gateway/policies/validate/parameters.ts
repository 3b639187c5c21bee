import type { RouteValidation } from "../../../core/artifact/artifact.ts";
import type { Budget } from "../../../core/json-schema/budget.ts";
import { Check } from "../../../core/json-schema/check.ts";
import { coerce } from "../../../core/json-schema/coercion.ts";
import { explain, maxErrors } from "../../../core/json-schema/explain.ts";
import { prepareInSlices } from "../../../core/json-schema/prepare-in-slices.ts";
import type { SchemaNode } from "../../../core/json-schema/schema-node.ts";
import type { FieldError } from "../../../core/problems/problem.ts";
import { valueAt } from "../../../lib/text/json-pointer.ts";
import { percentDecoded } from "../../../lib/text/percent-decoded.ts";
import type { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import type { RequestContext } from "../../exchange/policy.ts";

type Parameter = RouteValidation["parameters"][number];

/** A parameter and its schema. */
interface CheckedParameter extends Parameter {
  isList: boolean;
  node: SchemaNode;
}

const none: FieldError[] = [];
const noCookies = new Map<string, string[]>();

/** The parts of a request that contain parameters. */
interface Carriers {
  context: RequestContext;
  query: URLSearchParams;
  cookies: Map<string, string[]>;
}

/** Checks parameters, which are texts converted to the types of their schemas. */
export class ParameterCheck {
  readonly #readsCookies: boolean;

  private constructor(private readonly parameters: CheckedParameter[]) {
    this.#readsCookies = parameters.some((parameter) => parameter.in === "cookie");
  }

  static async prepare(parameters: Parameter[]): Promise<ParameterCheck> {
    const checked: CheckedParameter[] = [];
    for (const parameter of parameters) {
      const types = typesOf(parameter.schema);
      // An object is spread over several parameters with arbitrary names: it is not checked.
      if (types.includes("object")) continue;
      const node = await prepareInSlices(parameter.schema);
      checked.push({ ...parameter, isList: types.includes("array"), node });
    }
    return new ParameterCheck(checked);
  }

  /** Throws `BudgetExceeded`. */
  errors(context: RequestContext, budget: Budget): FieldError[] {
    if (this.parameters.length === 0) return none;
    const cookies = this.#readsCookies ? readCookies(context.headers) : noCookies;
    const query = new URLSearchParams(context.search);
    // The cost of looking up the parameters.
    budget.spend(this.parameters.length * (10 + query.size));
    const carriers = { context, query, cookies };
    const check = new Check(budget);
    let errors = none;
    for (const parameter of this.parameters) {
      const found = errorsOf(parameter, carriers, check);
      if (found.length > 0) errors = [...errors, ...found];
      if (errors.length >= maxErrors) break;
    }
    return errors;
  }
}

function errorsOf(parameter: CheckedParameter, carriers: Carriers, check: Check): FieldError[] {
  const value = readValue(parameter, carriers);
  // The target may use another of several values than the checked one.
  if (isAmbiguous(parameter, value, carriers))
    return [{ pointer: placeOf(parameter), detail: "occurs more than once" }];
  if (value === undefined) return parameter.required ? [{ pointer: placeOf(parameter), detail: "is required" }] : none;
  const coerced = coerce(check, parameter.node, value);
  if (check.child(parameter.node, coerced, 0)) return none;
  return explain(parameter.node, coerced, placeOf(parameter), check.budget);
}

function placeOf(parameter: Parameter): string {
  return parameter.in === "query" ? `?${parameter.name}` : parameter.name;
}

function readValue(parameter: CheckedParameter, { context, query, cookies }: Carriers): string | string[] | undefined {
  const { name, isList, explode } = parameter;
  switch (parameter.in) {
    case "query": {
      const values = query.getAll(name);
      if (values.length === 0) return undefined;
      if (values.length > 1) return values;
      return isList && !explode ? values[0]!.split(",") : values[0]!;
    }
    case "header": {
      const value = context.headers.get(name.toLowerCase());
      if (value === null) return undefined;
      return isList ? value.split(",").map((item) => item.trim()) : value;
    }
    case "path":
    case "cookie": {
      const value = parameter.in === "path" ? context.params[name] : cookies.get(name)?.[0];
      return isList ? value?.split(",") : value;
    }
  }
}

/** Several values for a single-value parameter: only rules for arrays would check all of them. */
function isAmbiguous({ in: place, name, node }: CheckedParameter, value: unknown, { cookies }: Carriers): boolean {
  if (place === "cookie") return (cookies.get(name)?.length ?? 0) > 1;
  const isForOne = node.types === 0 && !node.verdict && !node.ref && !node.inPlace && !node.arrays;
  return place === "query" && isForOne && Array.isArray(value);
}

function readCookies(headers: HttpHeaders): Map<string, string[]> {
  const cookies = new Map<string, string[]>();
  for (const [header, text] of headers) {
    for (const pair of header === "cookie" ? text.split(";") : []) {
      const end = pair.indexOf("=");
      if (end === -1) continue;
      const name = pair.slice(0, end).trim();
      const value = percentDecoded(pair.slice(end + 1).trim());
      const others = cookies.get(name);
      if (others) others.push(value);
      else cookies.set(name, [value]);
    }
  }
  return cookies;
}

const maxReferences = 10;

/** The types of a schema, also by a reference within itself. */
function typesOf(root: unknown): unknown[] {
  let schema = root;
  for (let count = 0; count < maxReferences; count++) {
    if (typeof schema !== "object" || schema === null) return [];
    const { $ref, type } = schema as { $ref?: unknown; type?: unknown };
    if (type !== undefined || typeof $ref !== "string" || !$ref.startsWith("#")) return [type].flat();
    schema = valueAt(root, $ref);
  }
  return [];
}
