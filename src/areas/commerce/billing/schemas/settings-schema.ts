import { z } from "zod";
import { dateTime, dateTimeInput, text } from "../../../../core/schemas/schemas.ts";
import { parsePrice } from "../../../../lib/money.ts";
import { billingMailTexts } from "../../../common/mail/schema.ts";
import { address, berlin, country, required, sellerShape, taxBehaviors } from "./party-schema.ts";

const days = (maximum: number) => z.int().min(0).max(maximum);

const percentage = z.string("must be a decimal as text, such as 19").refine((value) => {
  const price = parsePrice(value);
  return price !== undefined && price <= 100n * 10n ** 12n;
}, "must be a decimal from 0 to 100, such as 19 or 7.7");

export const billingProfileInput = z
  .strictObject({
    legalName: required(256),
    address,
    taxId: required(64).optional(),
    numberPrefix: z
      .string()
      .regex(/^[A-Za-z0-9/_-]{1,16}$/, "must be 1 to 16 characters of A-Z, a-z, 0-9, /, _ and -")
      .meta({ description: "Begins the number of each invoice." }),
    termsDays: days(365).optional().meta({ description: "The days from an invoice to its due date.", default: 14 }),
    graceDays: days(365)
      .optional()
      .meta({ description: "The days from a failed payment to the end of access.", default: 3 }),
    taxRates: z
      .array(z.strictObject({ name: required(64), percentage, country: country.optional() }))
      .max(100, "must have at most 100 rates")
      .optional()
      .meta({
        description:
          "A rate with a `country` applies to customers in that country, one without applies to all customers.",
      }),
    taxBehavior: z
      .enum(taxBehaviors)
      .optional()
      .meta({
        description:
          "Whether prices of plans and usage are without tax (`exclusive`), or include it (`inclusive`). New invoices " +
          "have it. A customer without tax pays an inclusive price without its tax.",
        default: "exclusive",
      }),
    bankDetails: text(500)
      .optional()
      .meta({ description: "How to pay by bank transfer, in lines of text. In the mail of each invoice." }),
    buyerAddress: z.enum(["optional", "required"]).optional().meta({
      description: "Whether customers of portals must enter a name and an address before they pay the first time.",
      default: "optional",
    }),
    mails: billingMailTexts.optional(),
  })
  .meta({
    id: "BillingProfileInput",
    examples: [
      {
        legalName: "Acme GmbH",
        address: { line1: "Hauptstr. 1", postalCode: "10115", city: "Berlin", country: "DE" },
        numberPrefix: "ACME-",
        termsDays: 14,
        taxRates: [{ name: "VAT", percentage: "19", country: "DE" }],
      },
    ],
  });

export const billingProfile = z
  .object({
    ...sellerShape,
    numberPrefix: z.string(),
    termsDays: z.int(),
    graceDays: z.int(),
    taxRates: z
      .array(z.object({ name: z.string(), percentage: z.string(), country: z.string().optional() }))
      .optional(),
    taxBehavior: z.enum(taxBehaviors),
    bankDetails: z.string().optional(),
    buyerAddress: z.enum(["optional", "required"]),
    mails: billingMailTexts.optional(),
    createdOn: dateTime,
    updatedOn: dateTime,
  })
  .meta({
    id: "BillingProfile",
    description: "The seller that invoices name, and the terms of payment.",
    examples: [
      {
        legalName: "Acme GmbH",
        address: berlin,
        numberPrefix: "ACME-",
        termsDays: 14,
        graceDays: 3,
        taxBehavior: "exclusive",
        buyerAddress: "optional",
        createdOn: "2026-01-01T00:00:00.000Z",
        updatedOn: "2026-01-01T00:00:00.000Z",
      },
    ],
  });

export const clockInput = z
  .strictObject({ now: dateTimeInput })
  .meta({ id: "ClockMove", examples: [{ now: "2026-03-01T00:00:00.000Z" }] });
