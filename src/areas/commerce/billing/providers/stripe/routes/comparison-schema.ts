import { z } from "zod";
import { dateTime, dateTimeInput } from "../../../../../../core/schemas/schemas.ts";

export const comparisonQuery = z.object({
  since: dateTimeInput.optional().meta({ description: "By default 30 days ago." }),
});

const side = z.object({
  status: z.string(),
  amount: z.int().meta({ description: "In the minor units of the provider." }),
});

export const comparison = z
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
