/** A bit for a name, one of 32: names that share it may differ, names that do not are different. */
export function bitOf(name: string): number {
  return 1 << (5 * name.length + name.charCodeAt(name.length - 1));
}

/** Names of headers, in lower case, that are told apart from others by a bit before they are compared. */
export class NameSet {
  readonly #names: ReadonlySet<string>;
  readonly bits: number;

  constructor(...names: string[]) {
    this.#names = new Set(names);
    this.bits = names.reduce((bits, name) => bits | bitOf(name), 0);
  }

  has(name: string): boolean {
    return (this.bits & bitOf(name)) !== 0 && this.#names.has(name);
  }
}
