import { z } from "zod";
import { read, receive } from "../../../../../../api/endpoint.ts";
import { dateTime, dateTimeInput } from "../../../../../../core/schemas/schemas.ts";
import { formatDateTime } from "../../../../../../lib/time/time.ts";
import { modeNamed } from "../../../payments/providers.ts";
import type { StripeService } from "./stripe-service.ts";

/** An invoice with the maximum number of lines has about 300 KiB. */
const maxBytes = 1024 * 1024;
const defaultMilliseconds = 30 * 24 * 60 * 60 * 1000;

const received = z.object({ received: z.literal(true) }).meta({
  id: "StripeEventReceived",
  examples: [{ received: true as const }],
});

const comparisonQuery = z.object({
  since: dateTimeInput.optional().meta({ description: "By default 30 days ago." }),
});

const side = z.object({
  status: z.string(),
  amount: z.int().meta({ description: "In the minor units of the provider." }),
});

const comparison = z
  .object({
    since: dateTime.meta({ description: "Invoices since then were compared." }),
    isTruncated: z.boolean().meta({
      description:
        "Whether there were more than 10,000 invoices, here or at Stripe. Then `since` is later than requested: only newer invoices were compared.",
    }),
    compared: z.int().meta({ description: "The number of invoices of ours that were compared, at most 10,000." }),
    differences: z.array(
      z.object({
        kind: z.enum(["missing", "unknown", "twice", "status", "amount", "refund", "failing", "used"]).meta({
          description:
            "`missing`: Stripe does not have it. `unknown`: we do not have it. `twice`: Stripe has several. `status`, `amount`: they differ. " +
            "`refund`: another amount was refunded, which is that of both sides here. " +
            "`failing`: it could not be sent to Stripe yet, see `detail`. `used`: the payment of a credit pack was refunded or " +
            "disputed at Stripe after a part of the credit was used, see `detail`.",
        }),
        invoiceId: z.string().optional(),
        bucketId: z.string().optional(),
        number: z.string().optional(),
        stripeId: z.string().optional(),
        ours: side.optional(),
        stripe: side.optional(),
        detail: z.string().optional(),
      }),
    ),
  })
  .meta({
    id: "PaymentComparison",
    description: "The invoices that are not the same here and at the payment provider.",
    examples: [{ since: "2026-01-01T00:00:00.000Z", isTruncated: false, compared: 12, differences: [] }],
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
