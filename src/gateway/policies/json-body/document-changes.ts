import { isExactNumber } from "../../../lib/text/exact-json.ts";
import { unescapePointer } from "../../../lib/text/json-pointer.ts";
import type { JsonChanges } from "./schema.ts";

type Container = Record<string, unknown> | unknown[];

/** Renames, then removes, then sets. A change at a path that does not exist and cannot be created has no effect. */
export class DocumentChanges {
  readonly #renames: [from: string[], to: string[]][];
  readonly #removals: string[][];
  readonly #values: [path: string[], value: unknown][];

  constructor({ set, remove, rename }: JsonChanges) {
    this.#renames = Object.entries(rename).map(([from, to]) => [segmentsOf(from), segmentsOf(to)]);
    this.#removals = remove.map(segmentsOf);
    this.#values = Object.entries(set).map(([pointer, value]) => [segmentsOf(pointer), value]);
  }

  /** Changes the document in place. */
  apply(document: unknown): void {
    if (!isContainer(document)) return;
    for (const [from, to] of this.#renames) {
      const parent = parentOf(document, from);
      const name = from.at(-1)!;
      if (parent === undefined || !has(parent, name)) continue;
      const value = (parent as Record<string, unknown>)[name];
      removeFrom(parent, name);
      set(document, to, value);
    }
    for (const path of this.#removals) {
      const parent = parentOf(document, path);
      if (parent !== undefined && has(parent, path.at(-1)!)) removeFrom(parent, path.at(-1)!);
    }
    // A copy, because the next document must not share the value.
    for (const [path, value] of this.#values) set(document, path, structuredClone(value));
  }
}

function segmentsOf(pointer: string): string[] {
  return pointer.slice(1).split("/").map(unescapePointer);
}

function parentOf(document: Container, path: string[]): Container | undefined {
  let parent: unknown = document;
  for (const segment of path.slice(0, -1)) {
    if (!isContainer(parent) || !has(parent, segment)) return undefined;
    parent = (parent as Record<string, unknown>)[segment];
  }
  return isContainer(parent) ? parent : undefined;
}

/** Creates missing objects and lists on the path; `-` is the position after the last item of a list. */
function set(document: Container, path: string[], value: unknown): void {
  let parent: Container = document;
  for (const [at, segment] of path.slice(0, -1).entries()) {
    if (!has(parent, segment) && !add(parent, segment, path[at + 1] === "-" ? [] : {})) return;
    const next = (parent as Record<string, unknown>)[segment];
    if (!isContainer(next)) return;
    parent = next;
  }
  add(parent, path.at(-1)!, value);
}

/** Returns false if a list has no such position. */
function add(parent: Container, name: string, value: unknown): boolean {
  if (!Array.isArray(parent)) {
    // An assignment to "__proto__" would change the prototype.
    Object.defineProperty(parent, name, { value, writable: true, enumerable: true, configurable: true });
    return true;
  }
  if (name === "-") parent.push(value);
  else if (has(parent, name)) parent[Number(name)] = value;
  else return false;
  return name !== "-";
}

function has(parent: Container, name: string): boolean {
  if (Array.isArray(parent)) return /^(?:0|[1-9]\d*)$/.test(name) && Number(name) < parent.length;
  return Object.hasOwn(parent, name);
}

function removeFrom(parent: Container, name: string): void {
  if (Array.isArray(parent)) parent.splice(Number(name), 1);
  else delete parent[name];
}

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null && !isExactNumber(value);
}
