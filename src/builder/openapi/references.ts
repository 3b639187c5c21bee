import type { Located } from "../documents/located.ts";

/** Resolves references in a document. */
export interface References {
  /**
   * The value itself, or the target of its `$ref`, resolved to the end. Returns undefined and reports an error if there
   * is none.
   */
  resolve(value: Located): Located | undefined;
}

export function localReferences(root: Located): References {
  function resolve(value: Located): Located | undefined {
    const seen = new Set<string>();
    let current = value;
    for (let reference = referenceOf(current); reference; reference = referenceOf(current)) {
      const target = targetOf(root, reference);
      if (!target) return undefined;
      if (seen.has(target.path.join("/"))) {
        value.error("this reference leads back to itself");
        return undefined;
      }
      seen.add(target.path.join("/"));
      current = target;
    }
    return current;
  }
  return { resolve };
}

/** The `$ref` of an object, if it is a reference. */
export function referenceOf(value: Located): Located | undefined {
  const reference = value.member("$ref");
  return typeof reference?.value === "string" ? reference : undefined;
}

/** The direct target of a reference. Returns undefined and reports an error if it is not in this document. */
export function targetOf(root: Located, reference: Located): Located | undefined {
  const text = reference.value as string;
  if (!text.startsWith("#")) {
    reference.error(
      `"${text}" leads out of this document: only references such as "#/components/schemas/Order" can be followed`,
    );
    return undefined;
  }
  let target: Located | undefined = root;
  for (const segment of segmentsOf(text)) {
    target = Array.isArray(target?.value) ? target.items()[Number(segment)] : target?.member(segment);
  }
  if (!target) reference.error(`there is no "${text}" in this document`);
  return target;
}

/** Reports every reference in the document that does not resolve, used or not. */
export function checkReferences(root: Located): void {
  const visit = (value: Located): void => {
    const reference = referenceOf(value);
    if (reference) targetOf(root, reference);
    for (const child of [...value.members(), ...value.items()]) if (!holdsData(child)) visit(child);
  };
  visit(root);
}

/** Examples and extensions may contain any data, also objects that look like a reference. */
function holdsData(value: Located): boolean {
  const { name } = value;
  return ["example", "examples", "default", "enum", "const"].includes(name) || name.startsWith("x-");
}

function segmentsOf(reference: string): string[] {
  const pointer = reference.slice(1);
  if (pointer === "") return [];
  // A fragment without a leading slash is an anchor, which is not supported here.
  const segments = pointer.startsWith("/") ? pointer.slice(1).split("/") : [reference];
  return segments.map((segment) => decoded(segment).replaceAll("~1", "/").replaceAll("~0", "~"));
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
