import { wordsOf } from "../../lib/text/words.ts";
import { tagTexts } from "../consumer-addresses/consumer-tags.ts";

/** Long descriptions are found by their first words. */
const maxWords = 50;

/** Returns the words by which a consumer is found. */
export function wordsOfConsumer(consumer: { name: string; description: string | null; tags: string | null }): string[] {
  const values = tagTexts(consumer.tags).map(({ value }) => value);
  return wordsOf([consumer.name, ...values, consumer.description ?? ""].join(" ")).slice(0, maxWords);
}
