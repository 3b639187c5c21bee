import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";
import { partsOfNames, wordsOfConsumer } from "./search-words.ts";

type Described = Pick<RowOf<"consumers">, "seq" | "bucket_seq" | "name" | "display_name" | "description" | "tags">;

export async function addWords(transaction: WriteTransaction, consumer: Described): Promise<void> {
  await insertWords(transaction, consumer, wordsOfConsumer(consumer));
  await insertParts(transaction, consumer.bucket_seq, partsOfNames(consumer));
}

export async function replaceWords(transaction: WriteTransaction, before: Described, after: Described): Promise<void> {
  const [old, current] = [new Set(wordsOfConsumer(before)), new Set(wordsOfConsumer(after))];
  await deleteWords(transaction, before, [...old.difference(current)]);
  await insertWords(transaction, after, [...current.difference(old)]);
  const [oldParts, parts] = [partsOfNames(before), partsOfNames(after)];
  await deleteParts(transaction, before.bucket_seq, new Map([...oldParts].filter(([key]) => !parts.has(key))));
  await insertParts(transaction, after.bucket_seq, new Map([...parts].filter(([key]) => !oldParts.has(key))));
}

export async function removeWords(transaction: WriteTransaction, consumer: Described): Promise<void> {
  await deleteWords(transaction, consumer, wordsOfConsumer(consumer));
  await deleteParts(transaction, consumer.bucket_seq, partsOfNames(consumer));
}

async function insertWords(
  transaction: WriteTransaction,
  { seq, bucket_seq }: Described,
  words: string[],
): Promise<void> {
  if (words.length === 0) return;
  const rows = Array(words.length).fill("(?, ?, ?)").join(", ");
  await transaction.run(
    `INSERT INTO consumer_words (bucket_seq, word, consumer_seq) VALUES ${rows} ON CONFLICT DO NOTHING`,
    words.flatMap((word) => [bucket_seq, word, seq]),
  );
}

async function deleteWords(
  transaction: WriteTransaction,
  { seq, bucket_seq }: Described,
  words: string[],
): Promise<void> {
  if (words.length === 0) return;
  const listed = words.map(() => "?").join(", ");
  await transaction.run(
    `DELETE FROM consumer_words WHERE bucket_seq = ? AND word IN (${listed}) AND consumer_seq = ?`,
    [bucket_seq, ...words, seq],
  );
}

/** In the order of the primary key, so that transactions with the same words wait for each other, and end. */
const valuesOf = (bucketSeq: number, parts: Map<string, string>) =>
  [...parts]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([key, word]) => [bucketSeq, key.slice(0, -word.length - 1), word]);

async function insertParts(transaction: WriteTransaction, bucketSeq: number, parts: Map<string, string>) {
  if (parts.size === 0) return;
  const rows = Array(parts.size).fill("(?, ?, ?)").join(", ");
  await transaction.run(
    `INSERT INTO consumer_word_parts (bucket_seq, part, word) VALUES ${rows} ON CONFLICT DO NOTHING`,
    valuesOf(bucketSeq, parts),
  );
}

/** Deletes those of words that no consumer has any more. */
async function deleteParts(transaction: WriteTransaction, bucketSeq: number, parts: Map<string, string>) {
  if (parts.size === 0) return;
  const words = [...new Set(parts.values())];
  const named = [...parts].map(([key, word]) => key.slice(0, -word.length - 1));
  const [listedParts, listedWords] = [named, words].map((all) => all.map(() => "?").join(", "));
  await transaction.run(
    `DELETE FROM consumer_word_parts WHERE bucket_seq = ? AND part IN (${listedParts}) AND word IN (${listedWords})
      AND NOT EXISTS (SELECT 1 FROM consumer_words WHERE consumer_words.bucket_seq = consumer_word_parts.bucket_seq
        AND consumer_words.word = consumer_word_parts.word)`,
    [bucketSeq, ...named, ...words],
  );
}
