import { z } from "zod";
import { policySchemas } from "../../gateway/policies/schemas.ts";
import { settingsSchema } from "./project-schema.ts";

type Json = Record<string, unknown>;

const dialect = "https://json-schema.org/draft/2020-12/schema";

/** The JSON Schema of a gateway project's `tollgate.json`, for editors. The options of a policy follow from its type. */
export function projectJsonSchema(): Json {
  // Together, so that schemas with an id are defined once.
  const { $defs, properties } = inputOf(z.object({ settings: settingsSchema, ...policySchemas })) as {
    $defs?: Json;
    properties: Record<string, Json>;
  };
  const { settings, ...options } = properties;
  const policy = ((settings!.properties as Json).policies as Json).additionalProperties as {
    properties: Json;
    allOf?: Json[];
  };
  policy.properties.type = {
    description: "A built-in policy, or a module of the project.",
    anyOf: [{ enum: Object.keys(options) }, { type: "string", pattern: "^modules/" }],
  };
  policy.allOf = Object.entries(options).map(([type, schema]) => ({
    if: { properties: { type: { const: type } }, required: ["type"] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { options: allowingVariables(schema) } },
  }));
  return {
    $schema: dialect,
    title: "The settings of a Tollgate gateway project (tollgate.json)",
    ...(allowingVariables(settings) as Json),
    ...($defs && { $defs: allowingVariables($defs) }),
  };
}

function inputOf(schema: z.ZodType): Json {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}

const variable = { type: "string", pattern: "\\$\\{[A-Za-z]" };

const restrictions = ["pattern", "enum", "format", "maxLength", "minLength"];
/** Members of a schema that are no schemas, or of names, which are not replaced. */
const literal = ["enum", "const", "default", "examples", "required", "propertyNames"];

/** Variables are replaced before a project is validated, so any text may contain one. */
function allowingVariables(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(allowingVariables);
  if (typeof schema !== "object" || schema === null) return schema;
  const { description, default: fallback, ...rest } = schema as Json;
  if (rest.type === "string" && restrictions.some((keyword) => keyword in rest))
    return {
      ...(description === undefined ? {} : { description }),
      ...(fallback === undefined ? {} : { default: fallback }),
      anyOf: [rest, variable],
    };
  const members = Object.entries(schema as Json);
  return Object.fromEntries(
    members.map(([name, value]) => [name, literal.includes(name) ? value : allowingVariables(value)]),
  );
}
