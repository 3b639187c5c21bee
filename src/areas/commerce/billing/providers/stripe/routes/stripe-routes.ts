import { z } from "zod";
import { read, receive } from "../../../../../../api/endpoint.ts";
import { formatDateTime } from "../../../../../../lib/time/time.ts";
import { modeNamed } from "../../../payments/provider-settings.ts";
import type { StripeService } from "../service/stripe-service.ts";
import { comparison, comparisonQuery } from "./comparison-schema.ts";

/** An invoice with the maximum number of lines has about 300 KiB. */
const maxBytes = 1024 * 1024;
const defaultMilliseconds = 30 * 24 * 60 * 60 * 1000;

const received = z.object({ received: z.literal(true) }).meta({
  id: "StripeEventReceived",
  examples: [{ received: true as const }],
});

export function stripeRoutes(stripe: StripeService) {
  return [
    receive({
      operationId: "receiveStripeEvent",
      path: "/v1/accounts/{accountName}/payment-provider/{mode}/events",
      summary: "Receive an event of Stripe",
      description:
        "The address of the webhook endpoint at Stripe. The header `Stripe-Signature` is the credential. An event is only a hint: what " +
        "it is about is fetched from Stripe and compared.",
      maxBytes,
      response: received,
      problems: ["signature_invalid", "body_too_large"],
      handle: async ({ account, params, request, bytes }) => {
        const signature = request.headers.get("stripe-signature");
        await stripe.receiveEvent(account, modeNamed(params.mode), { bytes, signature });
        return { body: { received: true as const } };
      },
    }),
    read({
      operationId: "comparePayments",
      path: "/v1/accounts/{accountName}/payment-provider/{mode}/comparison",
      summary: "Compare invoices with the payment provider",
      description:
        "With Stripe: fetches its invoices, and returns those whose status or amount is not that of ours. Changes nothing.",
      access: "bill",
      query: comparisonQuery,
      response: comparison,
      problems: ["payment_provider_unavailable"],
      handle: async ({ reads, act, account, params, query }) => {
        const mode = modeNamed(params.mode);
        const since = query.since ?? act.now - defaultMilliseconds;
        const compared = await stripe.compare({ reads, accountSeq: account.seq, mode, since });
        const body = { ...compared, since: formatDateTime(compared.since) };
        return { body, revision: { id: `comparison-${mode}-${account.id}`, version: "now" }, composed: true };
      },
    }),
  ];
}
