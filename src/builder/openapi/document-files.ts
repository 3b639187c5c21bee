import { didYouMean } from "../../lib/text/suggestion.ts";
import type { ProjectFiles } from "../archive/project-files.ts";
import { maxValues, tooMany } from "../documents/document-limits.ts";
import { Located } from "../documents/located.ts";
import { maxDocumentBytes, readDocument } from "../documents/read-document.ts";
import { placeOf, type ReferencePlace, referencesIn, rootFile, segmentsOf } from "./document-references.ts";

/** An OpenAPI document and the files of the project that it refers to, directly or through each other. */
export class DocumentFiles {
  readonly #roots = new Map<string, Located>();
  readonly #references = new Map<string, Located[]>();
  readonly #unreadable = new Set<string>();
  #bytes = 0;
  #values = 0;

  private constructor(
    readonly root: Located,
    private readonly project: ProjectFiles,
  ) {}

  static async read(root: Located, project: ProjectFiles): Promise<DocumentFiles> {
    const files = new DocumentFiles(root, project);
    files.#add(root, files.#content(root.document.file)!);
    // Following a reference adds files to the map that this loop iterates over.
    for (const file of files.#roots.keys())
      for (const reference of files.#references.get(file)!) await files.#follow(reference);
    return files;
  }

  /** All files, the OpenAPI document first. */
  get all(): Located[] {
    return [...this.#roots.values()];
  }

  has(file: string): boolean {
    return this.#roots.has(file);
  }

  /** All references in all files. */
  get references(): Located[] {
    return [...this.#references.values()].flat();
  }

  /**
   * Returns the file and pointer of a reference. If they are not in the project, reports an error and returns
   * undefined.
   */
  placeOf(reference: Located): ReferencePlace | undefined {
    const place = this.#placeOf(reference);
    if ("problem" in place) {
      reference.error(place.problem);
      return undefined;
    }
    // The error of an unreadable file was reported when it was read.
    if (this.#unreadable.has(place.file)) return undefined;
    if (this.#roots.has(place.file)) return place;
    reference.error(this.#missing(place.file));
    return undefined;
  }

  /**
   * Returns the direct target of a reference, which may be another reference. If there is none, reports an error and
   * returns undefined.
   */
  target(reference: Located): Located | undefined {
    const place = this.placeOf(reference);
    if (!place) return undefined;
    let target = this.#roots.get(place.file);
    for (const segment of segmentsOf(place.pointer)) {
      target = Array.isArray(target?.value) ? target.items()[Number(segment)] : target?.member(segment);
    }
    if (!target) {
      const where = place.file === reference.document.file ? "this document" : place.file;
      reference.error(`there is no "#${place.pointer}" in ${where}`);
    }
    return target;
  }

  #placeOf(reference: Located): ReturnType<typeof placeOf> {
    const self = this.root.member("$self")?.value;
    const place = placeOf(reference, typeof self === "string" ? self : undefined);
    return "file" in place && place.file === rootFile ? { ...place, file: this.root.document.file } : place;
  }

  #content(file: string): Uint8Array | undefined {
    return this.project.files.get(file) ?? this.project.documents.get(file);
  }

  async #follow(reference: Located): Promise<void> {
    const place = this.#placeOf(reference);
    if ("problem" in place || this.#roots.has(place.file) || this.#unreadable.has(place.file)) return;
    const { file } = place;
    const content = isDocument(file) ? this.#content(file) : undefined;
    if (!content) return;
    if (this.#bytes + content.length > maxDocumentBytes) {
      this.#unreadable.add(file);
      reference.error(
        `the OpenAPI document and the files that it refers to are larger than ${maxDocumentBytes / 1024 / 1024} MiB, with ${file}`,
      );
      return;
    }
    const document = await readDocument(file, content, reference.findings);
    if (document) this.#add(new Located(document, reference.findings), content);
    else this.#unreadable.add(file);
    if (this.#values <= maxValues) return;
    this.#unreadable.add(file);
    reference.error(`the OpenAPI document, with the files that it refers to, ${tooMany}`);
  }

  #add(root: Located, content: Uint8Array): void {
    const { file } = root.document;
    this.#bytes += content.length;
    this.#values += countValues(root.value);
    this.#roots.set(file, root);
    this.#references.set(file, this.#values > maxValues ? [] : referencesIn(root));
  }

  #missing(file: string): string {
    if (!isDocument(file)) return `"${file}" cannot be referred to: it must be a .json, .yaml or .yml file`;
    if (this.project.dropped.has(file))
      return `"${file}" cannot be read: the JSON and YAML files of the project are too large`;
    const names = [...this.project.documents.keys(), ...this.project.files.keys()].filter(isDocument);
    return `there is no file "${file}" in the project${didYouMean(file, names)}`;
  }
}

function isDocument(file: string): boolean {
  return /\.(json|ya?ml)$/.test(file);
}

/** Counts values and the names of members. */
function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  const children = Object.values(value);
  let count = Array.isArray(value) ? 1 : 1 + children.length;
  for (const child of children) count += countValues(child);
  return count;
}
