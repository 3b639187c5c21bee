import { z } from "zod";
import { text } from "../../core/schemas/schemas.ts";
import { analyticsQuery, seriesOf } from "./schema.ts";

const { from, to, step, limit, consumer } = analyticsQuery.shape;

export const modelUsageQuery = z.strictObject({
  from,
  to,
  step,
  by: z
    .enum(["model", "provider", "deployment", "consumer"], "must be model, provider, deployment or consumer")
    .optional()
    .meta({ description: "One series for each value instead of one for all." }),
  limit: limit.removeDefault().default(10).meta({
    description:
      "The number of series, those with the most requests first. All others are one more series, with `isOther`.",
  }),
  model: text(128).optional().meta({ description: "Only this model, by its alias." }),
  provider: text(64).optional().meta({ description: "Only this provider, by its name in the project." }),
  consumer,
});

const money = (description: string) => z.string().nullable().meta({ description });

const counts = {
  requests: z.int(),
  errors: z.int().meta({ description: "The number of 5xx responses." }),
  estimated: z.int().meta({ description: "The number of requests whose tokens are estimated." }),
  input: z.int().meta({ description: "Tokens of input, without those that are cached or written to a cache." }),
  cached: z.int(),
  cacheWrite: z.int(),
  output: z.int().meta({ description: "Tokens of output, including reasoning." }),
  currency: z.string().nullable().meta({ description: "Null without a cost, and if there are several." }),
  cost: money("What the providers charge, a decimal. Null if there are several currencies."),
  charge: money("What meters with the count `cost` have counted. Null if there are several currencies."),
  margin: money("The charge without the cost. Null if there are several currencies."),
  firstByteMs: z
    .number()
    .nullable()
    .meta({ description: "The mean time to the first byte of the response's body; null without one." }),
};

const example = {
  requests: 120,
  errors: 1,
  estimated: 3,
  input: 52000,
  cached: 18000,
  cacheWrite: 0,
  output: 9100,
  currency: "USD",
  cost: "1.25",
  charge: "1.5",
  margin: "0.25",
  firstByteMs: 412,
};

export const modelUsageAnalytics = seriesOf(
  counts,
  "The value of `by`. Null without `by`, and for requests without a consumer.",
).meta({
  id: "ModelAnalytics",
  description: "Every request to a model, counted when its response has ended. The series add up to the total.",
  examples: [
    {
      from: "2026-01-31T10:00:00.000Z",
      to: "2026-01-31T11:00:00.000Z",
      step: "1h",
      series: [{ key: "small", totals: example, points: [{ time: "2026-01-31T10:00:00.000Z", ...example }] }],
    },
  ],
});
