import { didYouMean } from "../../lib/text/suggestion.ts";
import type { Findings } from "./findings.ts";
import type { Path, SourceDocument } from "./source-document.ts";

/** A value of a document with its position, for error messages. */
export class Located {
  constructor(
    readonly document: SourceDocument,
    readonly findings: Findings,
    readonly path: Path = [],
    readonly value: unknown = document.value,
  ) {}

  get isObject(): boolean {
    return typeof this.value === "object" && this.value !== null && !Array.isArray(this.value);
  }

  /** The value's name in its parent. */
  get name(): string {
    return String(this.path.at(-1));
  }

  /** Own members only: a document may have a member named "constructor". */
  member(name: string): Located | undefined {
    if (!this.isObject || !Object.hasOwn(this.value as object, name)) return undefined;
    return this.#at(name, (this.value as Record<string, unknown>)[name]);
  }

  members(): Located[] {
    if (!this.isObject) return [];
    return Object.entries(this.value as object).map(([name, value]) => this.#at(name, value));
  }

  items(): Located[] {
    return Array.isArray(this.value) ? this.value.map((item, index) => this.#at(index, item)) : [];
  }

  /** The value at a path from here, as far as the path exists. */
  descendant(path: Path): Located {
    let found: Located = this;
    for (const segment of path) {
      const next = typeof segment === "number" ? found.items()[segment] : found.member(segment);
      if (!next) return found;
      found = next;
    }
    return found;
  }

  error(message: string): void {
    if (!this.findings.isFull) this.findings.error(this.document.file, this.document.positionOf(this.path), message);
  }

  /** Reports why the value is unknown, and suppresses later errors about it. */
  unresolved(message: string): void {
    if (this.findings.isFull) return;
    this.findings.unresolved(this.document.file, this.document.positionOf(this.path), message);
  }

  /** Reports an error at the name of the member. */
  keyError(message: string): void {
    if (!this.findings.isFull) this.findings.error(this.document.file, this.document.positionOfKey(this.path), message);
  }

  warning(message: string): void {
    if (this.findings.hasAllWarnings) return;
    this.findings.warning(this.document.file, this.document.positionOfKey(this.path), message);
  }

  /** Reports an error unless it is an object. */
  expectObject(what: string): boolean {
    if (!this.isObject) this.error(`${what} must be an object`);
    return this.isObject;
  }

  /** Reports members that are neither known nor extensions. */
  expectMembers(known: readonly string[]): void {
    for (const member of this.members()) {
      if (known.includes(member.name)) continue;
      const isExtension = member.name.startsWith("x-");
      const extensions = ["x-tollgate", ...known.filter((name) => name.startsWith("x-"))];
      const suggestion = didYouMean(member.name, isExtension ? extensions : known);
      // A misspelt x-tollgate would leave a route without its guards.
      if (!isExtension || (suggestion && member.name !== "x-tollgate")) {
        member.keyError(`unknown member "${member.name}"${suggestion}`);
      }
    }
  }

  #at(segment: string | number, value: unknown): Located {
    return new Located(this.document, this.findings, [...this.path, segment], value);
  }
}
