import { z } from "zod";
import { dateTime, secret } from "../../../../core/schemas/schemas.ts";
import { providerModes, providerTypes } from "./interface.ts";

/** What is known of a payment method at Stripe. */
export const stripeMethod = z.object({
  type: z.literal("stripe"),
  kind: z.string().meta({ description: "Such as `card` or `sepa_debit`." }),
  brand: z.string().optional(),
  last4: z.string().optional(),
  expires: z.string().optional().meta({ description: "The last month in which a card is valid, such as `2027-03`." }),
});

export const stripeCredentials = {
  secretKey: secret(
    z
      .string()
      .max(256, "must have at most 256 characters")
      .regex(/^(sk|rk)_(live|test)_[A-Za-z0-9]+$/, "must be a secret key of Stripe, such as sk_test_…")
      .meta({
        description: "A secret or restricted key of Stripe. It is not returned; without it, the stored one stays.",
      }),
  ).optional(),
  webhookSecret: secret(
    z
      .string()
      .max(256, "must have at most 256 characters")
      .regex(/^whsec_[A-Za-z0-9+/=_-]+$/, "must be the signing secret of a webhook endpoint of Stripe: whsec_…")
      .meta({ description: "Signs Stripe's events. It is not returned; without it, the stored one stays." }),
  ).optional(),
};

export const sandboxMethods = ["succeeds", "fails", "needs-action"] as const;

/** How a payment method of the sandbox behaves: its payments succeed, fail, or need a second step. */
export type SandboxBehavior = (typeof sandboxMethods)[number];

const shape = { type: z.literal("sandbox"), behavior: z.enum(sandboxMethods) };

export const sandboxMethod = z.object(shape);

export const sandboxMethodInput = z.strictObject(shape);

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

export const checkoutForm = z
  .strictObject({ method: z.enum(sandboxMethods).optional(), confirm: z.enum(["yes", "no"]).optional() })
  .meta({ id: "CheckoutForm", examples: [{ method: "succeeds" as const }] });

export const checkout = z
  .object({
    step: z.enum(["method", "confirmation"]).meta({ description: "What the customer has to do." }),
    failure: z.enum(["declined", "not-confirmed"]).optional(),
    due: z.array(z.object({ number: z.string().optional(), currency: z.string(), amountDue: z.string() })),
  })
  .meta({
    id: "Checkout",
    description: "What a customer has to do at the sandbox to pay what is due.",
    examples: [{ step: "method" as const, due: [{ number: "ACME-000001", currency: "EUR", amountDue: "30.00" }] }],
  });
