import { z } from "zod";
import { dateTime, email } from "../../../../core/schemas/schemas.ts";
import { parsePrice } from "../../../../lib/money.ts";
import { currencyCode } from "../../plans/price-schema.ts";
import { customerKeys } from "../../subscriptions/customer-keys-schema.ts";
import { paymentMethodOutput } from "../payments/provider-schema.ts";
import { topUpInput, topUpOutput } from "./pack-schema.ts";
import { buyerAddress, buyerShape, money, required, taxIds, taxStatus } from "./party-schema.ts";

const cap = z
  .strictObject({
    amount: z
      .string("must be a decimal as text, such as 50.00")
      .refine((value) => parsePrice(value) !== undefined, "must be a decimal that is not negative, such as 50.00"),
    action: z.enum(["block", "notify"]),
    currency: currencyCode.optional().meta({ description: "By default that of the customer at that moment." }),
  })
  .meta({
    description: "It limits only usage that costs its currency. `block` rejects usage that would cost more.",
  });

/** More than an account sells in. */
const maxCaps = 20;
const caps = z
  .array(cap.extend({ currency: currencyCode }))
  .max(maxCaps, `must have at most ${maxCaps} items`)
  .refine(
    (all) => new Set(all.map(({ currency }) => currency)).size === all.length,
    "must have at most one for each currency",
  )
  .meta({ description: "One for each currency. It replaces all, and cannot be combined with the field for one." });

export const capOutput = z.object({
  amount: z.string(),
  action: z.enum(["block", "notify"]),
  currency: z.string().optional().meta({ description: "Absent until the customer has a currency." }),
});

const several = (first: string) =>
  z
    .array(capOutput)
    .optional()
    .meta({ description: `All of them, if there are caps in several currencies. \`${first}\` is the first.` });

export const customerPatch = z
  .strictObject({
    email: email.nullable().optional(),
    legalName: required(256).nullable().optional(),
    address: buyerAddress.nullable().optional(),
    taxIds: taxIds.nullable().optional(),
    taxStatus: taxStatus.nullable().optional(),
    currency: currencyCode.nullable().optional(),
    spendCap: cap.nullable().optional(),
    spendCaps: caps.nullable().optional(),
    creditLimit: cap.nullable().optional(),
    creditLimits: caps.nullable().optional(),
    topUp: topUpInput.nullable().optional(),
  })
  .meta({ id: "CustomerUpdate", examples: [{ email: "billing@acme.example", legalName: "Acme GmbH" }] });

export const customer = z
  .object({
    ...buyerShape,
    currency: z.string().optional(),
    spendCap: capOutput.optional().meta({ description: "The customer's cap of the cost of overage in a period." }),
    spendCaps: several("spendCap"),
    creditLimit: capOutput.optional().meta({ description: "The operator's cap. The lower one applies." }),
    creditLimits: several("creditLimit"),
    topUp: topUpOutput.optional().meta({ description: "Buys a credit pack when the available credit is low." }),
    paymentMethod: paymentMethodOutput.optional(),
    balances: z.array(money).optional().meta({
      description: "The sums of the customer's money grants, which pay overage and the next invoices.",
    }),
    amountDue: z
      .array(money)
      .optional()
      .meta({ description: "The sums of the customer's open invoices. Absent if nothing is due." }),
    consumerId: z.string().optional().meta({
      description: "In a metering bucket with a `keyBucket`: its consumer, which may have been deleted.",
    }),
    warnings: z.array(z.string()).optional().meta({
      description: "Of a single customer: consumers of several key buckets that are this customer.",
    }),
    createdOn: dateTime,
    updatedOn: dateTime,
  })
  .meta({
    id: "Customer",
    description: "Who pays for the subscriptions of a customerKey.",
    examples: [
      {
        customerKey: "acme",
        email: "billing@acme.example",
        createdOn: "2026-01-01T00:00:00.000Z",
        updatedOn: "2026-01-01T00:00:00.000Z",
      },
    ],
  });

export const customersQuery = z.object({
  customerKeys: customerKeys("those"),
  sort: z
    .enum(["amountDue"], "must be amountDue")
    .optional()
    .meta({
      description:
        "`amountDue`: those who owe the most first, without conversion of currencies, and then those who owe nothing. Not with " +
        "`customerKeys`; `offset` is at most 10000.",
    }),
});

export const testMail = z
  .object({
    id: z.string(),
    kind: z.string().meta({
      description:
        "`welcome`, `account-deleted`, `plan-changed`, `invoice`, `receipt`, `refund`, `payment-failed`, `card-expires`, `access-ending`, `access-ended`, `access-restored`, `spending`, `top-up-failed` or `top-up-action`.",
    }),
    to: z.string(),
    subject: z.string(),
    text: z.string(),
    html: z.string(),
    createdOn: dateTime,
  })
  .meta({
    id: "TestMail",
    description: "A mail of a test bucket, which was not sent.",
    examples: [
      {
        id: "mail_0QGzNqW81Kx8VhTb3mPcRdZu",
        kind: "access-restored",
        to: "billing@acme.example",
        subject: "Your access is restored",
        text: "Your invoices are paid.",
        html: "<p>Your invoices are paid.</p>",
        createdOn: "2026-01-31T10:00:00.000Z",
      },
    ],
  });
