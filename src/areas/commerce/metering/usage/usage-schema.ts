import { z } from "zod";
import { isMeterName, meterUsages } from "../../../../core/schemas/meters.ts";
import { dateTime, dateTimeInput } from "../../../../core/schemas/schemas.ts";

export const metersExample = { requests: { label: "Requests", used: 1200, max: 100000, available: 98800 } };
export const periodExample = { periodStart: "2026-01-31T10:00:00.000Z", periodEnd: "2026-02-28T10:00:00.000Z" };

export const usage = z
  .object({ periodStart: dateTime, periodEnd: dateTime, meters: meterUsages })
  .meta({ id: "Usage", examples: [{ ...periodExample, meters: metersExample }] });

export const planChangePreview = z
  .object({
    periodStart: dateTime,
    periodEnd: dateTime,
    before: meterUsages.meta({ description: "This period before the change." }),
    after: meterUsages.meta({ description: "This period after the change." }),
    next: z
      .record(z.string(), z.object({ label: z.string().optional(), max: z.number() }))
      .meta({ description: "The maximums of each period from the next one on." }),
  })
  .meta({
    id: "PlanChangePreview",
    description: "The effect of a change of plans on this and later periods. Nothing is changed.",
    examples: [
      {
        ...periodExample,
        before: metersExample,
        after: metersExample,
        next: { requests: { label: "Requests", max: 2000 } },
      },
    ],
  });

export const usageQuery = z.strictObject({
  at: dateTimeInput.optional().meta({ format: "date-time", description: "A time in the period; now by default." }),
});

export const usageHistory = z
  .object({ data: z.array(usage) })
  .meta({ id: "UsageHistory", examples: [{ data: [{ ...periodExample, meters: metersExample }] }] });

export const historyQuery = z.strictObject({
  from: dateTimeInput
    .optional()
    .meta({ format: "date-time", description: "The start of the range; by default a year before the end." }),
  to: dateTimeInput.optional().meta({ format: "date-time", description: "The end of the range; now by default." }),
});

export const meterParameter = z
  .string()
  .refine(isMeterName, "must be the name of a meter")
  .optional()
  .meta({ description: "Considers only this meter." });

export const usageSeriesQuery = z.strictObject({
  from: dateTimeInput.optional().meta({
    format: "date-time",
    description:
      "The start of the range, aligned down to the step, but not before the start of its period. By default the start of the current period.",
  }),
  to: dateTimeInput.optional().meta({
    format: "date-time",
    description:
      "The end of the range; now by default. The step that contains it is included, but not beyond the end of its period.",
  }),
  step: z.enum(["1h", "1d"], "must be 1h or 1d").optional().meta({
    description: "The interval of each point. Hours are kept for 90 days. By default `1h` for up to a week, else `1d`.",
  }),
  meter: meterParameter,
});

const meterSeries = z.object({
  label: z.string().optional(),
  used: z.number().meta({ description: "The sum of the points." }),
  max: z.number().meta({ description: "The maximum in the last period of the range." }),
  forecast: z.number().optional().meta({
    description:
      "The expected usage at the end of the period, if it continues as in the last seventh of its length. Only for the current period.",
  }),
  points: z.array(z.object({ time: dateTime, used: z.number() })),
});

export const usageSeries = z
  .object({
    from: dateTime,
    to: dateTime.meta({ description: "Not included." }),
    step: z.enum(["1h", "1d"]),
    meters: z.record(z.string(), meterSeries),
  })
  .meta({
    id: "UsageSeries",
    description: "The usage of a subscription over time. The points of a period add up to its usage.",
    examples: [
      {
        from: "2026-01-31T10:00:00.000Z",
        to: "2026-02-02T00:00:00.000Z",
        step: "1d",
        meters: {
          requests: {
            label: "Requests",
            used: 1200,
            max: 100000,
            forecast: 33600,
            points: [
              { time: "2026-01-31T10:00:00.000Z", used: 200 },
              { time: "2026-02-01T00:00:00.000Z", used: 1000 },
            ],
          },
        },
      },
    ],
  });
