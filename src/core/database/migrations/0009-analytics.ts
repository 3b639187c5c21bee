import type { Migration } from "../../../platform/storage/migrations/migration.ts";

const hour = 3_600_000;
const day = 24 * hour;

/** Rounds down, also before 1970; `%` keeps the sign of its left operand in both engines. */
const floored = (time: string, step: number) => `${time} - ((${time} % ${step}) + ${step}) % ${step}`;

/** Usage from before this migration, as one point at the start of its period. */
const usedBefore = (time: string) => `SELECT ${time}, subscription_seq, period_start, meter,
    whole + consumed_whole + (billionths + consumed_billionths) / 1000000000,
    (billionths + consumed_billionths) % 1000000000
  FROM usage_counters`;

/** Requests by minute, hour and day, and usage of subscriptions by hour and day. */
export const analytics: Migration = {
  name: "0009-analytics",
  statements: ({ integer, bytes, sortedText, withoutRowid }) => [
    // The time is the first column: old rows are a range at the front, and new ones are written next to each other.
    `CREATE TABLE traffic (
      step ${integer} NOT NULL,
      time ${integer} NOT NULL,
      detail ${integer} NOT NULL,
      account_seq ${integer} NOT NULL,
      deployment_seq ${integer} NOT NULL,
      version ${integer} NOT NULL,
      route ${sortedText} NOT NULL,
      status ${integer} NOT NULL,
      consumer ${sortedText} NOT NULL,
      requests ${integer} NOT NULL,
      rejected ${integer} NOT NULL,
      errors ${integer} NOT NULL,
      bytes_in ${integer} NOT NULL,
      bytes_out ${integer} NOT NULL,
      latency ${bytes} NOT NULL,
      PRIMARY KEY (step, time, detail, account_seq, deployment_seq, version, route, status, consumer)
    ) ${withoutRowid}`,
    "CREATE INDEX traffic_by_consumer ON traffic (account_seq, consumer, step, time) WHERE consumer <> ''",
    `CREATE TABLE traffic_deployments (
      deployment_seq ${integer} NOT NULL PRIMARY KEY,
      account_seq ${integer} NOT NULL
    ) ${withoutRowid}`,
    // The time is the first column here too. So there is no foreign key, which would need an index by subscription.
    `CREATE TABLE usage_hours (
      time ${integer} NOT NULL,
      subscription_seq ${integer} NOT NULL,
      period_start ${integer} NOT NULL,
      meter text NOT NULL,
      whole ${integer} NOT NULL,
      billionths ${integer} NOT NULL,
      PRIMARY KEY (time, subscription_seq, period_start, meter)
    ) ${withoutRowid}`,
    `CREATE TABLE usage_days (
      time ${integer} NOT NULL,
      subscription_seq ${integer} NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
      period_start ${integer} NOT NULL,
      meter text NOT NULL,
      whole ${integer} NOT NULL,
      billionths ${integer} NOT NULL,
      PRIMARY KEY (subscription_seq, period_start, time, meter)
    ) ${withoutRowid}`,
    `INSERT INTO usage_hours (time, subscription_seq, period_start, meter, whole, billionths)
      ${usedBefore(floored("period_start", hour))}`,
    `INSERT INTO usage_days (time, subscription_seq, period_start, meter, whole, billionths)
      ${usedBefore(floored("period_start", day))}`,
  ],
};
