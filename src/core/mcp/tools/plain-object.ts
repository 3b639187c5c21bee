import { isJsonObject, type JsonObject } from "../types.ts";

/** Keywords of an object whose members can be arguments of their own. */
const plainKeywords = new Set([
  ...["type", "properties", "required", "title", "description", "example", "examples", "deprecated", "xml"],
  ...["externalDocs", "additionalProperties", "default", "$comment", "nullable"],
]);

/** Whether an object has only declared members, and no rules about several of them. */
export function isPlainObjectSchema(schema: JsonObject): boolean {
  const { type = "object", properties, additionalProperties } = schema;
  if (type !== "object" || !isJsonObject(properties)) return false;
  if (additionalProperties !== undefined && additionalProperties !== false) return false;
  return Object.keys(schema).every((name) => plainKeywords.has(name) || name.startsWith("x-"));
}
