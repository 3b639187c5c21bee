import { wordsOf } from "../../lib/text/words.ts";
import { tagTexts } from "../consumer-addresses/consumer-tags.ts";

/** Long descriptions are found by their first words. */
const maxWords = 50;

interface Described {
  name: string;
  display_name: string | null;
  description: string | null;
  tags: string | null;
}

/** Returns the words by which a consumer is found. */
export function wordsOfConsumer(consumer: Described): string[] {
  const values = tagTexts(consumer.tags).map(({ value }) => value);
  return wordsOf([consumer.name, consumer.display_name ?? "", ...values, consumer.description ?? ""].join(" ")).slice(
    0,
    maxWords,
  );
}
