import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Requests to models by consumer: more rows than `model_usage` has, and read only for consumers. */
export const modelConsumers: Migration = {
  name: "0401-model-consumers",
  statements: ({ integer, sortedText, withoutRowid }) => [
    `CREATE TABLE model_usage_consumers (
      deployment_seq ${integer} NOT NULL,
      step ${integer} NOT NULL,
      time ${integer} NOT NULL,
      consumer_id ${sortedText} NOT NULL,
      consumer ${sortedText} NOT NULL,
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
      PRIMARY KEY (deployment_seq, step, time, consumer_id, consumer, model, provider, currency)
    ) ${withoutRowid}`,
  ],
};
