/**
 * Returns the position of the closing quote of a JSON string, or the end of the text. `start` is after the opening quote,
 * or after an escape.
 */
export function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start); at !== -1; at = text.indexOf('"', at + 1))
    if (escapesBefore(text, at, start) % 2 === 0) return at;
  return text.length;
}

/** Counts the backslashes before a position. */
export function escapesBefore(text: string, position: number, start: number): number {
  let count = 0;
  while (position - 1 - count >= start && text.charCodeAt(position - 1 - count) === 0x5c) count += 1;
  return count;
}

/** Returns the bytes in UTF-8 of a JSON string without its escapes. Each character of the text is a byte. */
export function decodedBytes(text: string, start: number, end: number): number {
  let bytes = end - start;
  for (let at = text.indexOf("\\", start); at !== -1 && at < end; at = text.indexOf("\\", at)) {
    if (text.charCodeAt(at + 1) !== 0x75) {
      bytes -= 1;
      at += 2;
      continue;
    }
    const code = Number.parseInt(text.slice(at + 2, Math.min(at + 6, end)), 16);
    const isSurrogate = code >= 0xd800 && code < 0xe000;
    // Two surrogates are a character of four bytes.
    const size = code < 0x80 ? 1 : code < 0x800 || isSurrogate ? 2 : 3;
    bytes -= Math.max(0, Math.min(6, end - at) - size);
    at += 6;
  }
  return bytes;
}
