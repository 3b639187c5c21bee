/** Hashes a name to one of 32 bits. Different bits prove that names differ. */
export function bitOf(name: string): number {
  return 1 << (5 * name.length + name.charCodeAt(name.length - 1));
}

/** A name as CGI, WSGI, PHP and others interpret it: they treat `_` and `-` as equal. */
export function dashed(name: string): string {
  return name.includes("_") ? name.replaceAll("_", "-") : name;
}

/**
 * A set of header names in lower case, with a bit mask for fast misses. `_` and `-` are equal because an upstream may
 * not distinguish them.
 */
export class NameSet {
  readonly #names: ReadonlySet<string>;
  readonly bits: number;

  constructor(...names: string[]) {
    this.#names = new Set(names.map(dashed));
    this.bits = 0;
    for (const name of this.#names) this.bits |= bitOf(name) | bitOf(name.replaceAll("-", "_"));
  }

  has(name: string): boolean {
    return (this.bits & bitOf(name)) !== 0 && this.#names.has(dashed(name));
  }
}
