import { z } from "zod";
import { isFewMeterAmounts, meterAmounts, meterUsages } from "../../../core/schemas/meters.ts";
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

export const consumed = z
  .object({
    allowed: z.boolean(),
    reason: z
      .enum(["credit_exhausted", "spend_cap_reached", "payment_required"])
      .optional()
      .meta({ description: "Why nothing was taken, if a payment would help." }),
    meters: meterUsages,
  })
  .meta({ id: "ConsumedQuota", examples: [{ allowed: true, meters: metersExample }] });
