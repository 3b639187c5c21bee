import { z } from "zod";
import { headerName } from "../../../core/http/header-names.ts";
import { exactNumber, meterName, meterNameText } from "../../../core/schemas/meters.ts";
import { namedRecord } from "../../../core/schemas/schemas.ts";
import { jsonPointer } from "../json-body/schema.ts";
import { countedStatuses, meteringBucket } from "../quota/schema.ts";

const notNegative = exactNumber.refine((value) => value >= 0, "must be at least 0");
const positive = exactNumber.refine((value) => value > 0, "must be greater than 0");

const modelCounts = ["requests", "input", "cached", "cacheWrite", "output", "tokens", "cost"] as const;

/** What a meter counts of a request to a model. The categories of tokens are disjoint, and `tokens` is their sum. */
export type ModelCount = (typeof modelCounts)[number];

const source = z
  .strictObject({
    header: headerName.optional(),
    pointer: jsonPointer.optional(),
    event: jsonPointer.optional(),
    default: notNegative.optional(),
    count: z.enum(modelCounts).optional().meta({
      description: "On a models route: requests, tokens of a category, or what the request costs.",
    }),
    aliases: z
      .array(z.string())
      .min(1, "must name at least one alias")
      .optional()
      .meta({ description: "With `count`: only requests to these models. By default all." }),
    factor: positive.optional().meta({ description: "With `count`: multiplies the amount, such as 1.2 for a margin." }),
  })
  .refine(
    ({ header, pointer, event, count }) => (header ?? pointer ?? event ?? count) !== undefined,
    'must have "header", "pointer" or "event", or on a models route "count"',
  )
  .refine(
    (each) => each.count === undefined || (each.header ?? each.pointer ?? each.event ?? each.default) === undefined,
    'must have "count", or "header", "pointer", "event" and "default", not both',
  )
  .refine(
    ({ count, aliases, factor }) => count !== undefined || (aliases ?? factor) === undefined,
    'must have "aliases" and "factor" only beside "count"',
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
        "Where the amount of each meter is: in a header, in the JSON body, or in the last event that has it. On a models route: what is counted.",
    }),
    reserve: namedRecord(meterName, meterNameText, reservation).optional().meta({
      description:
        "The amount of a meter that is held until the actual amount is known: a number, or one in the request.",
    }),
    statuses: countedStatuses,
    onDisconnect: z.enum(["estimate", "finish"]).optional().meta({
      description:
        "If the client disconnects before the amount is known: count the held amount, or read the response to its end, which is the default on a models route.",
    }),
  })
  .superRefine(({ meters, reserve = {} }, context) => {
    for (const meter of Object.keys(reserve))
      if (!Object.hasOwn(meters, meter))
        context.addIssue({ code: "custom", message: "is not among the meters", path: ["reserve", meter] });
    const counts = Object.entries(meters).filter(([, { count }]) => count !== undefined);
    if (counts.length === 0) return;
    for (const [meter, { count }] of Object.entries(meters))
      if (count === undefined)
        context.addIssue({ code: "custom", message: 'must have "count", as another meter', path: ["meters", meter] });
    for (const meter of Object.keys(reserve))
      context.addIssue({ code: "custom", message: 'has no effect with "count"', path: ["reserve", meter] });
  });

/** Whether the policy counts requests to models. */
export function countsModels({ meters }: UsageOptions): boolean {
  return Object.values(meters).some(({ count }) => count !== undefined);
}

export type UsageOptions = z.output<typeof usageOptions>;
