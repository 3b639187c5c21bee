/**
 * The range of texts that begin with a prefix, where texts sort by their UTF-8 bytes: `from` is inclusive, `before`
 * exclusive.
 */
export interface PrefixRange {
  from: string;
  /** Undefined if no text sorts after the range. */
  before: string | undefined;
}

const lastCodePoint = 0x10ffff;
const firstSurrogate = 0xd800;
const afterSurrogates = 0xe000;

/**
 * UTF-8 sorts in the order of code points, so the end of the range is the prefix with its last code point incremented.
 */
export function prefixRange(prefix: string): PrefixRange {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!);
  while (points.at(-1) === lastCodePoint) points.pop();
  if (points.length === 0) return { from: prefix, before: undefined };
  const next = points.pop()! + 1;
  points.push(next === firstSurrogate ? afterSurrogates : next);
  return { from: prefix, before: String.fromCodePoint(...points) };
}
