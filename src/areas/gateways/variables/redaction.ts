/** Shorter texts occur in too many texts that are not secret. */
const shortestPiece = 8;

/** The end of a line that the runtime of the sandbox truncated. */
const cutMark = "… (cut)";

/** The number of former values that are redacted: code may still have them. */
const maxCached = 1_000;

/** Replaces secrets in texts, in the forms in which they usually appear. */
export class Redaction {
  /** The replacement of each text, the longest first because one may contain another. */
  #pieces: [text: string, replacement: string][] = [];
  readonly #known = new Map<string, string>();

  /** Former values of the same names are still redacted. */
  add(secrets: Iterable<readonly [name: string, value: string]>): void {
    for (const [name, value] of secrets) {
      for (const piece of formsOf(value)) {
        this.#known.delete(piece);
        this.#known.set(piece, `[${name}]`);
      }
    }
    while (this.#known.size > maxCached) this.#known.delete(this.#known.keys().next().value!);
    this.#pieces = [...this.#known].sort(([one], [other]) => other.length - one.length);
  }

  /** A text that was truncated within a secret ends before it. */
  apply(text: string): string {
    let redacted = text;
    for (const [piece, replacement] of this.#pieces)
      if (redacted.includes(piece)) redacted = redacted.replaceAll(piece, replacement);
    const mark = redacted.endsWith(cutMark) ? cutMark : "";
    const stem = mark === "" ? redacted : redacted.slice(0, -mark.length);
    for (const [piece, replacement] of this.#pieces) {
      const start = stem.lastIndexOf(piece.slice(0, shortestPiece));
      if (start !== -1 && piece.startsWith(stem.slice(start))) return stem.slice(0, start) + replacement + mark;
    }
    return redacted;
  }
}

/** Returns the value, its lines, and its forms in JSON, in a URL and in base64. */
export function formsOf(value: string): Set<string> {
  const lines = value.split(/\r?\n/).filter((line) => line.trim().length >= shortestPiece);
  const json = JSON.stringify(value).slice(1, -1);
  const base64 = Buffer.from(value).toString("base64").replace(/=+$/, "");
  return new Set([value, ...lines, json, encodeURIComponent(value), base64]);
}
