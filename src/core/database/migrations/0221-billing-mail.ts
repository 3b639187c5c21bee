import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Mail of test buckets, which is never sent. Mail that is due later has no text yet. */
export const billingMail: Migration = {
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
};
