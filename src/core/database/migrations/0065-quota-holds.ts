import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** The amounts that each node holds from quotas, so that other nodes count them. */
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
