import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Amounts that verify-key holds until they are settled or released. */
export const meteringHolds: Migration = {
  name: "0345-metering-holds",
  statements: ({ integer }) => [
    `CREATE TABLE metering_holds (
      id text PRIMARY KEY,
      bucket_seq ${integer} NOT NULL,
      subscription_seq ${integer} NOT NULL REFERENCES subscriptions (seq) ON DELETE CASCADE,
      period_start ${integer} NOT NULL,
      time ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      expires_on ${integer} NOT NULL,
      on_expiry text NOT NULL,
      state text NOT NULL,
      held text NOT NULL,
      counted text NOT NULL
    )`,
    "CREATE INDEX metering_holds_expiry ON metering_holds (expires_on)",
    "CREATE INDEX metering_holds_open ON metering_holds (expires_on) WHERE state = 'open'",
    "CREATE INDEX metering_holds_of_subscription ON metering_holds (subscription_seq)",
  ],
};
