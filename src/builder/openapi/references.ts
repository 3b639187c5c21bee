import type { Located } from "../documents/located.ts";
import type { DocumentFiles } from "./document-files.ts";
import { referenceOf } from "./document-references.ts";

export interface References {
  /**
   * The value itself, or the target of its `$ref`, resolved to the end. Returns undefined and reports an error if there
   * is none.
   */
  resolve(value: Located): Located | undefined;
  /** What a `$ref` points to, one step. Undefined, and an error, where that is nothing. */
  target(reference: Located): Located | undefined;
}

/** What reading a part of a document needs to know of the whole. */
export interface DocumentContext {
  references: References;
  /** It may use what OpenAPI 3.2 has added. */
  isVersion32: boolean;
}

export function referencesOf(files: DocumentFiles): References {
  function resolve(value: Located): Located | undefined {
    const seen = new Set<string>();
    let current = value;
    for (let reference = referenceOf(current); reference; reference = referenceOf(current)) {
      const target = files.target(reference);
      if (!target) return undefined;
      const key = keyOf(target);
      if (seen.has(key)) {
        value.error("this reference leads back to itself");
        return undefined;
      }
      seen.add(key);
      current = target;
    }
    return current;
  }
  return { resolve, target: (reference) => files.target(reference) };
}

/** Of a place in one of the files. */
export function keyOf({ document, path }: Located): string {
  return JSON.stringify([document.file, ...path]);
}
