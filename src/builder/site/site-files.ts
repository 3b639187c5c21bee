import { gzipSync } from "node:zlib";
import { imageTypeOf, type SiteContents, type SitePage } from "../../core/artifact/site.ts";

/** Collects the files of a site, one after the other. */
export class SiteFiles {
  readonly files: SiteContents["files"] = {};
  readonly #pieces: Uint8Array[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.files, name);
  }

  addPage(path: string, page: SitePage, markdown: string): void {
    this.#add(`${path}.json`, gzipSync(JSON.stringify(page)));
    this.#add(`${path}.md`, gzipSync(markdown));
  }

  addImage(path: string, bytes: Uint8Array): void {
    if (imageTypeOf(path) === undefined) throw new Error(`${path} is no image.`);
    this.#add(path, bytes);
  }

  pack(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  #add(name: string, bytes: Uint8Array): void {
    this.files[name] = [this.#size, bytes.length];
    this.#pieces.push(bytes);
    this.#size += bytes.length;
  }
}
