import { z } from "zod";
import { bucketNamePattern, meterAmounts } from "../../../core/schemas/meters.ts";

const statusClass = /^[1-5]xx$/;
const statusText = 'must be a status such as 200, or a class such as "2xx"';

export const meteringBucket = z
  .string()
  .refine(
    (value) => /^mtr_[0-9A-Za-z]{24}$/.test(value) || bucketNamePattern.test(value),
    "must be the id of a metering bucket, such as mtr_0QGzNqW81Kx8VhTb3mPcRdZu, or its name",
  )
  .meta({ description: "The metering bucket with the plans and subscriptions: its id or its name." });

export const countedStatuses = z
  .array(
    // Zod reports the only branch with a matching type directly, with that branch's message.
    z.union([z.int().min(100, statusText).max(599, statusText), z.string().regex(statusClass, statusText)], statusText),
  )
  .min(1, "must name at least one status")
  .default(["1xx", "2xx", "3xx", "4xx"])
  .meta({ description: "The statuses of responses that count." });

export const quotaOptions = z.strictObject({
  bucketId: meteringBucket,
  meters: meterAmounts.meta({ description: "The amount that a request takes from each meter." }),
  statuses: countedStatuses,
  overQuota: z
    .enum(["reject", "allow"])
    .default("reject")
    .meta({ description: "What happens to a request when the quota is used up; an allowed one is still counted." }),
});

export type QuotaOptions = z.output<typeof quotaOptions>;
