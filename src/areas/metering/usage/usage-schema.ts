import { z } from "zod";
import { listOf, paging } from "../../../api/schemas.ts";
import { isMeterName, meterAmounts } from "../../../core/schemas/meters.ts";
import { dateTime, dateTimeInput, isOrdered, notOrdered } from "../../../core/schemas/schemas.ts";

const meterUsages = z
  .record(
    z.string(),
    z.object({
      label: z.string().optional(),
      used: z.number(),
      max: z.number(),
      available: z.number(),
      credits: z
        .number()
        .optional()
        .meta({ description: "What grants of the customer allow beyond `max`. Only with grants of the meter." }),
    }),
  )
  .meta({ description: "By meter. `available` is never below 0; `used` may exceed `max`." });

const metersExample = { requests: { label: "Requests", used: 1200, max: 100000, available: 98800 } };
const periodExample = { periodStart: "2026-01-31T10:00:00.000Z", periodEnd: "2026-02-28T10:00:00.000Z" };

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

const meterParameter = z
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

/** The maximum number of customers in one list. */
const maxCustomers = 100;

export const usageListQuery = z.strictObject({
  ...paging.shape,
  near: z
    .string()
    .regex(/^\d{1,6}(\.\d{1,9})?$/, "must be a share such as 0.8")
    .transform(Number)
    .optional()
    .meta({ description: "Only subscriptions that used at least this share of a quota, such as `0.8`." }),
  meter: meterParameter,
  customerKeys: z
    .string()
    .transform((keys) => keys.split(","))
    .refine((keys) => keys.length <= maxCustomers, `must name at most ${maxCustomers} customers`)
    .optional()
    .meta({ description: `Only subscriptions of these customers: up to ${maxCustomers} keys, separated by commas.` }),
});

const share = z.number().meta({ description: "`used` of `max`; more than 1 if the usage exceeds the maximum." });

const subscriptionUsage = z
  .object({
    subscriptionId: z.string(),
    customerKey: z.string(),
    planIds: z.array(z.string()),
    status: z.enum(["active", "trialing"]),
    periodStart: dateTime,
    periodEnd: dateTime,
    share: share.meta({ description: "The largest share of its meters." }),
    meters: z.record(
      z.string(),
      z.object({ label: z.string().optional(), used: z.number(), max: z.number(), available: z.number(), share }),
    ),
  })
  .meta({
    id: "UsageShare",
    examples: [
      {
        subscriptionId: "sbsc_01hzyt3qg8f6k2m4n5p7r9sa",
        customerKey: "acme",
        planIds: ["plan_0QGzNqW81Kx8VhTb3mPcRdZu"],
        status: "active",
        ...periodExample,
        share: 0.012,
        meters: { requests: { ...metersExample.requests, share: 0.012 } },
      },
    ],
  });

export const usageList = listOf(subscriptionUsage, "UsageShareList");

const eventExample = {
  specversion: "1.0",
  id: "3e4a1c",
  source: "gateway-1",
  type: "request",
  subject: "acme",
  time: "2026-01-31T12:00:00Z",
  data: { requests: 1 },
};

/**
 * More events than fit into a body. Without a limit, millions of invalid items would block others, and each is
 * reported.
 */
const maxEvents = 100_000;

const tooManyEvents = `must have at most ${maxEvents} events`;

export const eventBatch = { item: z.unknown(), max: maxEvents, tooMany: tooManyEvents };

/** Each event is validated separately, so that an invalid one does not fail the others. */
export const eventsInput = z
  .union([z.array(z.unknown()), z.record(z.string(), z.unknown())], "must be an event or an array of events")
  .refine((body) => !Array.isArray(body) || body.length <= maxEvents, tooManyEvents)
  .meta({
    id: "UsageEvents",
    description:
      "CloudEvents 1.0: one, or an array. `subject` is a customerKey, `data` is `{<meter>: number > 0}`. `id` and " +
      "`source` identify an event, which is counted once.",
    examples: [[eventExample]],
  });

export const ingested = z
  .object({
    accepted: z.int().meta({ description: "The number of stored and counted events." }),
    duplicates: z
      .int()
      .meta({ description: "The number of events with a known id and source, which are not counted again." }),
    rejected: z.array(z.object({ index: z.int(), detail: z.string() })),
  })
  .meta({ id: "IngestedEvents", examples: [{ accepted: 1, duplicates: 0, rejected: [] }] });

export const consumeInput = z
  .strictObject({ meters: meterAmounts })
  .meta({ id: "ConsumeQuota", examples: [{ meters: { requests: 1 } }] });

/** The fast path of `consumeInput`: integer amounts. Undefined for any other form, which the schema validates. */
export function parseConsumeInput(body: unknown): z.output<typeof consumeInput> | undefined {
  if (typeof body !== "object" || body === null || !("meters" in body)) return undefined;
  for (const name in body) if (name !== "meters") return undefined;
  const { meters } = body;
  if (typeof meters !== "object" || meters === null || Array.isArray(meters)) return undefined;
  let isEmpty = true;
  for (const name in meters) {
    const amount = (meters as Record<string, unknown>)[name];
    if (!isMeterName(name) || !Number.isSafeInteger(amount) || (amount as number) <= 0) return undefined;
    isEmpty = false;
  }
  return isEmpty ? undefined : (body as z.output<typeof consumeInput>);
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

const side = z.object({ events: z.int(), amount: z.number() });

export const reconciliation = z
  .object({
    agrees: z.boolean(),
    meters: z.record(z.string(), z.object({ accepted: z.int(), counted: side, stored: side })),
    differences: z.array(
      z.object({
        subscriptionId: z.string(),
        meter: z.string(),
        periodStart: dateTime,
        counted: side,
        stored: side,
      }),
    ),
  })
  .meta({
    id: "Reconciliation",
    description: "The counters, compared with the events. Events that retention removed count as stored.",
    examples: [
      {
        agrees: true,
        meters: {
          requests: { accepted: 12, counted: { events: 12, amount: 1200 }, stored: { events: 12, amount: 1200 } },
        },
        differences: [],
      },
    ],
  });

const reconciliationParameters = z.strictObject({
  from: dateTimeInput
    .optional()
    .meta({ format: "date-time", description: "Periods that begin at this time or later." }),
  to: dateTimeInput.optional().meta({ format: "date-time", description: "Periods that begin before this time." }),
});

export const reconciliationQuery = reconciliationParameters.refine(isOrdered, notOrdered);
