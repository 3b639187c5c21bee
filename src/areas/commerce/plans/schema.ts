import { z } from "zod";
import { exactNumber, meterName, meterNameText } from "../../../core/schemas/meters.ts";
import { dateTime, namedRecord, text } from "../../../core/schemas/schemas.ts";
import { pricedFields, pricedOutput } from "./price-schema.ts";

const trialEndStatuses = ["paused", "canceled"] as const;
export const externalId = text(256).min(1);
const label = text(256).min(1);
const trialDays = z.int().min(0).max(36_500);

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
    rollover: pricedFields.rollover.optional(),
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
    rollover: pricedFields.rollover.nullable().optional(),
    features: pricedFields.features.nullable().optional(),
    description: pricedFields.description.nullable().optional(),
    isPublic: pricedFields.isPublic.nullable().optional(),
    position: pricedFields.position.nullable().optional(),
  })
  .meta({ id: "PlanUpdate", examples: [{ meters: { requests: { label: "Requests", max: 200000 } } }] });

export const planQuery = z.object({ planExternalId: z.string().optional() });
