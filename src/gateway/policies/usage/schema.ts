import { z } from "zod";
import { headerName } from "../../../core/http/header-names.ts";
import { exactNumber, meterName, meterNameText } from "../../../core/schemas/meters.ts";
import { namedRecord } from "../../../core/schemas/schemas.ts";
import { jsonPointer } from "../json-body/schema.ts";
import { countedStatuses, meteringBucket } from "../quota/schema.ts";

const notNegative = exactNumber.refine((value) => value >= 0, "must be at least 0");
const positive = exactNumber.refine((value) => value > 0, "must be greater than 0");

const source = z
  .strictObject({
    header: headerName.optional(),
    pointer: jsonPointer.optional(),
    event: jsonPointer.optional(),
    default: notNegative.optional(),
  })
  .refine(
    ({ header, pointer, event }) => (header ?? pointer ?? event) !== undefined,
    'must have "header", "pointer" or "event"',
  );

const reservation = z
  .strictObject({
    amount: positive.optional(),
    pointer: jsonPointer.optional(),
    factor: positive.optional(),
    maximum: positive.optional(),
  })
  .refine(
    ({ amount, pointer }) => (amount === undefined) !== (pointer === undefined),
    'must have "amount" or "pointer"',
  )
  .refine(
    ({ amount, factor, maximum }) => amount === undefined || (factor ?? maximum) === undefined,
    'must have "factor" and "maximum" only beside "pointer"',
  );

export const usageOptions = z
  .strictObject({
    bucketId: meteringBucket,
    meters: namedRecord(meterName, meterNameText, source).meta({
      description:
        "Where the amount of each meter is: in a header, in the JSON body, or in the last event that has it.",
    }),
    reserve: namedRecord(meterName, meterNameText, reservation).optional().meta({
      description:
        "The amount of a meter that is held until the actual amount is known: a number, or one in the request.",
    }),
    statuses: countedStatuses,
    onDisconnect: z.enum(["estimate", "finish"]).default("estimate").meta({
      description:
        "If the client disconnects before the amount is known: count the held amount, or read the response to its end.",
    }),
  })
  .superRefine(({ meters, reserve = {} }, context) => {
    for (const meter of Object.keys(reserve))
      if (!Object.hasOwn(meters, meter))
        context.addIssue({ code: "custom", message: "is not among the meters", path: ["reserve", meter] });
  });

export type UsageOptions = z.output<typeof usageOptions>;
