/** Finds schemas of an OpenAPI document that repeat another one, so that their types refer to it. */
import type { OpenApiDocument, Schema } from "./generate-client-types.ts";

/** With fewer common properties, two schemas are alike by chance. */
const minCommonProperties = 7;

/** A schema that repeats most of the component `$ref`. */
export interface DerivedSchema extends Schema {
  /** The properties of the component that the schema does not have. */
  omits?: string[];
  /** The properties that the schema adds to those of the component. */
  adds?: Schema;
}

/** The document with a {@link DerivedSchema} in each place that repeats a component. */
export function withSharedShapes(document: OpenApiDocument): OpenApiDocument {
  const components = Object.entries(document.components.schemas);
  return {
    paths: document.paths,
    components: {
      schemas: Object.fromEntries(
        components.map(([name, schema], position) => {
          // A component refers to earlier ones, so that none is defined by itself.
          const derived = derivedFrom(schema, components.slice(0, position));
          const others = components.filter(([other]) => other !== name);
          return [name, derived ?? mapParts(schema, (part) => sharedIn(part, others))];
        }),
      ),
    },
  };
}

function sharedIn(schema: Schema, components: [string, Schema][]): Schema {
  const derived = derivedFrom(schema, components);
  if (derived && !("adds" in derived)) return derived;
  return mapParts(schema, (part) => sharedIn(part, components));
}

function derivedFrom(schema: Schema, components: [string, Schema][]): DerivedSchema | undefined {
  const { properties: own = {}, required = [], description } = schema;
  const names = Object.keys(own);
  for (const [component, { properties = {}, required: theirs = [] }] of components) {
    const common = names.filter(
      (name) => Bun.deepEquals(own[name], properties[name]) && required.includes(name) === theirs.includes(name),
    );
    if (common.length < minCommonProperties) continue;
    const $ref = `#/components/schemas/${component}`;
    const omits = Object.keys(properties).filter((name) => !common.includes(name));
    if (common.length === names.length) return { $ref, description, omits };
    if (omits.length > 0) continue;
    const added = Object.fromEntries(Object.entries(own).filter(([name]) => !common.includes(name)));
    return { $ref, description, adds: { type: "object", properties: added, required } };
  }
  return undefined;
}

function mapParts(schema: Schema, map: (part: Schema) => Schema): Schema {
  const { anyOf, oneOf, items, properties, additionalProperties } = schema;
  return {
    ...schema,
    ...(anyOf && { anyOf: anyOf.map(map) }),
    ...(oneOf && { oneOf: oneOf.map(map) }),
    ...(items && { items: map(items) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, map(part)])),
    }),
    ...(typeof additionalProperties === "object" && { additionalProperties: map(additionalProperties) }),
  };
}
