import { z } from "zod";
import { secret } from "../../../core/schemas/schemas.ts";

/** What is known of a payment method at Stripe. */
export const stripeMethod = z.object({
  type: z.literal("stripe"),
  kind: z.string().meta({ description: "Such as `card` or `sepa_debit`." }),
  brand: z.string().optional(),
  last4: z.string().optional(),
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
