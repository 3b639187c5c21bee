import { z } from "zod";
import { dateTime } from "../../../core/schemas/schemas.ts";
import { providerModes, providerTypes } from "./interface/provider.ts";
import { sandboxMethod, sandboxMethodInput } from "./sandbox-methods.ts";
import { stripeCredentials, stripeMethod } from "./stripe-schema.ts";

export const paymentProviderInput = z
  .strictObject({ type: z.enum(providerTypes), ...stripeCredentials })
  .meta({ id: "PaymentProviderInput", examples: [{ type: "sandbox" as const }] });

export const paymentProvider = z
  .object({
    mode: z.enum(providerModes),
    type: z.enum(providerTypes),
    webhookUrl: z.string().meta({ description: "The address of the webhook endpoint to add in Stripe." }),
    updatedOn: dateTime.optional(),
  })
  .meta({
    id: "PaymentProvider",
    description:
      "How invoices are paid: `manual` by marking them as paid, `sandbox` without money, for tests, `stripe` by Stripe.",
    examples: [
      {
        mode: "test" as const,
        type: "sandbox" as const,
        webhookUrl: "https://gate.example.com/v1/accounts/acme/payment-provider/test/events",
      },
    ],
  });

export const paymentMethodOutput = z.union([sandboxMethod, stripeMethod]);

export const paymentMethodInput = sandboxMethodInput.meta({
  id: "PaymentMethodInput",
  description: "A payment method of the sandbox: its payments succeed, fail, or need a second step.",
  examples: [{ type: "sandbox" as const, behavior: "succeeds" as const }],
});
