import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Marks belong to segments instead of times: several changes of a subscription may have the same time. */
export const segmentMarks: Migration = {
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
};
