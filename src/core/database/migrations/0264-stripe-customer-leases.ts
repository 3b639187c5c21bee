import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** One node at a time compares a customer with Stripe, and an event that arrives meanwhile is not lost. */
export const stripeCustomerLeases: Migration = {
  name: "0264-stripe-customer-leases",
  statements: ({ integer }) => [
    `ALTER TABLE stripe_customers ADD COLUMN wakes ${integer} NOT NULL DEFAULT 0`,
    "ALTER TABLE stripe_customers ADD COLUMN lease text",
    `ALTER TABLE stripe_customers ADD COLUMN lease_until ${integer}`,
  ],
};
