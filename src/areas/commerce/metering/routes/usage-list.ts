import { z } from "zod";
import { type CsvColumns, csvTable, prefersCsv } from "../../../../api/csv.ts";
import { listOf, nextPageLink, paging } from "../../../../api/schemas.ts";
import { dateTime, dateTimeInput } from "../../../../core/schemas/schemas.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import { splitTarget } from "../../../../platform/http1/message/target.ts";
import { bucketPath, inBucket } from "../../metering-buckets/in-bucket.ts";
import { customerKeys } from "../../subscriptions/customer-keys-schema.ts";
import { listUsage, type UsageShare } from "../usage/usage-list.ts";
import { meterParameter, metersExample, periodExample } from "../usage/usage-schema.ts";

const usageListQuery = z.strictObject({
  ...paging.shape,
  near: z
    .string()
    .regex(/^\d{1,6}(\.\d{1,9})?$/, "must be a share such as 0.8")
    .transform(Number)
    .optional()
    .meta({ description: "Only subscriptions that used at least this share of a quota, such as `0.8`." }),
  meter: meterParameter,
  customerKeys: customerKeys("subscriptions"),
  rankedOn: dateTimeInput
    .optional()
    .meta({ description: "`rankedOn` of the first page: the order of the others is the same, while it is kept." }),
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

const rankedOn = dateTime.meta({
  description:
    "When the order and the total were computed, in a bucket with many subscriptions. Missing if it was for this response.",
});

const usageList = listOf(subscriptionUsage, "UsageShareList", { rankedOn: rankedOn.optional() });

export function usageListRoutes() {
  return [
    inBucket.stream({
      operationId: "listUsage",
      method: "GET",
      path: `${bucketPath}/usage`,
      summary: "List subscriptions by the used share of their quotas",
      description:
        "Active and trialing subscriptions in their current periods, the largest share first. If `max` is 0, any usage is " +
        "a share of 1. In a bucket with more than 2,000 subscriptions, the order is computed in the background, and `rankedOn` says when: " +
        "a subscription that was renewed since then is listed where it was, with its present share, and one that ended is omitted. " +
        "Not with `meter`. Also as `text/csv`, if the Accept header prefers it.",
      access: "read",
      isList: true,
      query: usageListQuery,
      otherTypes: ["text/csv"],
      response: usageList,
      handle: async ({ reads, bucket, now, query, request }) => {
        const { near, meter, customerKeys, limit, offset } = query;
        const filter = { near, meter, customerKeys };
        const page = await listUsage(reads, bucket, filter, now, { limit, offset }, query.rankedOn);
        const { data, total } = page;
        const rankedOn = page.rankedOn === undefined ? {} : { rankedOn: formatDateTime(page.rankedOn) };
        const body = { data: data.map(presentShare), limit, offset, total, ...rankedOn };
        if (!prefersCsv(request)) return { body };
        const rows = body.data
          .values()
          .flatMap((shown) => Object.keys(shown.meters).map((meter) => [shown, meter] as const));
        return csvTable(shareColumns, rows, nextPageLink(splitTarget(request.target), body));
      },
    }),
  ];
}

function presentShare({ subscriptionId, customerKey, planIds, status, period, share, meters }: UsageShare) {
  return {
    subscriptionId,
    customerKey,
    planIds,
    status: status as "active" | "trialing",
    periodStart: formatDateTime(period.start),
    periodEnd: formatDateTime(period.end),
    share,
    meters,
  };
}

/** A row for each meter of a subscription. */
const shareColumns: CsvColumns<readonly [shown: ReturnType<typeof presentShare>, meter: string]> = {
  subscriptionId: ([{ subscriptionId }]) => subscriptionId,
  customerKey: ([{ customerKey }]) => customerKey,
  status: ([{ status }]) => status,
  periodStart: ([{ periodStart }]) => periodStart,
  periodEnd: ([{ periodEnd }]) => periodEnd,
  meter: ([, meter]) => meter,
  used: ([{ meters }, meter]) => meters[meter]!.used,
  max: ([{ meters }, meter]) => meters[meter]!.max,
  available: ([{ meters }, meter]) => meters[meter]!.available,
  share: ([{ meters }, meter]) => meters[meter]!.share,
};
