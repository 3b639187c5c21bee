import { posix } from "node:path";
import type { Located } from "../documents/located.ts";

/** Members whose own members have names of the author's choice, which are no keywords. */
const maps = new Set([
  ...["paths", "pathItems", "webhooks", "callbacks", "responses", "headers", "content", "links", "encoding"],
  ...["schemas", "parameters", "requestBodies", "securitySchemes", "mediaTypes"],
  ...["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"],
]);

/** Examples and extensions may hold anything, also what looks like a reference. */
const data = new Set(["example", "default", "enum", "const"]);

/** The `$ref` of an object that is a reference. */
export function referenceOf(value: Located): Located | undefined {
  const reference = value.member("$ref");
  return typeof reference?.value === "string" ? reference : undefined;
}

/** All references of a document, used or not: texts that name a place in it or in another file. */
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

/** The values of a discriminator's mapping are names of schemas or references; those to files are recognized by their extension. */
function filesOfMapping(discriminator: Located): Located[] {
  const values = discriminator.member("mapping")?.members() ?? [];
  return values.filter(({ value }) => typeof value === "string" && /\.(json|ya?ml)(#|$)/.test(value));
}

/** A file of the project and, after the `#`, a JSON pointer into it. */
export interface ReferencePlace {
  file: string;
  pointer: string;
}

/** Where a reference leads, by the place of its own file in the project; or why it leads nowhere. */
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
  const file = posix.join(posix.dirname(reference.document.file), decoded(address));
  if (file === ".." || file.startsWith("../")) return { problem: `"${text}" leads out of the project` };
  return { file, pointer };
}

/** Stands for the OpenAPI document, whatever its file is called. */
export const rootFile = "";

export function segmentsOf(pointer: string): string[] {
  if (pointer === "") return [];
  // What does not begin with a slash is an anchor, which nothing is called here.
  const segments = pointer.startsWith("/") ? pointer.slice(1).split("/") : [`#${pointer}`];
  return segments.map((segment) => decoded(segment).replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The pointer's segment for a name. */
export function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
