import type { Migration } from "../../../platform/storage/migrations/migration.ts";

export const migrations0190: Migration[] = [
  /** The collection of invoices by Stripe, and amounts that are too small to be collected. */
  {
    name: "0190-stripe",
    statements: ({ integer, bytes, withoutRowid }) => [
      `ALTER TABLE payment_providers ADD COLUMN secret_key ${bytes}`,
      `ALTER TABLE payment_providers ADD COLUMN webhook_secret ${bytes}`,
      "ALTER TABLE invoices ADD COLUMN collection_state text",
      "ALTER TABLE invoices ADD COLUMN collection_url text",
      `CREATE TABLE carried_amounts (
      bucket_seq ${integer} NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
      customer_key text NOT NULL,
      currency text NOT NULL,
      amount text NOT NULL,
      PRIMARY KEY (bucket_seq, customer_key, currency)
    ) ${withoutRowid}`,
      `CREATE TABLE stripe_customers (
      bucket_seq ${integer} NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
      customer_key text NOT NULL,
      stripe_id text,
      began_on ${integer} NOT NULL,
      generation ${integer} NOT NULL,
      PRIMARY KEY (bucket_seq, customer_key)
    ) ${withoutRowid}`,
      `CREATE TABLE stripe_invoices (
      invoice_seq ${integer} NOT NULL PRIMARY KEY REFERENCES invoices ON DELETE CASCADE,
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      mode text NOT NULL,
      customer_id text,
      began_on ${integer},
      stripe_id text,
      stripe_status text,
      amount text,
      attempts ${integer} NOT NULL,
      generation ${integer} NOT NULL,
      failures ${integer} NOT NULL,
      error text,
      next_on ${integer},
      lease text,
      lease_until ${integer},
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL
    ) ${withoutRowid}`,
      "CREATE INDEX stripe_invoices_due ON stripe_invoices (next_on) WHERE next_on IS NOT NULL",
      "CREATE INDEX stripe_invoices_by_id ON stripe_invoices (account_seq, mode, stripe_id)",
      `CREATE TABLE stripe_events (
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      mode text NOT NULL,
      event_id text NOT NULL,
      received_on ${integer} NOT NULL,
      PRIMARY KEY (account_seq, mode, event_id)
    ) ${withoutRowid}`,
      "CREATE INDEX stripe_events_by_time ON stripe_events (received_on)",
    ],
  },
  /** The payment methods of customers at Stripe, and with which one an invoice was last collected. */
  {
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
  },
  /** The identity providers of portals, and the managers who sign in with them. */
  {
    name: "0200-portal-provider",
    statements: ({ bytes }) => [
      `ALTER TABLE portals ADD COLUMN client_secret ${bytes}`,
      "ALTER TABLE managers ADD COLUMN issuer text",
      "CREATE INDEX managers_by_sub ON managers (bucket_seq, sub)",
      "ALTER TABLE portal_sessions ADD COLUMN issuer text",
      "ALTER TABLE portal_proofs ADD COLUMN issuer text",
      "ALTER TABLE portal_proofs ADD COLUMN subject text",
    ],
  },
  /** Subscriptions that wait for their first payment, and the addresses where customers pay. */
  {
    name: "0210-purchases",
    statements: ({ integer, bytes, withoutRowid }) => [
      `ALTER TABLE subscriptions ADD COLUMN expires_on ${integer}`,
      `CREATE TABLE checkouts (
      hash ${bytes} NOT NULL PRIMARY KEY,
      bucket_seq ${integer} NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
      customer_key text NOT NULL,
      return_url text NOT NULL,
      expires_on ${integer} NOT NULL
    ) ${withoutRowid}`,
      "CREATE INDEX checkouts_by_expiry ON checkouts (expires_on)",
      "CREATE INDEX checkouts_by_bucket ON checkouts (bucket_seq)",
    ],
  },
  /** Finalized invoices are added up by month. */
  {
    name: "0220-revenue",
    statements: () => ["CREATE INDEX invoices_by_finalization ON invoices (bucket_seq, finalized_on, seq)"],
  },
  /** Mail of test buckets, which is never sent. Mail that is due later has no text yet. */
  {
    name: "0221-billing-mail",
    statements: ({ seq, integer }) => [
      `CREATE TABLE test_mails (
      seq ${seq},
      id text NOT NULL,
      bucket_seq ${integer} NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
      kind text NOT NULL,
      recipient text NOT NULL,
      subject_id text NOT NULL,
      due_on ${integer} NOT NULL,
      is_written ${integer} NOT NULL,
      subject text,
      body_text text,
      body_html text
    )`,
      "CREATE INDEX test_mails_in_order ON test_mails (bucket_seq, is_written, due_on, seq)",
    ],
  },
  /** Whether a charge at Stripe is in progress, whether it is requested again, and which of its money is in our books. */
  {
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
  },
  /** One node at a time compares a customer with Stripe, and an event that arrives meanwhile is not lost. */
  {
    name: "0264-stripe-customer-leases",
    statements: ({ integer }) => [
      `ALTER TABLE stripe_customers ADD COLUMN wakes ${integer} NOT NULL DEFAULT 0`,
      "ALTER TABLE stripe_customers ADD COLUMN lease text",
      `ALTER TABLE stripe_customers ADD COLUMN lease_until ${integer}`,
    ],
  },
  /** Where customers go who leave the page of a payment without paying. Null if they go where all others go. */
  {
    name: "0265-checkout-cancel-urls",
    statements: () => ["ALTER TABLE checkouts ADD COLUMN cancel_url text"],
  },
  /** What payment methods paid of invoices, and what was returned to them. */
  {
    name: "0267-refunds",
    statements: () => [
      "ALTER TABLE invoices ADD COLUMN collected text",
      "ALTER TABLE invoices ADD COLUMN refunded text NOT NULL DEFAULT '0'",
      "ALTER TABLE invoices ADD COLUMN refund_state text",
    ],
  },
  /** The rules of the newest key that a customer deleted in a portal, which a new key gets. */
  {
    name: "0270-portal-deleted-keys",
    statements: ({ integer }) => [
      `CREATE TABLE portal_deleted_keys (
      consumer_seq ${integer} NOT NULL PRIMARY KEY REFERENCES consumers ON DELETE CASCADE,
      key_id text NOT NULL,
      rules text NOT NULL
    )`,
    ],
  },
  /** The invitations that customers of portals sent by mail in the last day, which are limited. */
  {
    name: "0271-portal-invite-mails",
    statements: ({ seq, integer }) => [
      `CREATE TABLE portal_invite_mails (
      seq ${seq},
      portal_id text NOT NULL,
      consumer_seq ${integer} NOT NULL,
      mailbox text NOT NULL,
      created_on ${integer} NOT NULL,
      expires_on ${integer} NOT NULL
    )`,
      "CREATE INDEX portal_invite_mails_of_consumer ON portal_invite_mails (consumer_seq, created_on)",
      "CREATE INDEX portal_invite_mails_of_mailbox ON portal_invite_mails (portal_id, mailbox, created_on)",
      "CREATE INDEX portal_invite_mails_by_expiry ON portal_invite_mails (expires_on)",
    ],
  },
  /** People who signed up to a portal and left, so that signing up again gives no second trial and no second quota. */
  {
    name: "0272-portal-former-customers",
    statements: ({ seq, bytes, integer }) => [
      `CREATE TABLE portal_former_customers (
      seq ${seq},
      hash ${bytes} NOT NULL CONSTRAINT portal_former_customers_hash_key UNIQUE,
      left_on ${integer} NOT NULL,
      expires_on ${integer} NOT NULL
    )`,
      "CREATE INDEX portal_former_customers_by_expiry ON portal_former_customers (expires_on)",
      `ALTER TABLE portal_sign_ups ADD COLUMN is_returning ${integer} NOT NULL DEFAULT 0`,
      "CREATE INDEX checkouts_of_customer ON checkouts (bucket_seq, customer_key)",
    ],
  },
  /** Finds the customers with a cap, whose spending is compared with it, without reading all customers. */
  {
    name: "0274-capped-customers",
    statements: () => [
      `CREATE INDEX customers_capped ON customers (bucket_seq, customer_key)
     WHERE spend_cap IS NOT NULL OR credit_limit IS NOT NULL`,
    ],
  },
  /** The plans that subscriptions change to at the end of their period. A plan is not deleted as long as it is one. */
  {
    name: "0277-scheduled-plans",
    statements: ({ integer, withoutRowid }) => [
      `CREATE TABLE scheduled_plans (
      subscription_seq ${integer} NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
      position ${integer} NOT NULL,
      plan_seq ${integer} NOT NULL REFERENCES plans,
      PRIMARY KEY (subscription_seq, position)
    ) ${withoutRowid}`,
      "CREATE INDEX scheduled_plans_by_plan ON scheduled_plans (plan_seq)",
    ],
  },
  /** Complete drafts, which wait for a billing profile. */
  {
    name: "0278-waiting-drafts",
    statements: () => [
      "CREATE INDEX invoices_waiting ON invoices (bucket_seq, seq) WHERE status = 'draft' AND finalizes_on IS NULL",
    ],
  },
  /** The payment that Stripe took, by which events of refunds name an invoice, and whether its refunds were read. */
  {
    name: "0280-stripe-refunds",
    statements: ({ integer }) => [
      "ALTER TABLE stripe_invoices ADD COLUMN payment_intent text",
      `ALTER TABLE stripe_invoices ADD COLUMN refund_events ${integer} NOT NULL DEFAULT 0`,
      `ALTER TABLE stripe_invoices ADD COLUMN refunds_read ${integer} NOT NULL DEFAULT 0`,
      `CREATE INDEX stripe_invoices_by_payment ON stripe_invoices (account_seq, mode, payment_intent)
       WHERE payment_intent IS NOT NULL`,
    ],
  },
  /** What credit notes had taken off an invoice before Stripe got it. */
  {
    name: "0285-stripe-credited-before",
    statements: () => ["ALTER TABLE stripe_invoices ADD COLUMN credited_before text NOT NULL DEFAULT '0'"],
  },
  /**
   * What was credited of an invoice by later invoices, and of each of its lines. Fees that were charged before have no
   * invoice and line: those are found when the fee is returned.
   */
  {
    name: "0290-fee-returns",
    statements: () => [
      "ALTER TABLE invoices ADD COLUMN netted text NOT NULL DEFAULT '0'",
      "ALTER TABLE invoices ADD COLUMN line_credits text NOT NULL DEFAULT '{}'",
    ],
  },
  /** Marks belong to segments instead of times: several changes of a subscription may have the same time. */
  {
    name: "0300-segment-marks",
    statements: ({ integer, withoutRowid }) => [
      `CREATE TABLE segment_marks (
      subscription_seq ${integer} NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
      period_start ${integer} NOT NULL,
      segment_seq ${integer} NOT NULL,
      time ${integer} NOT NULL,
      meter text NOT NULL,
      whole ${integer} NOT NULL,
      billionths ${integer} NOT NULL,
      PRIMARY KEY (subscription_seq, period_start, segment_seq, meter)
    ) ${withoutRowid}`,
      `INSERT INTO segment_marks (subscription_seq, period_start, segment_seq, time, meter, whole, billionths)
       SELECT usage_marks.subscription_seq, usage_marks.period_start, billing_segments.seq, time, meter, whole, billionths
       FROM usage_marks JOIN billing_segments ON billing_segments.subscription_seq = usage_marks.subscription_seq
         AND billing_segments.period_start = usage_marks.period_start AND billing_segments.starts_on = usage_marks.time`,
      "DROP TABLE usage_marks",
    ],
  },
];
