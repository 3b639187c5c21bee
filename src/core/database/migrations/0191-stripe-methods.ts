import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** The payment methods of customers at Stripe, and with which one an invoice was last collected. */
export const stripeMethods: Migration = {
  name: "0191-stripe-methods",
  statements: ({ integer }) => [
    `ALTER TABLE stripe_invoices ADD COLUMN wakes ${integer} NOT NULL DEFAULT 0`,
    "ALTER TABLE stripe_invoices ADD COLUMN paid_with text",
    "ALTER TABLE stripe_customers ADD COLUMN payment_method text",
    "ALTER TABLE stripe_customers ADD COLUMN session_id text",
    `ALTER TABLE stripe_customers ADD COLUMN sync_on ${integer}`,
    `ALTER TABLE stripe_customers ADD COLUMN sync_until ${integer}`,
    "CREATE INDEX stripe_customers_due ON stripe_customers (sync_on) WHERE sync_on IS NOT NULL",
    "CREATE INDEX stripe_customers_by_id ON stripe_customers (stripe_id)",
  ],
};
