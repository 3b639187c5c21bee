import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Customers are counted and listed in the order of creation without reading all of them. */
export const customerCounts: Migration = {
  name: "0621-customer-counts",
  statements: () => [
    "CREATE INDEX customers_in_order ON customers (bucket_seq, seq)",
    `INSERT INTO list_blocks (scope, list, block, shard, size)
      SELECT metering_buckets.id, 'customers', customers.seq / 4096, 0, COUNT(*)
      FROM customers JOIN metering_buckets ON metering_buckets.seq = customers.bucket_seq
      GROUP BY metering_buckets.id, customers.seq / 4096`,
  ],
};
