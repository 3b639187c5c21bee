import { z } from "zod";
import { write } from "../../../../api/endpoint.ts";
import { exactNumber, meterName, meterNameText, meterUsages } from "../../../../core/schemas/meters.ts";
import { dateTime, namedRecord } from "../../../../core/schemas/schemas.ts";
import { amountOf } from "../../../../lib/amount.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import { bucketPath } from "../../metering-buckets/in-bucket.ts";
import { releaseHold, settleHold } from "../takes/holds.ts";
import { metersExample, periodExample } from "../usage/usage-schema.ts";

const settleInput = z
  .strictObject({
    meters: namedRecord(
      meterName,
      meterNameText,
      exactNumber.refine((value) => value >= 0, "must be at least 0"),
      { mayBeEmpty: true },
    ).meta({ description: "What was used, more or less than was held. An omitted meter is 0." }),
  })
  .meta({ id: "SettleHold", examples: [{ meters: { requests: 3 } }] });

const settled = z
  .object({
    holdId: z.string(),
    meters: meterUsages,
    periodEnd: dateTime.meta({ description: "The end of the period that the hold was made in." }),
  })
  .meta({
    id: "SettledHold",
    examples: [{ holdId: "hold_0QGzNqW81Kx8VhTb3mPcRdZu", meters: metersExample, periodEnd: periodExample.periodEnd }],
  });

const holdPath = `${bucketPath}/holds/{holdId}` as const;

export function holdRoutes() {
  return [
    write({
      operationId: "settleHold",
      method: "POST",
      path: `${holdPath}/$settle`,
      summary: "Settle a hold",
      description:
        "Counts what was used instead of what verify-key held, in the period of the hold, until 24 hours after its expiry. Settling again with the same amounts changes nothing; with others it is a 409, as after `$release`.",
      access: "verify",
      hasNoETag: true,
      body: settleInput,
      response: settled,
      problems: ["hold_settled", "hold_released", "hold_expired"],
      handle: async ({ act, params, body }, transaction) => {
        const used = new Map(Object.entries(body.meters).map(([meter, amount]) => [meter, amountOf(amount)!]));
        const { meters, end } = await settleHold(transaction, act, params, used);
        return { body: { holdId: params.holdId, meters, periodEnd: formatDateTime(end) } };
      },
    }),
    write({
      operationId: "releaseHold",
      method: "POST",
      path: `${holdPath}/$release`,
      summary: "Release a hold",
      description: "Returns all that verify-key held. Repeating it changes nothing; after `$settle` it is a 409.",
      access: "verify",
      hasNoETag: true,
      problems: ["hold_settled", "hold_expired"],
      handle: async ({ act, params }, transaction) => {
        await releaseHold(transaction, act, params);
        return {};
      },
    }),
  ];
}
