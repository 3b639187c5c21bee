import { z } from "zod";
import { areaOf } from "../../../api/area.ts";
import { read } from "../../../api/endpoint.ts";
import { Overviews } from "./overview.ts";

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

const overview = z
  .object({
    isComplete: z
      .boolean()
      .meta({ description: "Whether no part is missing because it is still being computed, for a large account." }),
    firstSteps: z.object({
      consumer: z.string().optional().meta({ description: "The name of the oldest consumer." }),
      keyBucket: z.string().optional().meta({ description: "Its key bucket." }),
      planExternalId: z.string().optional().meta({ description: "Of the oldest plan." }),
      hasSubscription: z.boolean(),
      hasDeployment: z.boolean().meta({ description: "Whether a deployment serves." }),
      hasTraffic: z.boolean().meta({ description: "Whether a request ever succeeded or a key was verified as valid." }),
    }),
    goLive: z
      .object({
        hasSeller: z.boolean().meta({ description: "Whether there is a billing profile." }),
        hasSignUp: z.boolean().meta({ description: "Whether a portal lets new customers in." }),
        sendsMail: z.boolean().meta({ description: "Whether the server sends mail." }),
        takesPayments: z.boolean().meta({
          description: "Whether a payment provider was chosen that moves money, or `manual`.",
        }),
        hasDomain: z.boolean().meta({ description: "Whether a custom domain is verified." }),
      })
      .meta({ description: "What else is there before customers pay." }),
    money: z.object({
      isSelling: z.boolean().meta({ description: "Whether a plan has a price." }),
      recurring: z
        .array(
          sum.extend({
            subscriptions: z.number(),
            trend: z
              .array(z.object({ month: z.string(), amount: z.string() }))
              .meta({ description: "At the end of each of the 11 months before this one." }),
          }),
        )
        .optional()
        .meta({
          description:
            "The fees of a month, by currency: what all active subscriptions are billed for their plans, yearly fees divided by " +
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

export function overviewArea(sendsMail: boolean) {
  const overviews = new Overviews(sendsMail);
  return areaOf({ Overview: "What needs attention in an account, and what it earns." }, [
    read({
      operationId: "getOverview",
      path: "/v1/accounts/{accountName}/overview",
      summary: "Summarize an account",
      description:
        "Recurring revenue, late invoices, usage near limits, keys to look at, failing webhooks and builds. Test buckets do not count. For a " +
        "large account, parts that take long to compute are reused for up to five minutes, and missing in the first responses.",
      access: "read",
      response: overview,
      examples: {
        response: {
          isComplete: true,
          firstSteps: {
            consumer: "acme",
            keyBucket: "main",
            planExternalId: "price_gold",
            hasSubscription: true,
            hasDeployment: true,
            hasTraffic: true,
          },
          goLive: { hasSeller: true, hasSignUp: true, sendsMail: true, takesPayments: true, hasDomain: false },
          money: {
            isSelling: true,
            recurring: [
              {
                currency: "EUR",
                amount: "1240.00",
                subscriptions: 31,
                trend: [{ month: "2026-01", amount: "1180.00" }],
              },
            ],
            overdue: [{ currency: "EUR", amount: "49.00", invoices: 1 }],
            failed: [],
          },
          limits: {
            total: 1,
            used: 1,
            data: [
              {
                bucketId: "mtr_0QGzNqW81Kx8VhTb3mPcRdZu",
                subscriptionId: "sbsc_01hzyt3qg8f6k2m4n5p7r9sa",
                customerKey: "acme",
                share: 1.04,
                meter: "requests",
                label: "Requests",
                used: 1040,
                max: 1000,
              },
            ],
          },
          keys: [{ bucketName: "main", expiring: 3, unused: 0 }],
          webhooks: [],
          deployments: [],
        },
      },
      handle: async ({ reads, account, act }) => ({ body: await overviews.of(reads, account, act.now) }),
    }),
  ]);
}
