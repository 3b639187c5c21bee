import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Requests to models by minute, hour and day. */
export const modelUsage: Migration = {
  name: "0365-model-usage",
  statements: ({ integer, sortedText, withoutRowid }) => [
    // The deployment is the first column: the rows of a deleted one are one range.
    `CREATE TABLE model_usage (
      deployment_seq ${integer} NOT NULL,
      step ${integer} NOT NULL,
      time ${integer} NOT NULL,
      model ${sortedText} NOT NULL,
      provider ${sortedText} NOT NULL,
      currency ${sortedText} NOT NULL,
      requests ${integer} NOT NULL,
      errors ${integer} NOT NULL,
      estimated ${integer} NOT NULL,
      input ${integer} NOT NULL,
      cached ${integer} NOT NULL,
      cache_write ${integer} NOT NULL,
      output ${integer} NOT NULL,
      cost ${integer} NOT NULL,
      charge ${integer} NOT NULL,
      first_bytes ${integer} NOT NULL,
      first_byte_ms ${integer} NOT NULL,
      PRIMARY KEY (deployment_seq, step, time, model, provider, currency)
    ) ${withoutRowid}`,
  ],
};
