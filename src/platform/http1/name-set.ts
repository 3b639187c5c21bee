/** A bit for a name, one of 32: names that share it may differ, names that do not are different. */
export function bitOf(name: string): number {
  return 1 << (5 * name.length + name.charCodeAt(name.length - 1));
}

/** A name as CGI, WSGI, PHP and others read it: to them `_` and `-` are one letter. */
export function dashed(name: string): string {
  return name.includes("_") ? name.replaceAll("_", "-") : name;
}

/**
 * Names of headers, in lower case, that are told apart from others by a bit before they are compared. Names that differ in
 * `_` and `-` alone count as one: an upstream may read the one as the other.
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
