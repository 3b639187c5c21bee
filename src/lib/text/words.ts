/** Longer words are compared by this many characters. */
const maxWordLength = 64;

/**
 * Returns the words of a text for searching, each once: in lower case and without accents, so that "muller" finds
 * "Müller".
 */
export function wordsOf(text: string): string[] {
  const plain = text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase();
  return [...new Set(plain.match(/[\p{L}\p{N}]+/gu)?.map((word) => [...word].slice(0, maxWordLength).join("")))];
}

/** Whether each of the searched words is the beginning of one of the others. */
export function beginWords(searched: readonly string[], words: readonly string[]): boolean {
  return searched.every((prefix) => words.some((word) => word.startsWith(prefix)));
}
