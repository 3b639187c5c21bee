import { slugOf } from "./markdown.ts";

/** Gives each page a path that no other has. Case alone does not distinguish two paths. */
export class PagePaths {
  readonly #taken = new Set<string>();

  /** A path in a folder: the name itself if it can be part of an address. */
  add(folder: string, name: string): string {
    const own = /^[\w.~-]{1,100}$/.test(name) && !name.startsWith(".") ? name : slugOf(name) || "page";
    let path = `${folder}/${own}`;
    for (let count = 2; this.#taken.has(path.toLowerCase()); count++) path = `${folder}/${own}-${count}`;
    this.#taken.add(path.toLowerCase());
    return path;
  }
}
