/**
 * Characters that servers interpret differently. Raw backslashes and dot segments are resolved before a path gets here.
 */
const ambiguous = /%(?:2f|5c|25|3b)|\/\/|;/i;
const allAmbiguous = new RegExp(ambiguous, "gi");

/** The limit of such characters: comparing the variants of a path of 16 KiB full of them would take 40 ms. */
const maxAmbiguous = 64;

/** Optional decoding steps in the order in which servers apply them. A server may apply any of them. */
const steps: ((path: string) => string[])[] = [
  // Decodes a second time, as a server does behind a proxy that forwards a decoded path.
  (path) => [path.replace(/%(?:25)+(?=[0-9a-f]{2})/gi, "%")],
  // Removes path parameters before decoding, as Java servers do.
  (path) => [path.replace(/;[^/]*/g, "")],
  (path) => [path.replace(/%2f/gi, "/"), path.replace(/%5c|\\/gi, "/"), path.replace(/%2f|%5c|\\/gi, "/")],
  (path) => [path.replace(/(?:;|%3b)[^/]*/gi, "")],
  (path) => [path.replace(/\/{2,}/g, "/")],
];

/**
 * Returns the other paths as which an upstream may interpret this one, with dot segments resolved. Empty for nearly
 * every path. Undefined if there are too many ambiguous characters.
 */
export function alternativePaths(path: string): string[] | undefined {
  if (!ambiguous.test(path)) return [];
  if (path.match(allAmbiguous)!.length > maxAmbiguous) return undefined;
  const readings = new Set([path]);
  for (const step of steps) for (const reading of [...readings]) for (const next of step(reading)) readings.add(next);
  readings.delete(path);
  return [...readings].map(withoutDotSegments);
}

function withoutDotSegments(path: string): string {
  if (!/\/(?:\.|%2e)/i.test(path)) return path;
  const kept: string[] = [];
  const segments = path.slice(1).split("/");
  for (const [at, segment] of segments.entries()) {
    const plain = segment.replace(/%2e/gi, ".");
    if (plain === "..") kept.pop();
    if (plain !== "." && plain !== "..") kept.push(segment);
    else if (at === segments.length - 1) kept.push("");
  }
  return `/${kept.join("/")}`;
}

/** An upstream that decodes before it resolves dot segments would see a path other than the matched one. */
const hiddenDots = /^\.{1,2}[/\\]|[/\\]\.{1,2}(?:[/\\]|$)/;

/** Returns undefined if the path cannot be decoded, or has dot segments behind `%2f` or `%5c`. */
export function decodedSegments(path: string): string[] | undefined {
  const segments = path.slice(1).split("/");
  if (!path.includes("%")) return segments;
  for (const [at, segment] of segments.entries()) {
    const decoded = decode(segment);
    if (decoded === undefined || hiddenDots.test(decoded)) return undefined;
    segments[at] = decoded;
  }
  return segments;
}

/** For paths that are compared and never forwarded. Bytes that are not UTF-8 become one character each. */
export function readSegments(path: string): string[] {
  const segments = path.slice(1).split("/");
  return path.includes("%") ? segments.map(decodeLeniently) : segments;
}

export function decode(text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    const decoded = decodeURIComponent(text);
    return decoded.includes("\0") ? undefined : decoded;
  } catch {
    return undefined;
  }
}

function decodeLeniently(text: string): string {
  return (
    decode(text) ?? text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  );
}

/** Whether folding leaves the text unchanged, which is true of most paths. */
export function isFolded(path: string): boolean {
  return !/[^a-z0-9/_~-]/.test(path);
}

/**
 * Folds a segment for comparison. Some servers ignore case, compatibility forms of characters, and blanks or dots at
 * the end (file names of Windows).
 */
export function foldSegment(segment: string): string {
  const isAscii = !/[^ -~]/.test(segment);
  const folded = isAscii ? segment.toLowerCase() : segment.normalize("NFKC").toUpperCase().toLowerCase();
  let end = folded.length;
  while (end > 0 && (folded[end - 1] === "." || folded[end - 1]!.trim() === "")) end -= 1;
  return end === 0 ? folded : folded.slice(0, end);
}
