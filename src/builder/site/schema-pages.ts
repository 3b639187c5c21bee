import type { DescribedSchema } from "../../core/artifact/site.ts";
import type { Located } from "../documents/located.ts";
import { referenceOf } from "../openapi/document-references.ts";
import { keyOf, type References } from "../openapi/references.ts";
import type { PagePaths } from "./page-paths.ts";

interface SchemaPage {
  name: string;
  /** The path of its page. */
  page: string;
  schema: Located;
}

/** The schemas that references lead to. Each gets a page of its own, in the order in which they were found. */
export class SchemaPages {
  readonly #pages = new Map<string, SchemaPage>();
  /** By the object with the reference. Documents refer to the same few schemas again and again. */
  readonly #targets = new WeakMap<object, Located | undefined>();
  /** Descriptions of schemas without references. */
  readonly described = new WeakMap<object, DescribedSchema>();

  constructor(
    private readonly paths: PagePaths,
    private readonly references: References,
    /** How many schemas are described on one page. Further ones are links to their own pages. */
    readonly perPage: number,
  ) {}

  /** The target of a reference, which may be another reference. */
  targetOf(place: Located): Located | undefined {
    const owner = place.value as object;
    if (!this.#targets.has(owner)) {
      const reference = referenceOf(place);
      this.#targets.set(owner, reference && this.references.target(reference));
    }
    return this.#targets.get(owner);
  }

  /** The page of the target of a reference. */
  of(target: Located): SchemaPage {
    const key = keyOf(target);
    let page = this.#pages.get(key);
    if (!page) {
      const name = nameOf(target);
      page = { name, page: this.paths.add("schemas", name), schema: target };
      this.#pages.set(key, page);
    }
    return page;
  }

  /** Also iterates over pages that are added meanwhile. */
  [Symbol.iterator](): IterableIterator<SchemaPage> {
    return this.#pages.values();
  }
}

/** The name in `components`, or that of the file. */
function nameOf({ document, path }: Located): string {
  const last = path.at(-1);
  if (typeof last === "string") return last;
  return document.file.replace(/^.*\//, "").replace(/\.\w+$/, "") || "Schema";
}
