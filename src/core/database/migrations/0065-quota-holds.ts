import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** What each node holds of quotas, for the other nodes. */
export const quotaHolds: Migration = {
  name: "0065-quota-holds",
  statements: ({ integer }) => [
    `CREATE TABLE quota_holds (
      writer text NOT NULL,
      subscription_seq ${integer} NOT NULL,
      period_start ${integer} NOT NULL,
      meter text NOT NULL,
      amount text NOT NULL,
      expires_on ${integer} NOT NULL,
      PRIMARY KEY (writer, subscription_seq, period_start, meter)
    )`,
  ],
};
