import { z } from "zod";
import { exactNumber, isMeterName, meterNameText } from "../../../../core/schemas/meters.ts";
import { dateTime, dateTimeInput } from "../../../../core/schemas/schemas.ts";
import { parsePrice } from "../../../../lib/money.ts";
import { currencyCode } from "../../plans/price-schema.ts";
import { required } from "./party-schema.ts";

export const fundings = ["promotional", "prepaid", "paid"] as const;

export const entryKinds = ["granted", "consumed", "expired", "voided", "refunded", "restored", "adjusted"] as const;

export const meterOfGrant = z
  .string()
  .refine(isMeterName, `must be ${meterNameText}`)
  .meta({ description: "Units of this meter, used after the maximum of the plan." });

export const grantAmount = z
  .union([exactNumber, z.string()], "must be a number of units, or a decimal of the currency as text")
  .refine(
    (value) => (typeof value === "number" ? value > 0 : (parsePrice(value) ?? 0n) > 0n),
    "must be greater than 0: a number of units, or a decimal of the currency as text",
  )
  .meta({ description: "A number of the meter's units, or a decimal of the currency as text." });

export const grantInput = z
  .strictObject({
    meter: meterOfGrant.optional(),
    currency: currencyCode.optional().meta({ description: "Money in this currency, instead of a meter." }),
    amount: grantAmount,
    funding: z.enum(["promotional", "paid"]).meta({
      description: "Promotional money reduces an invoice before tax, paid money pays it after tax.",
    }),
    priority: z
      .int()
      .min(0)
      .max(100)
      .optional()
      .meta({ description: "Lower ones are used first, then the first to expire, then the oldest.", default: 50 }),
    effectiveOn: dateTimeInput.optional().meta({ format: "date-time", description: "Now by default." }),
    expiresOn: dateTimeInput.optional().meta({ format: "date-time" }),
    reason: required(256).optional(),
  })
  .meta({
    id: "GrantInput",
    examples: [{ currency: "EUR", amount: "25.00", funding: "promotional" as const, reason: "Welcome" }],
  });

const amountOutput = z.union([z.number(), z.string()]);
const grantExample = {
  id: "grnt_0QGzNqW81Kx8VhTb3mPcRdZu",
  customerKey: "acme",
  currency: "EUR",
  amount: "25.00",
  balance: "12.50",
  funding: "promotional" as const,
  priority: 50,
  status: "active" as const,
  effectiveOn: "2026-01-01T00:00:00.000Z",
  createdOn: "2026-01-01T00:00:00.000Z",
  updatedOn: "2026-01-01T00:00:00.000Z",
};

export const grant = z
  .object({
    id: z.string(),
    customerKey: z.string(),
    meter: z.string().optional(),
    currency: z.string().optional(),
    amount: amountOutput,
    balance: amountOutput.meta({ description: "What is left, with the usage so far." }),
    funding: z.enum(fundings).meta({
      description:
        "`prepaid`: bought as a credit pack. Its money reduces an invoice before tax, like promotional money.",
    }),
    priority: z.int(),
    status: z.enum(["scheduled", "active", "depleted", "expired", "voided"]),
    effectiveOn: dateTime,
    expiresOn: dateTime.optional(),
    voidedOn: dateTime.optional(),
    reason: z.string().optional(),
    invoiceId: z.string().optional().meta({ description: "The invoice that it is the rest of." }),
    purchaseId: z.string().optional().meta({ description: "The purchase of the credit pack that it comes from." }),
    warning: z.string().optional().meta({ description: "Why it cannot be used: no plan of the bucket has the meter." }),
    createdOn: dateTime,
    updatedOn: dateTime,
  })
  .meta({ id: "Grant", description: "Credits of a customer: units of a meter, or money.", examples: [grantExample] });

export const grantEntry = z
  .object({
    id: z.string(),
    kind: z.enum(entryKinds).meta({
      description:
        "`refunded`: returned to the customer. `restored`: that refund failed. `adjusted`: units that were carried over, " +
        "after usage of their period arrived late or was taken back.",
    }),
    amount: amountOutput.meta({ description: "Negative if the balance fell." }),
    balance: amountOutput.meta({ description: "After the entry." }),
    hour: dateTime.optional().meta({ description: "The hour of the usage." }),
    subscriptionId: z.string().optional(),
    meter: z.string().optional(),
    invoiceId: z.string().optional(),
    createdOn: dateTime,
  })
  .meta({
    id: "GrantEntry",
    description: "An entry of a grant's ledger. It never changes.",
    examples: [
      {
        id: "grnte_0QGzNqW81Kx8VhTb3mPcRdZu",
        kind: "granted" as const,
        amount: "25.00",
        balance: "25.00",
        createdOn: "2026-01-01T00:00:00.000Z",
      },
    ],
  });

export const creditEntry = grantEntry
  .extend({
    grantId: z.string(),
    funding: z.enum(fundings),
    currency: z.string().optional().meta({ description: "Of money. Without it, amounts are units of `meter`." }),
    meter: z.string().optional().meta({ description: "The meter of the units, or of the usage that money paid." }),
    reason: z.string().optional().meta({ description: "Of the grant." }),
  })
  .meta({
    id: "CreditEntry",
    description: "An entry of the ledger of one of a customer's grants. It never changes.",
    examples: [
      {
        id: "grnte_0QGzNqW81Kx8VhTb3mPcRdZu",
        kind: "granted" as const,
        amount: "25.00",
        balance: "25.00",
        grantId: "grnt_0QGzNqW81Kx8VhTb3mPcRdZu",
        funding: "promotional" as const,
        currency: "EUR",
        reason: "Welcome",
        createdOn: "2026-01-01T00:00:00.000Z",
      },
    ],
  });

export const creditEntriesQuery = z.object({
  order: z
    .enum(["asc", "desc"], "must be asc or desc")
    .optional()
    .meta({ description: "`desc`: the newest first.", default: "asc" }),
});
