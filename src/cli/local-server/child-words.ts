/** The hidden arguments that run the program as a process of `tollgate serve` with workers. */
const childWords = ["primary-process", "worker-process", "sandbox-process"] as const;

export type ChildWord = (typeof childWords)[number];

export function isChildWord(word: string | undefined): word is ChildWord {
  return (childWords as readonly (string | undefined)[]).includes(word);
}
