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

/** The typos that are forgiven in a word: none in short words, which are too similar to others. */
export const typosIn = (searched: string): number => (searched.length < 4 ? 0 : searched.length < 8 ? 1 : 2);

/**
 * Whether a word begins with the searched one, except for typos: letters that are wrong, missing, too many or swapped
 * (the optimal string alignment distance).
 */
export function beginsAlmost(word: string, searched: string, typos = typosIn(searched)): boolean {
  // Cells further from the diagonal have more typos.
  const far = typos + 1;
  let [before, row] = [[] as number[], Array.from({ length: Math.min(typos, word.length) + 1 }, (_, at) => at)];
  for (let i = 1; i <= searched.length; i++) {
    const next: number[] = i > typos ? [] : [i];
    let least = next[0] ?? far;
    for (let j = Math.max(1, i - typos); j <= Math.min(word.length, i + typos); j++) {
      const cost = searched[i - 1] === word[j - 1] ? 0 : 1;
      let typed = Math.min((row[j] ?? far) + 1, (next[j - 1] ?? far) + 1, (row[j - 1] ?? far) + cost);
      if (i > 1 && j > 1 && searched[i - 1] === word[j - 2] && searched[i - 2] === word[j - 1])
        typed = Math.min(typed, (before[j - 2] ?? far) + 1);
      next[j] = typed;
      least = Math.min(least, typed);
    }
    if (least > typos) return false;
    [before, row] = [row, next];
  }
  return true;
}
