import type { Located } from "../documents/located.ts";
import type { DocumentFiles } from "./document-files.ts";
import { referenceOf } from "./document-references.ts";

export interface References {
  /**
   * The value itself, or the target of its `$ref`, resolved to the end. Returns undefined and reports an error if there
   * is none.
   */
  resolve(value: Located): Located | undefined;
  /**
   * Returns the direct target of a `$ref`, which may be another reference. If there is none, reports an error and
   * returns undefined.
   */
  target(reference: Located): Located | undefined;
}

/** The context that the parts of a document are parsed in. */
export interface DocumentContext {
  references: References;
  /** Whether the document may use the additions of OpenAPI 3.2. */
  isVersion32: boolean;
}

export function referencesOf(files: DocumentFiles): References {
  /** The ends of chains by each of their places. Without it, a page for each place would follow the rest of its chain. */
  const ends = new Map<string, Located>();

  function resolve(value: Located): Located | undefined {
    const seen = new Set<string>();
    let current = value;
    for (let reference = referenceOf(current); reference; reference = referenceOf(current)) {
      const target = files.target(reference);
      if (!target) return undefined;
      const key = keyOf(target);
      const end = ends.get(key);
      if (end) {
        current = end;
        break;
      }
      if (seen.has(key)) {
        value.error("this reference refers to itself");
        return undefined;
      }
      seen.add(key);
      current = target;
    }
    for (const key of seen) ends.set(key, current);
    return current;
  }
  return { resolve, target: (reference) => files.target(reference) };
}

/** Identifies a place in any of the files. */
export function keyOf({ document, path }: Located): string {
  return JSON.stringify([document.file, ...path]);
}
