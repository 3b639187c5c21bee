import { z } from "zod";
import { listOf, paging } from "../../../api/schemas.ts";
import { dateTime, dateTimeInput } from "../../../core/schemas/schemas.ts";
import { customerKeys } from "../../subscriptions/customer-keys-schema.ts";
import { meterParameter, metersExample, periodExample } from "./usage-schema.ts";

export const usageListQuery = z.strictObject({
  ...paging.shape,
  near: z
    .string()
    .regex(/^\d{1,6}(\.\d{1,9})?$/, "must be a share such as 0.8")
    .transform(Number)
    .optional()
    .meta({ description: "Only subscriptions that used at least this share of a quota, such as `0.8`." }),
  meter: meterParameter,
  customerKeys: customerKeys("subscriptions"),
  rankedOn: dateTimeInput
    .optional()
    .meta({ description: "`rankedOn` of the first page: the order of the others is the same, while it is kept." }),
});

const share = z.number().meta({ description: "`used` of `max`; more than 1 if the usage exceeds the maximum." });

const subscriptionUsage = z
  .object({
    subscriptionId: z.string(),
    customerKey: z.string(),
    planIds: z.array(z.string()),
    status: z.enum(["active", "trialing"]),
    periodStart: dateTime,
    periodEnd: dateTime,
    share: share.meta({ description: "The largest share of its meters." }),
    meters: z.record(
      z.string(),
      z.object({ label: z.string().optional(), used: z.number(), max: z.number(), available: z.number(), share }),
    ),
  })
  .meta({
    id: "UsageShare",
    examples: [
      {
        subscriptionId: "sbsc_01hzyt3qg8f6k2m4n5p7r9sa",
        customerKey: "acme",
        planIds: ["plan_0QGzNqW81Kx8VhTb3mPcRdZu"],
        status: "active",
        ...periodExample,
        share: 0.012,
        meters: { requests: { ...metersExample.requests, share: 0.012 } },
      },
    ],
  });

const rankedOn = dateTime.meta({
  description:
    "When the order and the total were computed, in a bucket with many subscriptions. Missing if it was for this response.",
});

export const usageList = listOf(subscriptionUsage, "UsageShareList", { rankedOn: rankedOn.optional() });
