import type { ExampleTarget } from "../../core/artifact/site.ts";
import type { Located } from "../documents/located.ts";
import { briefExampleOf, exampleOf, givenValue, ownExample } from "../openapi/example-value.ts";
import type { ApiOperation } from "../openapi/openapi.ts";
import type { ApiParameter } from "../openapi/parameters.ts";
import type { References } from "../openapi/references.ts";

/** The example of a parameter, and whether the document has it. */
export function parameterExample(
  { definition }: ApiParameter,
  references: References,
): { text: string; isGiven: boolean } {
  const schema = schemaOf(definition, references);
  const given = ownExample(definition, references) ?? (schema && (givenValue(schema) ?? schema.member("minimum")));
  const value = given ? given.value : exampleOf(definition, references, "request");
  return { text: textOf(value), isGiven: given !== undefined };
}

function schemaOf(definition: Located, references: References): Located | undefined {
  const schema = definition.member("schema");
  const resolved = schema && references.resolve(schema);
  return resolved?.isObject ? resolved : undefined;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(",");
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  return value === undefined || value === null ? "1" : String(value);
}

/** The path and query of an operation with the examples of its required parameters. */
export function exampleTarget({ path, parameters, requestBody }: ApiOperation, references: References): ExampleTarget {
  let unknown = 0;
  const exampleFor = (parameter: ApiParameter | undefined): string => {
    const { text, isGiven } = parameter ? parameterExample(parameter, references) : { text: "1", isGiven: false };
    if (!isGiven) unknown += 1;
    return text;
  };
  const filled = path.replaceAll(/\{([^}+]+)(\+?)\}/g, (_, name: string, rest: string) => {
    const text = exampleFor(parameters.find((each) => each.in === "path" && each.name === name));
    // The slashes of a rest parameter separate segments.
    return (rest === "" ? [text] : text.split("/")).map(encodeURIComponent).join("/");
  });
  const query = parameters
    .filter((each) => each.in === "query" && each.definition.member("required")?.value === true)
    .map((each) => `${encodeURIComponent(each.name)}=${encodeURIComponent(exampleFor(each))}`)
    .join("&");
  const body = exampleBody(requestBody, references);
  const headers = [...requiredHeaders(parameters, references), ...(body ? [["content-type", body.type] as const] : [])];
  return {
    target: query ? `${filled}?${query}` : filled,
    unknown,
    ...(headers.length > 0 && { headers: headers.map(([name, value]): [string, string] => [name, value]) }),
    ...(body && { body: body.text }),
  };
}

/** The required headers of an operation, with examples. */
export function requiredHeaders(parameters: ApiParameter[], references: References): [string, string][] {
  return parameters
    .filter((each) => each.in === "header" && each.definition.member("required")?.value === true)
    .map((each): [string, string] => [each.name, parameterExample(each, references).text]);
}

/** These are read together, for all operations: long ones are left out. */
const maxBody = 2000;
const maxBodyValues = 30;

function exampleBody(body: Located | undefined, references: References): { type: string; text: string } | undefined {
  const type = body
    ?.member("content")
    ?.members()
    .find(({ name }) => /[/+]json\b/i.test(name));
  const mediaType = type && references.resolve(type);
  const value = mediaType && briefExampleOf(mediaType, references, "request", maxBodyValues);
  const text = value === undefined ? undefined : JSON.stringify(value);
  return type && text !== undefined && text.length <= maxBody ? { type: type.name, text } : undefined;
}
