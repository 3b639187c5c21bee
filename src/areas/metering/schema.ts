import { z } from "zod";
import { bucketNamePattern, exactNumber, meterName, meterNameText } from "../../core/schemas/meters.ts";
import { dateTime, dateTimeInput, metadata, metadataOutput, namedRecord, text } from "../../core/schemas/schemas.ts";
import { pricedFields, pricedOutput } from "./price-schema.ts";

const bucketName = z
  .string()
  .regex(bucketNamePattern, "must be 1 to 128 characters of a-z, 0-9, _ and -, and not begin with mtr_ or bckt_")
  .meta({ description: "Unique in the account; can be used instead of the id." });

export const meteringBucket = z
  .object({
    id: z.string(),
    name: z.string().optional(),
    accountName: z.string(),
    isTest: z.boolean().optional(),
    clock: dateTime.optional().meta({ description: "The time in a test bucket." }),
    createdOn: dateTime,
    updatedOn: dateTime,
  })
  .meta({
    id: "MeteringBucket",
    description: "A container for plans, subscriptions and usage.",
    examples: [
      {
        id: "mtr_0QGzNqW81Kx8VhTb3mPcRdZu",
        accountName: "default",
        createdOn: "2026-01-31T10:00:00.000Z",
        updatedOn: "2026-01-31T10:00:00.000Z",
      },
    ],
  });

export const meteringBucketInput = z
  .strictObject({
    name: bucketName.optional(),
    isTest: z.boolean().optional().meta({
      description: "Its time stands still until it is moved, and no money is collected.",
    }),
  })
  .optional()
  .meta({ id: "MeteringBucketCreate", examples: [{}] });

export const meteringBucketPatch = z
  .strictObject({ name: bucketName.nullable().optional() })
  .meta({ id: "MeteringBucketUpdate", examples: [{ name: "shop" }] });

const trialEndStatuses = ["paused", "canceled"] as const;
const externalId = text(256).min(1, "must not be empty");
const label = text(256).min(1, "must not be empty");
const trialDays = z.int("must be an integer").min(0, "must be at least 0").max(36_500, "must be at most 36500");

const meters = namedRecord(
  meterName,
  meterNameText,
  z.strictObject({
    label: text(256).optional(),
    max: exactNumber.refine((value) => value >= 0, "must be at least 0"),
  }),
).meta({ description: `The maximum of each meter in a period. Names are ${meterNameText}.` });

export const plan = z
  .object({
    id: z.string(),
    label: z.string(),
    planExternalId: z.string(),
    meters: z.record(z.string(), z.object({ label: z.string().optional(), max: z.number() })),
    trialDays: z.int().optional(),
    trialEndStatus: z.enum(trialEndStatuses).optional(),
    isTrialCollectPayment: z.boolean().optional(),
    ...pricedOutput,
    hasSubscriptions: z.boolean(),
    createdOn: dateTime,
    updatedOn: dateTime,
  })
  .meta({
    id: "Plan",
    description: "The limits of subscribers.",
    examples: [
      {
        id: "plan_0QGzNqW81Kx8VhTb3mPcRdZu",
        label: "Gold",
        planExternalId: "price_gold",
        meters: { requests: { label: "Requests", max: 100000 } },
        hasSubscriptions: false,
        createdOn: "2026-01-31T10:00:00.000Z",
        updatedOn: "2026-01-31T10:00:00.000Z",
      },
    ],
  });

export const planInput = z
  .strictObject({
    label,
    planExternalId: externalId.meta({ description: "Its identifier in your billing system; unique in the bucket." }),
    meters,
    trialDays: trialDays.optional(),
    trialEndStatus: z.enum(trialEndStatuses).optional(),
    isTrialCollectPayment: z.boolean().optional(),
    price: pricedFields.price.optional(),
    rates: pricedFields.rates.optional(),
    features: pricedFields.features.optional(),
    description: pricedFields.description.optional(),
    isPublic: pricedFields.isPublic.optional(),
    position: pricedFields.position.optional(),
  })
  .meta({
    id: "PlanCreate",
    examples: [
      { label: "Gold", planExternalId: "price_gold", meters: { requests: { label: "Requests", max: 100000 } } },
    ],
  });

export const planPatch = z
  .strictObject({
    label: label.optional(),
    planExternalId: externalId.optional(),
    meters: meters.optional(),
    trialDays: trialDays.nullable().optional(),
    trialEndStatus: z.enum(trialEndStatuses).nullable().optional(),
    isTrialCollectPayment: z.boolean().nullable().optional(),
    price: pricedFields.price.nullable().optional(),
    rates: pricedFields.rates.nullable().optional(),
    features: pricedFields.features.nullable().optional(),
    description: pricedFields.description.nullable().optional(),
    isPublic: pricedFields.isPublic.nullable().optional(),
    position: pricedFields.position.nullable().optional(),
  })
  .meta({ id: "PlanUpdate", examples: [{ meters: { requests: { label: "Requests", max: 200000 } } }] });

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

export const planQuery = z.object({ planExternalId: z.string().optional() });

export const subscriptionQuery = z.object({
  customerKey: z.string().optional(),
  subscriptionExternalId: z.string().optional(),
  planId: z.string().optional(),
  status: z.enum(statuses).optional(),
});
