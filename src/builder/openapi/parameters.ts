import type { Located } from "../documents/located.ts";
import type { PathTemplate } from "./path-template.ts";
import type { DocumentContext } from "./references.ts";

export interface ApiParameter {
  name: string;
  /** `querystring`, of OpenAPI 3.2, is the query as a whole. */
  in: "path" | "query" | "header" | "cookie" | "querystring";
  definition: Located;
}

const places = ["path", "query", "header", "cookie"];

export function readParameters(owner: Located, context: DocumentContext): ApiParameter[] {
  const list = owner.member("parameters");
  if (!list) return [];
  if (!Array.isArray(list.value)) {
    list.error('"parameters" must be a list');
    return [];
  }
  const seen = new Set<string>();
  return list.items().flatMap((item) => {
    const parameter = readParameter(item, context);
    if (!parameter) return [];
    const key = keyOf(parameter);
    if (seen.has(key)) item.error(`the ${parameter.in} parameter "${parameter.name}" is defined twice`);
    seen.add(key);
    return parameter;
  });
}

function readParameter(item: Located, context: DocumentContext): ApiParameter | undefined {
  const definition = context.references.resolve(item);
  if (!definition?.expectObject("a parameter")) return undefined;
  const name = definition.member("name");
  const place = definition.member("in");
  if (typeof name?.value !== "string" || name.value === "") {
    (name ?? definition).error('a parameter must have a "name"');
    return undefined;
  }
  if (!places.includes(place?.value as string) && !(context.isVersion32 && place?.value === "querystring")) {
    (place ?? definition).error('"in" must be "path", "query", "header" or "cookie"');
    return undefined;
  }
  const schema = definition.member("schema");
  const content = definition.member("content");
  if (!schema === !content) definition.error(`the parameter "${name.value}" must have a "schema" or a "content"`);
  const required = definition.member("required");
  if (place!.value === "path" && required?.value !== true) {
    (required ?? definition).error(`the path parameter "${name.value}" must have "required": true`);
  } else if (required && typeof required.value !== "boolean") required.error('"required" must be true or false');
  return { name: name.value, in: place!.value as ApiParameter["in"], definition };
}

/** Parameters of an operation override those of its path with the same name and location. */
export function overriding(shared: ApiParameter[], own: ApiParameter[]): ApiParameter[] {
  const keys = new Set(own.map(keyOf));
  return [...shared.filter((parameter) => !keys.has(keyOf(parameter))), ...own];
}

function keyOf(parameter: ApiParameter): string {
  // Header names are case-insensitive.
  return `${parameter.in} ${parameter.in === "header" ? parameter.name.toLowerCase() : parameter.name}`;
}

export function checkPathParameters(operation: Located, template: PathTemplate, parameters: ApiParameter[]): void {
  const declared = parameters.filter((parameter) => parameter.in === "path");
  for (const name of template.parameters) {
    if (declared.some((parameter) => parameter.name === name)) continue;
    operation.keyError(`the path's parameter "${name}" is not among the parameters`);
  }
  for (const { name, definition } of declared) {
    if (!template.parameters.includes(name) && template.rest !== name)
      definition.error(`the path has no parameter "${name}"`);
  }
}
