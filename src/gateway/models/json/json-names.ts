/** The name of a member, unescaped. */
export interface JsonName {
  readonly text: string;
  /** For comparisons that ignore case. */
  readonly folded: string;
}

interface KnownName extends JsonName {
  bytes: Uint8Array;
}

/** The same few names recur; decoding each would cost more than scanning it. */
const known = new Map<number, KnownName>();
const maxKnown = 2_000;
const maxLength = 40;

/** Returns the name at a range of a body that was validated. */
export function nameOf(bytes: Uint8Array, start: number, end: number, hasEscapes: boolean): JsonName {
  if (hasEscapes || end - start > maxLength) return decoded(bytes, start, end);
  let hash = end - start;
  for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + bytes[at]!) | 0;
  const found = known.get(hash);
  if (found && isEqual(found.bytes, bytes, start, end)) return found;
  const name = decoded(bytes, start, end);
  if (!found && known.size < maxKnown) known.set(hash, { ...name, bytes: bytes.slice(start, end) });
  return name;
}

function decoded(bytes: Uint8Array, start: number, end: number): JsonName {
  const text: string = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset + start - 1, end - start + 2).toString());
  return { text, folded: folded(text) };
}

/** Also equal for characters whose upper case is the same, such as ſ and s, which some parsers compare that way. */
function folded(text: string): string {
  return text.toUpperCase().toLowerCase();
}

function isEqual(name: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (name.length !== end - start) return false;
  for (let at = 0; at < name.length; at++) if (name[at] !== bytes[start + at]) return false;
  return true;
}
