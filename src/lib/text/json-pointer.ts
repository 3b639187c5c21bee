import { isJsonObject, type JsonObject } from "./json-object.ts";
import { percentDecoded } from "./percent-decoded.ts";

/** Escapes a name as a segment of a JSON pointer (RFC 6901). */
export function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

export function unescapePointer(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** The value at a reference within a document, such as `#/components/schemas/User`. Undefined if there is none. */
export function valueAt(document: unknown, reference: string): unknown {
  if (!reference.startsWith("#/")) return undefined;
  let found = document;
  for (const segment of reference.slice(2).split("/")) {
    const name = unescapePointer(percentDecoded(segment));
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as JsonObject)[name];
  }
  return found;
}

const maxReferences = 100;

/** The object, or that to which it refers within a document. Undefined if there is none, or after too many references. */
export function resolvedIn(document: unknown, value: unknown): JsonObject | undefined {
  let found = value;
  for (let count = 0; isJsonObject(found) && typeof found.$ref === "string"; count++) {
    if (count === maxReferences) return undefined;
    found = valueAt(document, found.$ref);
  }
  return isJsonObject(found) ? found : undefined;
}
