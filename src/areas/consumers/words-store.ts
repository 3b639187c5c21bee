import type { Selectable } from "kysely";
import type { WriteTransaction } from "../../platform/storage/storage.ts";
import type { Tables } from "../../platform/storage/tables.ts";
import { wordsOfConsumer } from "./search-words.ts";

type Described = Pick<
  Selectable<Tables["consumers"]>,
  "seq" | "bucket_seq" | "name" | "display_name" | "description" | "tags"
>;

export async function addWords(transaction: WriteTransaction, consumer: Described): Promise<void> {
  await insertWords(transaction, consumer, wordsOfConsumer(consumer));
}

export async function replaceWords(transaction: WriteTransaction, before: Described, after: Described): Promise<void> {
  const [old, current] = [new Set(wordsOfConsumer(before)), new Set(wordsOfConsumer(after))];
  await deleteWords(transaction, before, [...old.difference(current)]);
  await insertWords(transaction, after, [...current.difference(old)]);
}

export async function removeWords(transaction: WriteTransaction, consumer: Described): Promise<void> {
  await deleteWords(transaction, consumer, wordsOfConsumer(consumer));
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
