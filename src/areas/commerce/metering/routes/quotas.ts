import { z } from "zod";
import { batchedWrite } from "../../../../api/endpoint.ts";
import type { Act } from "../../../../core/access.ts";
import { isFewMeterAmounts, meterAmounts, meterUsages } from "../../../../core/schemas/meters.ts";
import { type Amount, amountOf } from "../../../../lib/amount.ts";
import { subscriptionPath } from "../../metering-buckets/in-bucket.ts";
import type { Consumption, Quotas } from "../quotas/quotas.ts";
import { metersExample } from "../usage/usage-schema.ts";

export const consumeInput = z
  .strictObject({ meters: meterAmounts })
  .meta({ id: "ConsumeQuota", examples: [{ meters: { requests: 1 } }] });

/** The fast path of `consumeInput`. Undefined for any other form, which the schema validates. */
export function parseConsumeInput(body: unknown): z.output<typeof consumeInput> | undefined {
  if (typeof body !== "object" || body === null || !("meters" in body)) return undefined;
  for (const name in body) if (name !== "meters") return undefined;
  return isFewMeterAmounts(body.meters) ? (body as z.output<typeof consumeInput>) : undefined;
}

const consumed = z
  .object({
    allowed: z.boolean(),
    reason: z
      .enum(["credit_exhausted", "spend_cap_reached", "payment_required"])
      .optional()
      .meta({ description: "Why nothing was taken, if a payment would help." }),
    meters: meterUsages,
  })
  .meta({ id: "ConsumedQuota", examples: [{ allowed: true, meters: metersExample }] });

/** Larger responses are serialized in slices, so that other requests are served in between. */
const maxMetersAtOnce = 1000;

export function quotaRoutes(quotas: Quotas) {
  return [
    batchedWrite({
      operationId: "consumeQuota",
      method: "POST",
      path: `${subscriptionPath}/quotas/consume`,
      summary: "Consume from the quota, all or nothing",
      description:
        "Takes all of the amounts or none, see `allowed`. A subscription that is neither active nor trialing allows nothing.",
      access: "verify",
      body: consumeInput,
      parse: parseConsumeInput,
      response: consumed,
      item: consumptionOf,
      inBatch: (consumption) => quotas.consume(consumption),
      inTransaction: (transaction, consumption) => quotas.consumeIn(transaction, consumption),
      // The fast path: the result already has the shape of the response schema, so it is not filtered by it.
      reply: ({ allowed, reason, meters }) =>
        Object.keys(meters).length > maxMetersAtOnce
          ? { body: { allowed, reason, meters } }
          : { text: JSON.stringify({ allowed, reason, meters }) },
    }),
  ];
}

interface ConsumeRequest {
  act: Act;
  params: { bucketId: string; subscriptionId: string };
  body: { meters: Record<string, number> };
}

function consumptionOf({ act, params, body }: ConsumeRequest): Consumption {
  const amounts = new Map<string, Amount>();
  for (const meter in body.meters) amounts.set(meter, amountOf(body.meters[meter]!)!);
  return { act, bucketId: params.bucketId, subscriptionId: params.subscriptionId, amounts };
}
