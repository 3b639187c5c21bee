import fc from "fast-check";
import type { JsonSchema } from "../described.ts";

const max = 6;

/** Values that fit a schema of the description, small ones. */
export function valuesOf(schema: JsonSchema, schemas: Record<string, JsonSchema>): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return valuesOf(schemas[schema.$ref.split("/").at(-1)!]!, schemas);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => valuesOf(each, schemas)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case "object":
      return objectsOf(schema, schemas);
    case "array": {
      const { items = {}, minItems = 0, maxItems = max } = schema;
      return fc.array(valuesOf(items, schemas), {
        minLength: minItems,
        maxLength: Math.max(minItems, Math.min(maxItems, max)),
      });
    }
    case "string":
      return textsOf(schema);
    case "integer":
      return fc.integer({ min: schema.minimum ?? -5, max: Math.min(schema.maximum ?? 1000, 2 ** 31) });
    case "number":
      return fc.double({ noNaN: true, noDefaultInfinity: true, min: schema.minimum ?? 0, max: schema.maximum ?? 1e6 });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function objectsOf(schema: JsonSchema, schemas: Record<string, JsonSchema>): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = schema;
  const members = Object.entries(properties).map(([name, each]) => [name, valuesOf(each, schemas)] as const);
  const named = fc.record(Object.fromEntries(members), { requiredKeys: required as never[] });
  if (typeof additionalProperties !== "object") return named;
  const free = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), valuesOf(additionalProperties, schemas), {
    maxKeys: 4,
  });
  return fc.tuple(named, free).map(([one, other]) => ({ ...other, ...one }));
}

const earliest = new Date("2020-01-01T00:00:00Z");
const latest = new Date("2035-01-01T00:00:00Z");

function textsOf({
  format,
  pattern,
  minLength = 0,
  maxLength = Number.POSITIVE_INFINITY,
}: JsonSchema): fc.Arbitrary<string> {
  if (format === "date-time")
    return fc.date({ min: earliest, max: latest, noInvalidDate: true }).map((date) => date.toISOString());
  if (format === "email") return fc.stringMatching(/^[a-z]{1,8}@[a-z]{1,8}\.example$/);
  if (pattern !== undefined) return textsMatching(pattern).filter((text) => text.length <= maxLength);
  return fc.string({ unit: "grapheme", minLength, maxLength: Math.max(minLength, Math.min(maxLength, 40)) });
}

/** fast-check knows no lookahead: what one rejects is filtered out afterwards. */
function textsMatching(pattern: string): fc.Arbitrary<string> {
  const whole = new RegExp(pattern);
  return fc.stringMatching(new RegExp(pattern.replace(/^\^\(\?![^)]*\)/, "^"))).filter((text) => whole.test(text));
}
