import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Whether a charge at Stripe is in progress, whether it is requested again, and which of its money is in our books. */
export const stripeCharges: Migration = {
  name: "0260-stripe-charges",
  statements: ({ integer }) => [
    `ALTER TABLE stripe_invoices ADD COLUMN charging ${integer} NOT NULL DEFAULT 0`,
    `ALTER TABLE stripe_invoices ADD COLUMN void_on ${integer}`,
    `ALTER TABLE stripe_invoices ADD COLUMN requested ${integer} NOT NULL DEFAULT 0`,
    `ALTER TABLE stripe_invoices ADD COLUMN performed ${integer} NOT NULL DEFAULT 0`,
    "ALTER TABLE stripe_invoices ADD COLUMN recorded text NOT NULL DEFAULT '0'",
    `UPDATE stripe_invoices SET recorded = amount WHERE amount IS NOT NULL AND EXISTS (
       SELECT 1 FROM invoices WHERE invoices.seq = stripe_invoices.invoice_seq
         AND invoices.status = 'paid' AND invoices.payment_reference = stripe_invoices.stripe_id)`,
  ],
};
