import type { JsonObject } from "../../lib/text/json-object.ts";

/** Converts the exclusive limits of OpenAPI 3.0, which are booleans, to numbers. */
export function convertExclusiveLimits(schema: JsonObject): void {
  for (const [exclusive, limit] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (typeof schema[exclusive] !== "boolean") continue;
    const isExclusive = schema[exclusive] && typeof schema[limit] === "number";
    delete schema[exclusive];
    if (!isExclusive) continue;
    schema[exclusive] = schema[limit];
    delete schema[limit];
  }
}
