import { z } from "zod";

const sum = z.object({
  currency: z.string(),
  amount: z.string().meta({ description: "With the decimals of the currency." }),
});
const late = z.array(sum.extend({ invoices: z.number() }));

const nearLimit = z.object({
  bucketId: z.string().meta({ description: "The metering bucket." }),
  subscriptionId: z.string(),
  customerKey: z.string(),
  share: z.number().meta({ description: "`used` of `max`; more than 1 if the usage exceeds the maximum." }),
  meter: z.string().meta({ description: "The meter with the largest share." }),
  label: z.string().optional(),
  used: z.number(),
  max: z.number(),
  isBilled: z
    .literal(true)
    .optional()
    .meta({ description: "Usage beyond the maximum is billed, instead of being rejected." }),
});

export const overview = z
  .object({
    isComplete: z
      .boolean()
      .meta({ description: "Whether no part is missing because it is still being computed, for a large account." }),
    firstSteps: z.object({
      consumer: z.string().optional().meta({ description: "The name of the oldest consumer." }),
      planExternalId: z.string().optional().meta({ description: "Of the oldest plan." }),
      hasSubscription: z.boolean(),
      hasDeployment: z.boolean().meta({ description: "Whether a deployment serves." }),
      hasTraffic: z.boolean().meta({ description: "Whether a request ever succeeded or a key was verified as valid." }),
    }),
    money: z.object({
      isSelling: z.boolean().meta({ description: "Whether a plan has a price." }),
      recurring: z
        .array(sum.extend({ subscriptions: z.number() }))
        .optional()
        .meta({
          description:
            "The fees of a month, by currency: the present prices of the plans of all active subscriptions, yearly ones divided by " +
            "twelve. Without usage, credits, taxes and trials. Missing while it is being computed.",
        }),
      overdue: late.meta({ description: "Open invoices that were not paid by their due date." }),
      failed: late.meta({ description: "Open invoices whose payment failed before their due date." }),
    }),
    limits: z
      .object({
        total: z.number().meta({ description: "The number of subscriptions that have used at least 80 % of a quota." }),
        used: z.number().meta({ description: "The number of those that have used all of it, or more." }),
        data: z.array(nearLimit).meta({ description: "At most 8, the largest share first." }),
      })
      .optional()
      .meta({ description: "Missing while it is being computed." }),
    keys: z
      .array(
        z.object({
          bucketName: z.string(),
          expiring: z.number().meta({ description: "Enabled keys that will expire within 7 days." }),
          unused: z.number().meta({ description: "Enabled keys that were not used for 90 days." }),
        }),
      )
      .optional()
      .meta({ description: "The key buckets that have such keys. Missing while it is being computed." }),
    webhooks: z
      .array(z.object({ id: z.string(), url: z.string(), disabledReason: z.enum(["gone", "failing"]).optional() }))
      .meta({ description: "Webhooks that are failing or were disabled for it." }),
    deployments: z
      .array(
        z.object({
          name: z.string(),
          projectName: z.string(),
          branchName: z.string(),
          message: z
            .enum(["", "BUILD_FAILED", "START_FAILED"])
            .meta({ description: "Empty if the last build and start succeeded." }),
        }),
      )
      .meta({ description: "At most 100, those that failed first." }),
  })
  .meta({ id: "Overview", description: "What the home page of the console shows besides analytics." });
