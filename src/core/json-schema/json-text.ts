import { below } from "./pointer.ts";

/** Deeper values are unusual, and parsers differ in how they handle them. */
export const maxJsonDepth = 200;

/**
 * The maximum number of members, strings (including names), objects and arrays: parsing takes up to a microsecond for
 * each.
 */
export const maxParts = 40_000;

const quote = 0x22;
const backslash = 0x5c;

/** Measures JSON in one pass before it is parsed. For invalid JSON the figures have no meaning. */
export function measureJson(bytes: Uint8Array): { isTooDeep: boolean; members: number; parts: number } {
  let depth = 0;
  let others = 0;
  let members = 0;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case quote:
        others++;
        for (at++; at < bytes.length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++;
        break;
      case 0x5b: // [
      case 0x7b: // {
        others++;
        if (++depth > maxJsonDepth) return { isTooDeep: true, members, parts: members + others };
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
      case 0x3a: // :
        members++;
        break;
    }
  }
  return { isTooDeep: false, members, parts: members + others };
}

/** Returns the number of members and of values. There are fewer than in the text if names are repeated. */
export function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object") count += countMembers(item);
    return count;
  }
  for (const name in value) {
    count++;
    const member = (value as Record<string, unknown>)[name];
    if (typeof member === "object") count += countMembers(member);
  }
  return count;
}

/** An open container around a position in a text. */
interface Open {
  /** The names of an object. Undefined for an array. */
  names: Set<string> | undefined;
  name: string;
  index: number;
  isNameNext: boolean;
}

/** Returns the pointer to the first member with a repeated name, in valid JSON. */
export function duplicateMember(text: string): string | undefined {
  const open: Open[] = [];
  let current: Open | undefined;
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case "{":
      case "[": {
        const isObject = text[at] === "{";
        current = { names: isObject ? new Set() : undefined, name: "", index: 0, isNameNext: isObject };
        open.push(current);
        break;
      }
      case "}":
      case "]":
        open.pop();
        current = open.at(-1);
        break;
      case ",":
        current!.index++;
        current!.isNameNext = current!.names !== undefined;
        break;
      case '"': {
        const start = at;
        for (at++; text[at] !== '"'; at++) if (text[at] === "\\") at++;
        if (!current?.isNameNext) break;
        current.isNameNext = false;
        current.name = JSON.parse(text.slice(start, at + 1));
        if (current.names!.has(current.name)) return pointerTo(open);
        current.names!.add(current.name);
        break;
      }
    }
  }
  return undefined;
}

function pointerTo(open: Open[]): string {
  return open.reduce((pointer, { names, name, index }) => below(pointer, names ? name : index), "");
}
