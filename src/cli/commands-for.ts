import { allCommands } from "./tree.ts";

const listed = 5;

/** Commands whose name or summary has a word that begins with each of the given ones. Matches of the name come first. */
export async function commandsFor(text: string): Promise<{ command: string; summary: string }[]> {
  const starts = wordsOf(text);
  if (starts.length === 0) return [];
  const fits = (words: string[]) => starts.every((start) => words.some((word) => word.startsWith(start)));
  const found = (await allCommands())
    .map(({ name, command: { summary } }) => ({ name, summary, isNamed: fits(wordsOf(name)) }))
    .filter(({ name, summary, isNamed }) => isNamed || fits(wordsOf(`${name} ${summary}`)));
  return [...found.filter(({ isNamed }) => isNamed), ...found.filter(({ isNamed }) => !isNamed)]
    .slice(0, listed)
    .map(({ name, summary }) => ({ command: `tollgate ${name}`, summary }));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
