import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Finds the customers with a cap, whose spending is compared with it, without reading all customers. */
export const cappedCustomers: Migration = {
  name: "0274-capped-customers",
  statements: () => [
    `CREATE INDEX customers_capped ON customers (bucket_seq, customer_key)
     WHERE spend_cap IS NOT NULL OR credit_limit IS NOT NULL`,
  ],
};
