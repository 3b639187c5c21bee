import { z } from "zod";
import { dateTime, text } from "../../core/schemas/schemas.ts";
import { verificationCodes } from "../keys/schema.ts";
import { analyticsQuery } from "./schema.ts";
import { type SeriesStep, seriesSteps } from "./steps.ts";

export const verificationResults = ["valid", ...verificationCodes] as const;

const { from, to, step, limit } = analyticsQuery.shape;

export const verificationQuery = z.strictObject({
  from,
  to,
  step,
  by: z
    .enum(["bucket", "consumer", "result"], "must be bucket, consumer or result")
    .optional()
    .meta({ description: "One series for each of these instead of one of all." }),
  limit: limit.removeDefault().default(10).meta({
    description: "How many series, the ones with the most verifications; the rest is one more, with `isOther`.",
  }),
  bucket: text(128).optional().meta({ description: "Only this key bucket, by name." }),
  consumer: text(512)
    .refine((consumer) => consumer !== "*", "must be the name of a consumer")
    .optional()
    .meta({ description: "Only keys of this consumer, by name; empty for values that are no key of the bucket." }),
  result: z
    .enum(verificationResults, `must be one of ${verificationResults.join(", ")}`)
    .optional()
    .meta({ description: "Only this result: `valid`, or the code of a rejection." }),
});

const counts = {
  verifications: z.int(),
  rejected: z.int().meta({ description: "Those with another result than `valid`." }),
};

const example = { verifications: 1200, rejected: 14 };

export const verificationAnalytics = z
  .object({
    from: dateTime,
    to: dateTime.meta({ description: "Not included." }),
    step: z.enum(seriesSteps as [SeriesStep, ...SeriesStep[]]),
    series: z.array(
      z.object({
        key: z.string().nullable().meta({
          description: "What the series is of; null for all, and among consumers for values that are no key.",
        }),
        isOther: z.literal(true).optional().meta({ description: "All that has no series of its own." }),
        totals: z.object(counts),
        points: z.array(z.object({ time: dateTime, ...counts })),
      }),
    ),
  })
  .meta({
    id: "VerificationAnalytics",
    description: "Every call of verify-key, counted. The series add up to the total.",
    examples: [
      {
        from: "2026-01-31T10:00:00.000Z",
        to: "2026-01-31T11:00:00.000Z",
        step: "1h",
        series: [{ key: "acme", totals: example, points: [{ time: "2026-01-31T10:00:00.000Z", ...example }] }],
      },
    ],
  });
