/** Writes the types of the client from an OpenAPI document. */
import { join } from "node:path";
import { type DerivedSchema, withSharedShapes } from "./shared-shapes.ts";

const projectFolder = join(import.meta.dir, "..");

export const generatedFile = join(projectFolder, "src/client/transport/schema.gen.ts");
/** The types of the operations that the pages of portals call. */
export const generatedPortalFile = join(projectFolder, "src/client/transport/portal-schema.gen.ts");

/** The part of JSON Schema 2020-12 that `/openapi.json` uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  patternProperties?: Record<string, Schema>;
  description?: string;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema; example?: unknown }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

export interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** The text of the generated file. Types that `known` has too are imported from its file. */
export async function clientTypes(document: OpenApiDocument, known?: OpenApiDocument): Promise<string> {
  const operations: Route[] = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const isKnown = (name: string) =>
    known?.components.schemas[name] !== undefined &&
    Bun.deepEquals(known.components.schemas[name], document.components.schemas[name]);
  const declarations = Object.entries(withSharedShapes(document).components.schemas)
    .filter(([name]) => !isKnown(name))
    .map(([name, schema]) => declaration(name, schema));
  const imported = Object.keys(document.components.schemas).filter(isKnown).sort().join(", ");
  return formatted(
    [
      "// Written by `npm run generate` from the OpenAPI document. Do not edit.",
      imported && `import type {${imported}} from "./schema.gen.ts";\n\nexport type {${imported}};`,
      declarations.some((text) => text.includes(" = Page<"))
        ? "interface Page<T> {data: T[];\nlimit: number;\noffset: number;\ntotal: number;}"
        : "",
      ...declarations,
      `/** What each operation takes and returns. */
      export interface Operations {${operations.map(({ operation }) => operationTypes(operation)).join("\n")}}`,
      `/** Where each operation is found. */
      export const routes = {${operations.map(routeEntry).join("\n")}} as const satisfies Record<keyof Operations, string>;`,
    ].join("\n\n"),
  );
}

interface Route {
  method: string;
  path: string;
  operation: Operation;
}

function routeEntry({ method, path, operation }: Route): string {
  return `${operation.operationId}: "${method} ${path}",`;
}

function declaration(name: string, schema: DerivedSchema): string {
  const head = comment(schema.description);
  if (schema.adds) return `${head}export interface ${name} extends ${refName(schema)} ${typeOf(schema.adds)}`;
  if (isPage(schema)) return `${head}export type ${name} = Page<${typeOf(schema.properties!.data!.items!)}>;`;
  if (schema.properties) return `${head}export interface ${name} ${typeOf(schema)}`;
  return `${head}export type ${name} = ${typeOf(schema)};`;
}

function isPage({ properties = {} }: Schema): boolean {
  return Object.keys(properties).sort().join() === "data,limit,offset,total";
}

function operationTypes({ operationId, summary, parameters, requestBody, responses }: Operation): string {
  const membersIn = (place: string) => {
    const members = parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, required, description, schema }) => member(name, required ?? false, { ...schema, description }));
    return members.length === 0 ? "object" : block(members);
  };
  const body = requestBody?.content["application/json"]?.schema;
  const response = (responses[200] ?? responses[202])?.content?.["application/json"]?.schema;
  return `${comment(summary)}${operationId}: {
    params: ${membersIn("path")};
    query: ${membersIn("query")};
    body: ${body ? typeOf(body) : "undefined"};
    response: ${response ? typeOf(response) : "undefined"};
  };`;
}

function refName({ $ref = "" }: Schema): string {
  return $ref.split("/").at(-1)!;
}

export function typeOf(schema: DerivedSchema): string {
  if (schema.omits?.length) return `Omit<${refName(schema)}, ${union(schema.omits.map((name) => `"${name}"`))}>`;
  if (schema.$ref) return refName(schema);
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return union(choices.map(typeOf));
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type })));
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "number":
    case "integer":
      return "number";
    case "array":
      return `(${typeOf(schema.items ?? {})})[]`;
    case "object":
      return objectType(schema);
    case undefined:
      return "unknown";
    default:
      throw new Error(`The generator does not know this schema: ${JSON.stringify(schema)}`);
  }
}

function objectType({ properties = {}, required = [], patternProperties, additionalProperties }: Schema): string {
  const names = Object.keys(properties);
  if (names.length > 0) {
    const members = names.map((name) => member(name, required.includes(name), properties[name]!));
    return block([
      ...members,
      ...otherMembers(Object.values(properties), Object.values(patternProperties ?? {})[0] ?? additionalProperties),
    ]);
  }
  if (additionalProperties === false) return "Record<string, never>";
  const values = typeof additionalProperties === "object" ? typeOf(additionalProperties) : "unknown";
  return `Record<string, ${values}>`;
}

/**
 * TypeScript applies the index signature to named members too. It is written only if other members are described;
 * additional members of responses are not.
 */
function otherMembers(named: Schema[], others: Schema["additionalProperties"]): string[] {
  if (typeof others !== "object" || Object.keys(others).length === 0) return [];
  return [`[name: string]: ${union([...named, others].map(typeOf))} | undefined;`];
}

function member(name: string, required: boolean, schema: Schema): string {
  const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
  return `${comment(schema.description)}${key}${required ? "" : "?"}: ${typeOf(schema)};`;
}

/** On one line if it fits and has no comments. */
function block(members: string[]): string {
  const line = `{${members.join("")}}`;
  return line.includes("\n") || line.length > 100 ? `{\n${members.join("\n")}}` : line;
}

/** `unknown` absorbs all other types. */
function union(types: string[]): string {
  return types.includes("unknown") ? "unknown" : [...new Set(types)].join(" | ");
}

export function comment(text: string | undefined): string {
  return text === undefined ? "" : `/** ${text.replaceAll("*/", "*\\/")} */\n`;
}

export async function formatted(source: string): Promise<string> {
  const biome = Bun.spawn(
    [join(projectFolder, "node_modules/.bin/biome"), "format", "--stdin-file-path=schema.gen.ts"],
    {
      cwd: projectFolder,
      stdin: new Blob([source]),
      stderr: "inherit",
    },
  );
  const [text, status] = await Promise.all([biome.stdout.text(), biome.exited]);
  if (status !== 0) throw new Error(`biome could not format the generated types (status ${status})`);
  return text;
}
