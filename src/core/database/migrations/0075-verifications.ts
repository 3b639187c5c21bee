import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Calls of verify-key by minute, hour and day. */
export const verifications: Migration = {
  name: "0075-verifications",
  statements: ({ integer, sortedText, withoutRowid }) => [
    // The bucket is the first column: the rows of a deleted bucket are one range.
    `CREATE TABLE verifications (
      bucket_seq ${integer} NOT NULL,
      step ${integer} NOT NULL,
      detail ${integer} NOT NULL,
      time ${integer} NOT NULL,
      consumer ${sortedText} NOT NULL,
      result ${sortedText} NOT NULL,
      amount ${integer} NOT NULL,
      PRIMARY KEY (bucket_seq, step, detail, time, consumer, result)
    ) ${withoutRowid}`,
  ],
};
