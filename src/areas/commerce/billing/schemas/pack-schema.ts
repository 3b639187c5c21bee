import { z } from "zod";
import { dateTime, secret } from "../../../../core/schemas/schemas.ts";
import { minorDigits } from "../../../../lib/currencies.ts";
import { parsePrice } from "../../../../lib/money.ts";
import { parseMinor } from "../../../../lib/text/minor-units.ts";
import { currencyCode } from "../../plans/price-schema.ts";
import { grantAmount, meterOfGrant } from "./grant-schema.ts";
import { refundStates } from "./invoice-schema.ts";
import { money, required } from "./party-schema.ts";
import { returnUrl } from "./subscription-schema.ts";

const packExternalId = required(256);

/** Adds an issue if an amount has more decimals than its currency. */
function checkDecimals(currency: string, amount: string, context: z.core.$RefinementCtx): void {
  const digits = minorDigits(currency);
  if (digits === undefined || parsePrice(amount) === undefined || parseMinor(amount, digits) !== undefined) return;
  const message = digits === 0 ? `must be whole in ${currency}` : `must have at most ${digits} decimals in ${currency}`;
  context.addIssue({ code: "custom", path: ["amount"], message });
}

const price = z
  .strictObject({
    currency: currencyCode,
    amount: z
      .string('must be a decimal as text, such as "10.00"')
      .refine((value) => (parsePrice(value) ?? 0n) > 0n, "must be a decimal greater than 0, such as 10.00"),
  })
  .superRefine(({ currency, amount }, context) => checkDecimals(currency, amount, context))
  .meta({ description: "Without tax. It cannot be changed." });

const packGrant = z
  .strictObject({
    meter: meterOfGrant.optional(),
    currency: currencyCode.optional().meta({ description: "Money in this currency, instead of a meter." }),
    amount: grantAmount,
    expiresInDays: z
      .int()
      .min(1)
      .max(3650)
      .optional()
      .meta({ description: "Days after the payment. Without it, the credit does not expire." }),
  })
  .superRefine(({ meter, currency, amount }, context) => {
    const issue = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    if ((meter === undefined) === (currency === undefined))
      issue(meter === undefined ? "meter" : "currency", "exactly one of meter and currency is required");
    else if (meter !== undefined && typeof amount !== "number")
      issue("amount", "must be a number: it counts units of a meter");
    else if (currency !== undefined && typeof amount !== "string")
      issue("amount", "must be a decimal as text, such as 25.00");
    else if (currency !== undefined) checkDecimals(currency, amount as string, context);
  })
  .meta({ description: "What the customer gets. It cannot be changed." });

const label = required(256);
const isPublic = z.boolean().meta({ description: "Whether customers see it in the portal." });
const position = z.int().min(0).max(1_000_000).meta({ description: "Lower ones are listed first." });

const packExample = {
  packExternalId: "credits_100",
  label: "100,000 requests",
  price: { currency: "EUR", amount: "10.00" },
  grant: { meter: "requests", amount: 100_000, expiresInDays: 365 },
  isPublic: true,
};

export const packInput = z
  .strictObject({
    packExternalId: packExternalId.meta({ description: "Unique in the bucket." }),
    label,
    price,
    grant: packGrant,
    isPublic: isPublic.optional().meta({ default: false }),
    position: position.optional().meta({ default: 0 }),
  })
  .meta({ id: "CreditPackCreate", examples: [packExample] });

export const packPatch = z
  .strictObject({ label: label.optional(), isPublic: isPublic.optional(), position: position.optional() })
  .meta({ id: "CreditPackUpdate", examples: [{ isPublic: false }] });

const grantOutput = z.object({
  meter: z.string().optional(),
  currency: z.string().optional(),
  amount: z.union([z.number(), z.string()]),
  expiresInDays: z.int().optional(),
});

export const pack = z
  .object({
    id: z.string(),
    packExternalId: z.string(),
    label: z.string(),
    price: money,
    grant: grantOutput,
    isPublic: z.boolean(),
    position: z.int(),
    warning: z.string().optional().meta({ description: "Why it cannot be used: no plan of the bucket has the meter." }),
    createdOn: dateTime,
    updatedOn: dateTime,
  })
  .meta({
    id: "CreditPack",
    description: "Credit that is sold for a price: units of a meter, or money.",
    examples: [
      {
        id: "pack_0QGzNqW81Kx8VhTb3mPcRdZu",
        ...packExample,
        position: 0,
        createdOn: "2026-01-01T00:00:00.000Z",
        updatedOn: "2026-01-01T00:00:00.000Z",
      },
    ],
  });

export const packQuery = z.object({ packExternalId: z.string().optional() });

export const purchaseStates = ["open", "paid", "failed", "canceled"] as const;

