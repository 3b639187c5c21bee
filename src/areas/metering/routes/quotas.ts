import { batchedWrite } from "../../../api/endpoint.ts";
import type { Act } from "../../../core/access.ts";
import { type Amount, amountOf } from "../../../lib/amount.ts";
import type { Consumption, Quotas } from "../quotas/quotas.ts";
import { consumed, consumeInput, parseConsumeInput } from "../usage/usage-schema.ts";
import { inAccountOfCaller, subscriptionPath } from "./shared.ts";

const area = "Usage";

/** More meters are serialized in slices. */
const manyMeters = 1000;

export function quotaRoutes(quotas: Quotas) {
  return [
    batchedWrite({
      operationId: "consumeQuota",
      method: "POST",
      path: `${subscriptionPath}/quotas/consume`,
      area,
      inAccountOfCaller,
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
      // Serialized by hand: a `Consumed` has the shape of its schema.
      reply: ({ allowed, reason, meters }) =>
        Object.keys(meters).length > manyMeters
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
