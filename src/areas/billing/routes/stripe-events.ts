import { z } from "zod";
import { receive } from "../../../api/endpoint.ts";
import { notFound } from "../../../core/problems/problem.ts";
import { providerModes } from "../schemas/settings-schema.ts";
import type { StripeIntake } from "../stripe/intake.ts";
import { area } from "./shared.ts";

/** An invoice with the maximum number of lines has about 300 KiB. */
const maxBytes = 1024 * 1024;

const received = z.object({ received: z.literal(true) }).meta({
  id: "StripeEventReceived",
  examples: [{ received: true as const }],
});

export function stripeEventRoutes(intake: StripeIntake) {
  return [
    receive({
      operationId: "receiveStripeEvent",
      path: "/v1/accounts/{accountName}/payment-provider/{mode}/events",
      area,
      summary: "Receive an event of Stripe",
      description:
        "The address of the webhook endpoint at Stripe. The header `Stripe-Signature` is the credential. An event is only a hint: what " +
        "it is about is fetched from Stripe and compared.",
      maxBytes,
      response: received,
      problems: ["signature_invalid", "body_too_large"],
      handle: async ({ account, params, request, bytes }) => {
        const mode = providerModes.find((each) => each === params.mode);
        if (!mode) throw notFound("payment provider");
        await intake.receive(account, mode, { bytes, signature: request.headers.get("stripe-signature") });
        return { body: { received: true as const } };
      },
    }),
  ];
}