export const packPurchase = z
  .object({
    id: z.string(),
    customerKey: z.string(),
    packExternalId: z.string(),
    label: z.string(),
    isTopUp: z.boolean().meta({ description: "Whether the automatic top-up of the customer started it." }),
    state: z.enum(purchaseStates).meta({
      description:
        "`failed`: of a top-up that was not paid. `canceled`: of another purchase that was not paid in time.",
    }),
    needsAction: z.boolean().optional().meta({ description: "The customer has to confirm the payment." }),
    url: secret(
      z.string().meta({
        description:
          "The page on which the customer confirms the payment. Not for readers, who could pay and change the payment method there.",
      }),
    ).optional(),
    price: money,
    total: money.meta({ description: "The price with tax." }),
    grant: grantOutput,
    invoiceId: z.string(),
    grantId: z.string().optional().meta({ description: "Set when it is paid." }),
    paidOn: dateTime.optional(),
    expiresOn: dateTime.optional().meta({ description: "Until when an open purchase can be paid." }),
    refunded: z.string().optional().meta({ description: "What is returned of the total." }),
    refundable: z.string().optional().meta({
      description: "What `$refund` would return now, with tax. Missing if there is nothing to return.",
    }),
    reversedOn: dateTime
      .optional()
      .meta({ description: "When the payment was refunded or disputed at the provider, which voids what is left." }),
    createdOn: dateTime,
    updatedOn: dateTime,
  })
  .meta({
    id: "PackPurchase",
    description: "The sale of a credit pack to a customer.",
    examples: [
      {
        id: "pprc_0QGzNqW81Kx8VhTb3mPcRdZu",
        customerKey: "acme",
        packExternalId: packExample.packExternalId,
        label: packExample.label,
        isTopUp: false,
        state: "paid" as const,
        price: packExample.price,
        total: { currency: "EUR", amount: "11.90" },
        grant: packExample.grant,
        invoiceId: "inv_0QGzNqW81Kx8VhTb3mPcRdZu",
        grantId: "grnt_0QGzNqW81Kx8VhTb3mPcRdZu",
        paidOn: "2026-01-01T00:00:00.000Z",
        createdOn: "2026-01-01T00:00:00.000Z",
        updatedOn: "2026-01-01T00:00:00.000Z",
      },
    ],
  });

export const packPurchaseInput = z
  .strictObject({
    packExternalId,
    returnUrl: returnUrl.meta({ description: "Where the customer goes after the payment." }),
  })
  .meta({
    id: "PackPurchaseCreate",
    examples: [{ packExternalId: "credits_1000", returnUrl: "https://app.example.com/billing" }],
  });

export const purchasedPack = z
  .object({
    purchaseId: z.string(),
    url: secret(z.string().meta({ description: "Where the customer pays, if that is still to do." })).optional(),
  })
  .meta({
    id: "PurchasedPack",
    examples: [
      {
        purchaseId: "pprc_0QGzNqW81Kx8VhTb3mPcRdZu",
        url: "https://tollgate.example.com/v1/checkouts/tgco_0QGzNqW81Kx8VhTb3mPcRdZu",
      },
    ],
  });

export const packRefund = z
  .object({
    amount: z.string().meta({ description: "With tax, in the currency of the price." }),
    state: z.enum(refundStates),
  })
  .meta({ id: "PackRefund", examples: [{ amount: "5.95", state: "succeeded" as const }] });

export const topUpInput = z
  .strictObject({
    packExternalId,
    below: z
      .union([z.number(), z.string()], "must be a number of units, or a decimal of the currency as text")
      .meta({ description: "In the unit of the pack's grant, and less than it." }),
    maximumPerMonth: z
      .string('must be a decimal as text, such as "100.00"')
      .refine((value) => (parsePrice(value) ?? 0n) > 0n, "must be a decimal greater than 0, such as 100.00")
      .meta({
        description:
          "Money with tax, in the currency of the pack's price, in a calendar month of UTC. If it is enabled, at least what the pack costs with tax.",
      }),
    isEnabled: z.boolean().meta({
      description:
        "Becomes false when a payment fails, and when the pack costs more than the maximum because taxes have risen.",
    }),
  })
  .meta({ description: "Buys the pack when the available credit falls below `below`." });

/** Why an automatic top-up turns itself off. */
export const stopReasons = ["payment_failed", "refunded", "account_deleted", "maximum_too_low"] as const;

export const topUpOutput = z.object({
  packExternalId: z.string(),
  below: z.union([z.number(), z.string()]),
  maximumPerMonth: z.string(),
  isEnabled: z.boolean(),
  stopped: z
    .object({ on: dateTime, reason: z.enum(stopReasons) })
    .optional()
    .meta({ description: "When and why the server turned it off." }),
});
