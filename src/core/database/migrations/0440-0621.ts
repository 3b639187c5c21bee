import { currenciesWithDigits, maxDigits } from "../../../lib/currencies.ts";
import type { Migration } from "../../../platform/storage/migrations/migration.ts";

const cases = [0, 1, 2, 3]
  .map((digits) => ({ codes: currenciesWithDigits(digits), times: 10 ** (maxDigits - digits) }))
  .filter(({ codes }) => codes.length > 0)
  .map(({ codes, times }) => `WHEN currency IN (${codes.map((code) => `'${code}'`).join(", ")}) THEN ${times}`);
const factor = `CASE ${cases.join(" ")} ELSE 1 END`;

export const migrations0440: Migration[] = [
  /** Credit packs, their sale by invoices without a subscription, and automatic top-ups of customers. */
  {
    name: "0440-credit-packs",
    statements: ({ seq, integer }) => [
      `CREATE TABLE credit_packs (
      seq ${seq},
      id text NOT NULL CONSTRAINT credit_packs_id_key UNIQUE,
      bucket_seq ${integer} NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
      external_id text NOT NULL,
      label text NOT NULL,
      currency text NOT NULL,
      price text NOT NULL,
      grant_meter text,
      grant_currency text,
      grant_amount text NOT NULL,
      expires_in_days ${integer},
      is_public ${integer} NOT NULL,
      position ${integer} NOT NULL,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT credit_packs_bucket_seq_external_id_key UNIQUE (bucket_seq, external_id)
    )`,
      `CREATE TABLE pack_purchases (
      seq ${seq},
      id text NOT NULL CONSTRAINT pack_purchases_id_key UNIQUE,
      bucket_seq ${integer} NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
      customer_key text NOT NULL,
      pack_external_id text NOT NULL,
      label text NOT NULL,
      is_top_up ${integer} NOT NULL,
      state text NOT NULL,
      currency text NOT NULL,
      price text NOT NULL,
      total text NOT NULL,
      grant_meter text,
      grant_currency text,
      grant_amount text NOT NULL,
      expires_in_days ${integer},
      invoice_id text NOT NULL,
      grant_id text,
      paid_on ${integer},
      expires_on ${integer},
      stopped_on ${integer},
      reversed_on ${integer},
      reversed_used text,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL
    )`,
      "CREATE INDEX pack_purchases_of_customer ON pack_purchases (bucket_seq, customer_key, seq)",
      `CREATE INDEX pack_purchases_by_expiry ON pack_purchases (expires_on)
       WHERE state = 'open' AND expires_on IS NOT NULL`,
      "ALTER TABLE invoices ADD COLUMN purchase_id text",
      "ALTER TABLE grants ADD COLUMN purchase_id text",
      "CREATE INDEX grants_of_purchase ON grants (bucket_seq, purchase_id) WHERE purchase_id IS NOT NULL",
      "ALTER TABLE credit_uses ADD COLUMN prepaid text NOT NULL DEFAULT '0'",
      "ALTER TABLE credit_uses ADD COLUMN applied_prepaid text NOT NULL DEFAULT '0'",
      "ALTER TABLE customers ADD COLUMN top_up text",
      "CREATE INDEX customers_with_top_up ON customers (bucket_seq, customer_key) WHERE top_up IS NOT NULL",
    ],
  },
  /** The cost under prepaid rates that no money covered. */
  {
    name: "0450-prepaid-rates",
    statements: () => [
      "ALTER TABLE credit_uses ADD COLUMN written_off text NOT NULL DEFAULT '0'",
      "ALTER TABLE credit_uses ADD COLUMN applied_written_off text NOT NULL DEFAULT '0'",
    ],
  },
  /**
   * When an event was taken back, and the last event that was stored when usage was marked: it tells on which side of the
   * mark an event of the same time is.
   */
  {
    name: "0451-voided-events",
    statements: ({ integer }) => [
      `ALTER TABLE usage_events ADD COLUMN voided_on ${integer}`,
      `ALTER TABLE segment_marks ADD COLUMN last_event ${integer}`,
    ],
  },
  /** Whether prices include tax, copied to each invoice, and whether a customer pays it. */
  {
    name: "0460-taxes",
    statements: () => [
      "ALTER TABLE invoices ADD COLUMN tax_behavior text",
      "ALTER TABLE customers ADD COLUMN tax_status text",
    ],
  },
  /**
   * Words by which consumers are found, and invoices by their number. `words_version` is the version of the consumer whose
   * words are stored. It differs for consumers that were written by an earlier release: their words are added in the
   * background.
   */
  {
    name: "0480-search-words",
    statements: ({ integer, sortedText, withoutRowid, sortBytewise }) => [
      `CREATE TABLE consumer_words (
      bucket_seq ${integer} NOT NULL,
      word ${sortedText} NOT NULL,
      consumer_seq ${integer} NOT NULL,
      PRIMARY KEY (bucket_seq, word, consumer_seq)
    ) ${withoutRowid}`,
      `ALTER TABLE consumers ADD COLUMN words_version ${integer} NOT NULL DEFAULT 0`,
      "CREATE INDEX consumers_without_words ON consumers (seq) WHERE words_version <> version",
      ...sortBytewise("invoices", ["number"]),
      "CREATE INDEX invoices_by_number ON invoices (bucket_seq, number)",
      ...sortBytewise("managers", ["email_key"]),
    ],
  },
  /** What plans carry over of unused units, and the grants that it becomes. */
  {
    name: "0500-rollover",
    statements: ({ seq, integer }) => [
      "ALTER TABLE plans ADD COLUMN rollover text",
      "ALTER TABLE plan_history ADD COLUMN rollover text",
      `CREATE TABLE rollovers (
      seq ${seq},
      bucket_seq ${integer} NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
      customer_key text NOT NULL,
      subscription_id text NOT NULL,
      period_start ${integer} NOT NULL,
      period_end ${integer} NOT NULL,
      plan_id text NOT NULL,
      label text NOT NULL,
      meter text NOT NULL,
      maximum text NOT NULL,
      allowance text NOT NULL,
      invoice_id text,
      line ${integer},
      expires_on ${integer} NOT NULL,
      grant_id text,
      granted text,
      ended_on ${integer},
      CONSTRAINT rollovers_of_period_key UNIQUE (bucket_seq, subscription_id, period_start, plan_id, meter)
    )`,
      "CREATE INDEX rollovers_of_customer ON rollovers (bucket_seq, customer_key, expires_on)",
      "CREATE INDEX rollovers_in_progress ON rollovers (bucket_seq, subscription_id) WHERE ended_on IS NULL",
      `ALTER TABLE grants ADD COLUMN rollover_seq ${integer}`,
      "CREATE INDEX grants_of_rollover ON grants (rollover_seq) WHERE rollover_seq IS NOT NULL",
    ],
  },
  /**
   * The sum of the open invoices of each customer that has some, for lists by amount due. All currencies are counted with the
   * same number of digits.
   */
  {
    name: "0530-customer-dues",
    statements: ({ integer, sortedText, withoutRowid }) => [
      `CREATE TABLE customer_dues (
      bucket_seq ${integer} NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
      customer_key ${sortedText} NOT NULL,
      due ${integer} NOT NULL,
      PRIMARY KEY (bucket_seq, customer_key)
    ) ${withoutRowid}`,
      "CREATE INDEX customer_dues_in_order ON customer_dues (bucket_seq, due DESC, customer_key)",
      "CREATE INDEX invoices_open ON invoices (bucket_seq, customer_key, seq) WHERE status = 'open'",
      // Longer amounts do not fit. They are counted with the next change of the customer's invoices.
      `INSERT INTO customer_dues (bucket_seq, customer_key, due)
     SELECT bucket_seq, customer_key, SUM(CAST(amount_due AS bigint) * ${factor}) FROM invoices
     WHERE status = 'open' AND corrects_id IS NULL AND amount_due <> '0' AND length(amount_due) <= 10
     GROUP BY bucket_seq, customer_key`,
    ],
  },
  /** The invoices that are overdue or whose payment failed are added up for each view of the console's home. */
  {
    name: "0540-late-invoices",
    statements: () => [
      "CREATE INDEX invoices_late ON invoices (bucket_seq, seq) WHERE status = 'open' AND failed_on IS NOT NULL",
    ],
  },
  /**
   * Usage events on PostgreSQL are partitioned by the time of receipt, see docs/decisions/event-partitions.md. A unique
   * constraint of a partitioned table must contain that time, so duplicates are found by a table of keys. The partitions
   * are introduced while serving: the last table contains how far that is.
   */
  {
    name: "0570-event-partitions",
    statements: ({ reusableSeq, integer, onlyPostgres }) => [
      // The sums of dropped events that are not yet added to the removed sums of their counters.
      `CREATE TABLE removed_usage (
      seq ${reusableSeq},
      subscription_seq ${integer} NOT NULL,
      period_start ${integer} NOT NULL,
      meter text NOT NULL,
      events ${integer} NOT NULL,
      whole ${integer} NOT NULL,
      billionths ${integer} NOT NULL
    )`,
      "CREATE INDEX removed_usage_by_period ON removed_usage (subscription_seq, period_start)",
      ...onlyPostgres([
        // The digest is that of the event's source and id. No foreign key, as for events.
        `CREATE TABLE usage_event_keys (
        bucket_seq bigint NOT NULL,
        digest uuid NOT NULL,
        received_on bigint NOT NULL,
        PRIMARY KEY (bucket_seq, digest)
      )`,
        "CREATE INDEX usage_event_keys_by_receipt ON usage_event_keys (received_on)",
        // Events up to `filled_to`, by seq, have keys. `bound` is the end of the partition that the table of earlier
        // releases becomes. Events that were received before `removed_before` are about to be dropped, and not changed.
        `CREATE TABLE usage_event_storage (
        is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
        phase text NOT NULL,
        filled_to bigint NOT NULL,
        bound bigint,
        removed_before bigint NOT NULL
      )`,
        "INSERT INTO usage_event_storage (phase, filled_to, removed_before) VALUES ('filling', 0, 0)",
      ]),
    ],
  },
  /** The list of payments is in the order in which they were made. */
  {
    name: "0600-payments",
    statements: () => ["CREATE INDEX invoices_paid ON invoices (bucket_seq, paid_on, seq) WHERE paid_on IS NOT NULL"],
  },
  /** What the customer's bank demands back of the payment of an invoice. */
  {
    name: "0610-disputes",
    statements: () => ["ALTER TABLE invoices ADD COLUMN disputed text NOT NULL DEFAULT '0'"],
  },
  /**
   * The subscriptions of large metering buckets by the used share of their quotas, for lists in that order. Rankings are
   * computed in the background and replaced as a whole.
   */
  {
    name: "0620-usage-rankings",
    statements: ({ integer, withoutRowid }) => [
      `CREATE TABLE usage_rankings (
      bucket_seq ${integer} PRIMARY KEY REFERENCES metering_buckets ON DELETE CASCADE,
      ranked_on ${integer},
      previous_ranked_on ${integer},
      bucket_clock ${integer},
      size ${integer} NOT NULL,
      next_on ${integer} NOT NULL,
      lease_until ${integer} NOT NULL
    ) ${withoutRowid}`,
      `CREATE TABLE usage_ranking_blocks (
      bucket_seq ${integer} NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
      ranked_on ${integer} NOT NULL,
      block ${integer} NOT NULL,
      last_share ${integer} NOT NULL,
      ranks text NOT NULL,
      PRIMARY KEY (bucket_seq, ranked_on, block)
    )`,
      "CREATE INDEX usage_ranking_blocks_by_share ON usage_ranking_blocks (bucket_seq, ranked_on, last_share, block)",
    ],
  },
  /** Customers are counted and listed in the order of creation without reading all of them. */
  {
    name: "0621-customer-counts",
    statements: () => [
      "CREATE INDEX customers_in_order ON customers (bucket_seq, seq)",
      `INSERT INTO list_blocks (scope, list, block, shard, size)
      SELECT metering_buckets.id, 'customers', customers.seq / 4096, 0, COUNT(*)
      FROM customers JOIN metering_buckets ON metering_buckets.seq = customers.bucket_seq
      GROUP BY metering_buckets.id, customers.seq / 4096`,
    ],
  },
  /** What was written off since money last paid of prepaid usage. It was undone before money, so all of it counts as such. */
  {
    name: "0630-prepaid-order",
    statements: () => [
      "ALTER TABLE credit_uses ADD COLUMN written_off_last text NOT NULL DEFAULT '0'",
      "UPDATE credit_uses SET written_off_last = written_off WHERE written_off <> '0'",
    ],
  },
  /** The name of the key bucket whose consumers are the customers of a metering bucket. */
  {
    name: "0640-customers-key-bucket",
    statements: () => ["ALTER TABLE metering_buckets ADD COLUMN key_bucket text"],
  },
  /** A suspended consumer: nothing of it is admitted. */
  {
    name: "0650-suspended-consumers",
    statements: ({ integer }) => [
      `ALTER TABLE consumers ADD COLUMN is_suspended ${integer} NOT NULL DEFAULT 0`,
      "ALTER TABLE consumers ADD COLUMN suspension_reason text",
    ],
  },
  /** Exports have invoices at the hour in which they were written. Until now it was that in which they were due. */
  {
    name: "0660-recorded-invoices",
    statements: ({ integer }) => [
      `ALTER TABLE invoices ADD COLUMN recorded_on ${integer}`,
      "CREATE INDEX invoices_by_recording ON invoices (bucket_seq, (COALESCE(recorded_on, finalized_on)), seq)",
      `ALTER TABLE exports ADD COLUMN backfill_to ${integer}`,
    ],
  },
  /** The id of the consumer that a customer is, in metering buckets with a key bucket. It outlives the consumer. */
  {
    name: "0670-consumers-of-customers",
    statements: () => ["ALTER TABLE customers ADD COLUMN consumer_id text"],
  },
];
