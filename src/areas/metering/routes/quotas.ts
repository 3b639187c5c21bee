import { batchedWrite } from "../../../api/endpoint.ts";
import type { Act } from "../../../core/access.ts";
import { type Amount, amountOf } from "../../../lib/amount.ts";
import { inAccountOfCaller, subscriptionPath } from "../../metering-buckets/paths.ts";
import { consumed, consumeInput, parseConsumeInput } from "../quotas/quota-schema.ts";
import type { Consumption, Quotas } from "../quotas/quotas.ts";

const area = "Usage";

/** Larger responses are serialized in slices, so that other requests are served in between. */
const maxMetersAtOnce = 1000;

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
