import { z } from "zod";
import { exactNumber, meterName, meterNameText, meterUsages } from "../../../core/schemas/meters.ts";
import { dateTime, namedRecord } from "../../../core/schemas/schemas.ts";
import { metersExample, periodExample } from "../usage/usage-schema.ts";

export const settleInput = z
  .strictObject({
    meters: namedRecord(
      meterName,
      meterNameText,
      exactNumber.refine((value) => value >= 0, "must be at least 0"),
      { mayBeEmpty: true },
    ).meta({ description: "What was used, more or less than was held. An omitted meter is 0." }),
  })
  .meta({ id: "SettleHold", examples: [{ meters: { requests: 3 } }] });

export const settled = z
  .object({
    holdId: z.string(),
    meters: meterUsages,
    periodEnd: dateTime.meta({ description: "The end of the period that the hold was made in." }),
  })
  .meta({
    id: "SettledHold",
    examples: [{ holdId: "hold_0QGzNqW81Kx8VhTb3mPcRdZu", meters: metersExample, periodEnd: periodExample.periodEnd }],
  });
