import { wordsOf } from "../../../lib/text/words.ts";
import { tagTexts } from "../consumer-addresses/consumer-tags.ts";

/** Long descriptions are found by their first words. */
const maxWords = 50;

interface Described {
  name: string;
  display_name: string | null;
  description: string | null;
  tags: string | null;
}

/** Longer words are rarely names. */
export const maxNameWord = 24;

/** What finds a word in a name by its middle and with typos: `^` and the word, and its ends. */
export function partsOfNames({ name, display_name, tags }: Omit<Described, "description">): Map<string, string> {
  const values = tagTexts(tags).map(({ value }) => value);
  const words = wordsOf([name, display_name ?? "", ...values].join(" ")).slice(0, maxWords);
  const parts = words.flatMap((word) => {
    const letters = [...word];
    if (letters.length < 2 || letters.length > maxNameWord || /\p{N}/u.test(word)) return [];
    const ends = letters.length < 4 ? [] : letters.slice(1, -1).map((_, at) => letters.slice(at + 1).join(""));
    return [`^${word}`, ...ends].map((part) => ({ part, word }));
  });
  return new Map(parts.map(({ part, word }) => [`${part} ${word}`, word]));
}

/** Returns the words by which a consumer is found. */
export function wordsOfConsumer(consumer: Described): string[] {
  const values = tagTexts(consumer.tags).map(({ value }) => value);
  return wordsOf([consumer.name, consumer.display_name ?? "", ...values, consumer.description ?? ""].join(" ")).slice(
    0,
    maxWords,
  );
}
