import { z } from "zod";
import { text } from "../../../core/schemas/schemas.ts";
import { verificationCodes } from "../../api-keys/keys/schema.ts";
import { analyticsQuery, seriesOf } from "./schema.ts";

export const verificationResults = ["valid", ...verificationCodes] as const;

const { from, to, step, limit } = analyticsQuery.shape;

export const keyVerificationQuery = z.strictObject({
  from,
  to,
  step,
  by: z
    .enum(["bucket", "consumer", "result"], "must be bucket, consumer or result")
    .optional()
    .meta({ description: "One series for each value instead of one for all." }),
  limit: limit.removeDefault().default(10).meta({
    description:
      "The number of series, those with the most verifications first. All others are one more series, with `isOther`.",
  }),
  bucket: text(128).optional().meta({ description: "Only this key bucket, by name." }),
  consumer: text(512)
    .refine((consumer) => consumer !== "*", "must be the name of a consumer")
    .optional()
    .meta({ description: "Only keys of this consumer, by name. Empty: only verifications of unknown keys." }),
  result: z
    .enum(verificationResults, `must be one of ${verificationResults.join(", ")}`)
    // Generated clients would name it like the result of the operation.
    .meta({ id: "VerificationResult" })
    .optional()
    .meta({ description: "Only this result: `valid`, or the code of a rejection." }),
});

const counts = {
  verifications: z.int(),
  rejected: z.int().meta({ description: "The number of verifications with a result other than `valid`." }),
  observed: z.int().meta({ description: "The number of valid ones that would have been rejected without `observe`." }),
};

const example = { verifications: 1200, rejected: 14, observed: 0 };

export const verificationAnalytics = seriesOf(
  counts,
  "The value of `by`. Null without `by`, and for verifications of unknown keys.",
).meta({
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
