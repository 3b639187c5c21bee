import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/**
 * Words by which consumers are found, and invoices by their number. `words_version` is the version of the consumer whose
 * words are stored. It differs for consumers that were written by an earlier release: their words are added in the
 * background.
 */
export const searchWords: Migration = {
  name: "0480-search-words",
  statements: ({ integer, sortedText, withoutRowid, sortBytewise }) => [
    `CREATE TABLE consumer_words (
      bucket_seq ${integer} NOT NULL,
      word ${sortedText} NOT NULL,
      consumer_seq ${integer} NOT NULL,
      PRIMARY KEY (bucket_seq, word, consumer_seq)
    ) ${withoutRowid}`,
    `ALTER TABLE consumers ADD COLUMN words_version ${integer} NOT NULL DEFAULT 0`,
    "CREATE INDEX consumers_without_words ON consumers (seq) WHERE words_version <> version",
    ...sortBytewise("invoices", ["number"]),
    "CREATE INDEX invoices_by_number ON invoices (bucket_seq, number)",
    ...sortBytewise("managers", ["email_key"]),
  ],
};
