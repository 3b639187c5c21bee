import { z } from "zod";
import { dateTime, dateTimeInput, text } from "../../../core/schemas/schemas.ts";
import { type SeriesStep, seriesSteps } from "./steps.ts";

const dimensions = ["route", "status", "consumer", "key", "client", "tool", "policy", "version", "deployment"] as const;

const maxSeries = 100;
const defaultSeries = 10;

const statusFilter = z
  .string()
  .regex(/^[1-5](xx|\d\d)$/, "must be a status such as 429, or a class such as 4xx")
  .transform((status): [number, number] => {
    const first = Number(status.replace("xx", "00"));
    return [first, status.endsWith("xx") ? first + 100 : first + 1];
  });

export const analyticsQuery = z.strictObject({
  from: dateTimeInput.optional().meta({
    format: "date-time",
    description: "The start of the range, aligned down to the step. By default a day before the end.",
  }),
  to: dateTimeInput.optional().meta({
    format: "date-time",
    description:
      "The end of the range; now by default. The step that contains it is included, also if it is in progress.",
  }),
  step: z
    .enum(seriesSteps as [SeriesStep, ...SeriesStep[]], "must be 1m, 1h or 1d")
    .optional()
    .meta({
      description:
        "The interval of each point. Kept for 2 days (`1m`), 90 days (`1h`) and 2 years (`1d`). By default the finest one that fits the range.",
    }),
  by: z
    .enum(dimensions, "must be route, status, consumer, key, client, tool, policy, version or deployment")
    .optional()
    .meta({
      description:
        "One series for each value instead of one for all. `key`: API keys by id, `client`: OAuth clients and clients of agents by name, `tool`: the tools of agents; `policy`: the policies in `observe`, each with the requests that it decided; these four not together with `route`.",
    }),
  limit: z
    .string()
    .regex(/^\d+$/, `must be an integer from 1 to ${maxSeries}`)
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= maxSeries, `must be an integer from 1 to ${maxSeries}`)
    .default(defaultSeries)
    .meta({
      description:
        "The number of series, those with the most requests first. All others are one more series, with `isOther`.",
    }),
  route: text(2048)
    .refine((route) => route.startsWith("/") || route === "unknown", "must begin with a slash, or be unknown")
    .optional()
    .meta({ description: "Only this route, as the project writes its path; `unknown` for unknown paths." }),
  status: statusFilter.optional().meta({ description: "Only this status, such as `429`, or class, such as `4xx`." }),
  consumer: text(512)
    .refine((consumer) => consumer !== "*", "must be the name of a consumer")
    .optional()
    .meta({ description: "Only this consumer, by name; empty for requests without one." }),
  consumerId: text(64)
    .refine((id) => id !== "" && id !== "*", "must be the id of a consumer")
    .optional()
    .meta({
      description:
        "Only this consumer, by id: consumers of different key buckets may have the same name. Not together with `route` or `policy`, or by `route`, `key`, `client`, `tool` or `policy`.",
    }),
  policy: text(64)
    .refine((name) => name !== "" && name !== "*", "must be the name of a policy")
    .optional()
    .meta({
      description:
        "Only what this policy in `observe` has decided. Not together with `route`, or by `route`, `key`, `client` or `tool`.",
    }),
});

const counts = {
  requests: z.int(),
  rejected: z.int().meta({ description: "The number of 4xx responses by the gateway or a policy on a route." }),
  errors: z.int().meta({ description: "The number of 5xx responses by the gateway, a policy or the target." }),
  observed: z.int().meta({ description: "The number of requests that a policy in `observe` would have rejected." }),
  p50Ms: z
    .number()
    .nullable()
    .meta({ description: "Time to the head of the response, within 5 %; null without requests." }),
  p95Ms: z.number().nullable(),
  p99Ms: z.number().nullable(),
  bytesIn: z.int().meta({ description: "The bytes of request bodies." }),
  bytesOut: z.int().meta({ description: "The bytes of response bodies." }),
};

const countsExample = {
  requests: 1200,
  rejected: 14,
  errors: 2,
  observed: 0,
  p50Ms: 12.1,
  p95Ms: 48.3,
  p99Ms: 110,
  bytesIn: 51200,
  bytesOut: 4194304,
};

/** The shape of a response with series of counts. `keyDescription` says what the key of a series is. */
export function seriesOf<Counts extends z.ZodRawShape>(counts: Counts, keyDescription: string) {
  return z.object({
    from: dateTime,
    to: dateTime.meta({ description: "Not included." }),
    step: z.enum(seriesSteps as [SeriesStep, ...SeriesStep[]]),
    series: z.array(
      z.object({
        key: z.string().nullable().meta({ description: keyDescription }),
        isOther: z.literal(true).optional().meta({ description: "Whether the series is the sum of all others." }),
        totals: z.object(counts),
        points: z.array(z.object({ time: dateTime, ...counts })),
      }),
    ),
  });
}

export const analytics = seriesOf(
  counts,
  "The value of the dimension. Null for all requests, and for requests without a consumer, key, client or tool.",
).meta({
  id: "Analytics",
  description: "Every request to the deployments, counted. The series add up to the total.",
  examples: [
    {
      from: "2026-01-31T10:00:00.000Z",
      to: "2026-01-31T11:00:00.000Z",
      step: "1h",
      series: [
        {
          key: "/orders/{id}",
          totals: countsExample,
          points: [{ time: "2026-01-31T10:00:00.000Z", ...countsExample }],
        },
      ],
    },
  ],
});
