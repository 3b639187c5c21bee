import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** The payment that Stripe took, by which events of refunds name an invoice, and whether its refunds were read. */
export const stripeRefunds: Migration = {
  name: "0280-stripe-refunds",
  statements: ({ integer }) => [
    "ALTER TABLE stripe_invoices ADD COLUMN payment_intent text",
    `ALTER TABLE stripe_invoices ADD COLUMN refund_events ${integer} NOT NULL DEFAULT 0`,
    `ALTER TABLE stripe_invoices ADD COLUMN refunds_read ${integer} NOT NULL DEFAULT 0`,
    `CREATE INDEX stripe_invoices_by_payment ON stripe_invoices (account_seq, mode, payment_intent)
       WHERE payment_intent IS NOT NULL`,
  ],
};
