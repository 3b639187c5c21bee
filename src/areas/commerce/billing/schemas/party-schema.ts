import { z } from "zod";
import { text } from "../../../../core/schemas/schemas.ts";

export const required = (maximum: number) => text(maximum).min(1);

export const country = z
  .string()
  .regex(/^[A-Z]{2}$/, "must be a country of ISO 3166, such as DE")
  .meta({ description: "Two letters of ISO 3166, such as DE." });

export const address = z.strictObject({
  line1: required(256),
  line2: text(256).optional(),
  postalCode: text(32).optional(),
  city: text(128).optional(),
  state: text(128).optional(),
  country,
});

export const money = z.object({ currency: z.string(), amount: z.string() });

/** A country suffices for a customer. */
export const buyerAddress = address.extend({ line1: address.shape.line1.optional() });

export const berlin = { line1: "Hauptstr. 1", postalCode: "10115", city: "Berlin", country: "DE" };

const addressOutput = z.object({
  line1: z.string(),
  line2: z.string().optional(),
  postalCode: z.string().optional(),
  city: z.string().optional(),
  state: z.string().optional(),
  country: z.string(),
});

export const sellerShape = {
  legalName: z.string(),
  address: addressOutput,
  taxId: z.string().optional(),
};

/** Whether prices are without tax or with it. */
export const taxBehaviors = ["exclusive", "inclusive"] as const;

export const taxStatus = z.enum(["taxable", "reverse-charge", "exempt"]).meta({
  description:
    "Whether the customer pays tax. `reverse-charge`: the customer owes it to its own tax office. An invoice without tax " +
    "states the reason. Only the operator sets it.",
});

export const taxIds = z.array(required(64)).max(10, "must have at most 10 tax ids");

export const buyerShape = {
  customerKey: z.string(),
  email: z.string().optional(),
  legalName: z.string().optional(),
  address: addressOutput.extend({ line1: z.string().optional() }).optional(),
  taxIds: z.array(z.string()).optional(),
  taxStatus: taxStatus.optional(),
};
