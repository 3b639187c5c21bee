import { posix } from "node:path";
import { escapePointer, unescapePointer } from "../../lib/text/json-pointer.ts";
import { percentDecoded } from "../../lib/text/percent-decoded.ts";
import type { Located } from "../documents/located.ts";

/** Members whose own members have names that the author chooses. Such names are not keywords. */
const maps = new Set([
  ...["paths", "pathItems", "webhooks", "callbacks", "responses", "headers", "content", "links", "encoding"],
  ...["schemas", "parameters", "requestBodies", "securitySchemes", "mediaTypes"],
  ...["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"],
]);

/** Members with arbitrary data, in which a `$ref` is not a reference. The same holds for extensions. */
const data = new Set(["example", "default", "enum", "const"]);

/** The `$ref` of an object that is a reference. */
export function referenceOf(value: Located): Located | undefined {
  const reference = value.member("$ref");
  return typeof reference?.value === "string" ? reference : undefined;
}

/** Returns all references in a document, also unused ones: strings that name a place in it or in another file. */
export function referencesIn(root: Located): Located[] {
  const found: Located[] = [];
  const add = (reference: Located | undefined) => {
    if (reference) found.push(reference);
  };
  const visit = (value: Located, isMap: boolean): void => {
    if (!isMap) add(referenceOf(value));
    for (const item of value.items()) visit(item, false);
    for (const member of value.members()) {
      if (isMap) visit(member, false);
      else if (member.name === "examples") for (const example of member.members()) add(referenceOf(example));
      else if (member.name === "discriminator") for (const named of filesOfMapping(member)) add(named);
      else if (!data.has(member.name) && !member.name.startsWith("x-")) visit(member, maps.has(member.name));
    }
  };
  visit(root, false);
  return found;
}

/**
 * Returns the values of a discriminator's mapping that name files. A value is the name of a schema or a reference; a
 * reference to a file is recognized by the file's extension.
 */
function filesOfMapping(discriminator: Located): Located[] {
  const values = discriminator.member("mapping")?.members() ?? [];
  return values.filter(({ value }) => typeof value === "string" && /\.(json|ya?ml)(#|$)/.test(value));
}

/** A file of the project and, after the `#`, a JSON pointer into it. */
export interface ReferencePlace {
  file: string;
  pointer: string;
}

/** Returns the place that a reference names, relative to its own file, or why there is none. */
export function placeOf(reference: Located, self: string | undefined): ReferencePlace | { problem: string } {
  const text = reference.value as string;
  const hash = text.indexOf("#");
  const address = hash === -1 ? text : text.slice(0, hash);
  const pointer = hash === -1 ? "" : text.slice(hash + 1);
  if (address === "") return { file: reference.document.file, pointer };
  if (address === self) return { file: rootFile, pointer };
  if (/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(address))
    return { problem: `"${text}" is a remote address: nothing is fetched, so put the file into the project` };
  if (address.startsWith("/") || /[?\\]/.test(address))
    return { problem: `"${text}" must be a path relative to this file, such as "schemas/order.yaml#/Order"` };
  const file = posix.join(posix.dirname(reference.document.file), percentDecoded(address));
  if (file === ".." || file.startsWith("../")) return { problem: `"${text}" is outside of the project` };
  return { file, pointer };
}

/** Replaces the name of the OpenAPI document's file in a place. */
export const rootFile = "";

export function segmentsOf(pointer: string): string[] {
  if (pointer === "") return [];
  // A fragment without a leading slash is an anchor, which is not supported: no member has the name `#…`.
  const segments = pointer.startsWith("/") ? pointer.slice(1).split("/") : [`#${pointer}`];
  return segments.map((segment) => unescapePointer(percentDecoded(segment)));
}

/** Escapes a name as a segment of a JSON pointer. */
export function escaped(name: string): string {
  return encodeURIComponent(escapePointer(name));
}
