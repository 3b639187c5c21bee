import { z } from "zod";
import { dateTime, dateTimeInput, metadata, metadataOutput, text } from "../../../core/schemas/schemas.ts";
import { externalId } from "../plans/schema.ts";

export const statuses = [
  "active",
  "inactive",
  "incomplete",
  "incomplete-expired",
  "trialing",
  "past-due",
  "canceled",
  "unpaid",
] as const;
export type SubscriptionStatus = (typeof statuses)[number];

const renewals = ["monthly", "yearly"] as const;
const regions = ["us-central1", "us-east1", "europe-west4"] as const;

const subscriptionExample = {
  planIds: ["plan_0QGzNqW81Kx8VhTb3mPcRdZu"],
  planExternalIds: ["price_gold"],
  status: "active" as const,
  type: "periodic" as const,
  renewalStrategy: "monthly" as const,
  region: "europe-west4" as const,
  customerKey: "acme",
  subscriptionExternalId: "sub_1",
  customerExternalId: "cus_1",
};

export const subscription = z
  .object({
    id: z.string(),
    planIds: z.array(z.string()),
    planExternalIds: z.array(z.string()),
    status: z.enum(statuses),
    type: z.literal("periodic"),
    renewalStrategy: z.enum(renewals),
    region: z.enum(regions),
    customerKey: z.string(),
    subscriptionExternalId: z.string(),
    customerExternalId: z.string(),
    quotaResetAnchor: dateTime,
    metadata: metadataOutput.optional(),
    trialEndStatus: z.string().optional(),
    trialStartDate: dateTime.optional(),
    trialEndDate: dateTime.optional(),
    nextBillingCycle: dateTime,
    productKey: z.string().optional(),
    payment: z
      .object({
        state: z.enum(["not_required", "pending", "paid", "failed"]),
        since: dateTime,
        blocksOn: dateTime.optional().meta({ description: "From then on the status reads `unpaid`." }),
      })
      .optional()
      .meta({ description: "The state of its invoices, if a plan has a price." }),
    cancelsOn: dateTime.optional().meta({ description: "When it will be canceled, at the end of a period." }),
    planChange: z
      .object({ planExternalIds: z.array(z.string()), on: dateTime })
      .optional()
      .meta({ description: "The plans from the end of the period on." }),
    createdOn: dateTime,
    updatedOn: dateTime,
  })
  .meta({
    id: "Subscription",
    description: "Gives a customer the limits of its plans in each period.",
    examples: [
      {
        id: "sbsc_0QGzNqW81Kx8VhTb3mPcRdZu",
        ...subscriptionExample,
        quotaResetAnchor: "2026-01-31T10:00:00.000Z",
        nextBillingCycle: "2026-02-28T10:00:00.000Z",
        createdOn: "2026-01-31T10:00:00.000Z",
        updatedOn: "2026-01-31T10:00:00.000Z",
      },
    ],
  });

export const createdSubscription = subscription
  .extend({ warnings: z.array(z.string()).optional().meta({ description: "What may be wrong with its customer." }) })
  .meta({ ...subscription.meta(), id: "CreatedSubscription", description: "A new subscription." });

const planNames = z.array(externalId).min(1, "must name at least one plan").max(20, "must name at most 20 plans");

export const subscriptionInput = z
  .strictObject({
    planIds: planNames,
    planExternalIds: planNames.meta({ description: "The same plans as `planIds`." }),
    status: z.enum(statuses),
    type: z.literal("periodic"),
    renewalStrategy: z.enum(renewals),
    region: z.enum(regions),
    customerKey: externalId.meta({
      description: "The `subject` of usage events; a gateway uses the consumer's name.",
    }),
    subscriptionExternalId: externalId.meta({
      description:
        "Its identifier in your billing system; unique in the bucket among subscriptions that are not canceled.",
    }),
    customerExternalId: externalId,
    quotaResetAnchor: dateTimeInput.optional(),
    metadata: metadata.optional(),
    trialEndStatus: text(64).optional(),
    trialStartDate: dateTimeInput.optional(),
    trialEndDate: dateTimeInput.optional(),
    nextBillingCycle: dateTimeInput.optional(),
    productKey: text(256).optional(),
  })
  .meta({ id: "SubscriptionCreate", examples: [subscriptionExample] });

export const subscriptionPatch = z
  .strictObject({
    planExternalIds: planNames.optional(),
    status: z.enum(statuses).optional(),
    prorate: z
      .number("must be a number")
      .min(0, "must be from 0 to 1")
      .max(1, "must be from 0 to 1")
      .optional()
      .meta({ description: "With a change of plans: the share of the new maximum for the rest of this period." }),
    metadata: metadata.nullable().optional(),
    trialEndDate: dateTimeInput.nullable().optional(),
  })
  .meta({ id: "SubscriptionUpdate", examples: [{ status: "canceled" as const }] });

export const planChangeInput = subscriptionPatch
  .pick({ planExternalIds: true, prorate: true })
  .required({ planExternalIds: true })
  .meta({ id: "PlanChange", examples: [{ planExternalIds: ["price_gold"], prorate: 0.5 }] });

export const subscriptionQuery = z.object({
  customerKey: z.string().optional(),
  subscriptionExternalId: z.string().optional(),
  planId: z.string().optional(),
  status: z.enum(statuses).optional(),
});
