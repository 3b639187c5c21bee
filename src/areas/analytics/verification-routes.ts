import { csvResponse, prefersCsv } from "../../api/csv.ts";
import { stream } from "../../api/endpoint.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import type { History } from "../../platform/storage/history.ts";
import { findKeyBucket } from "../key-buckets/key-buckets.ts";
import { analyticsRangeOf } from "./range.ts";
import { keyVerificationQuery, verificationAnalytics } from "./verification-schema.ts";
import { readVerifications } from "./verification-series.ts";

export function verificationAnalyticsRoutes(history: History) {
  return [
    stream({
      operationId: "getVerificationAnalytics",
      method: "GET",
      path: "/v1/accounts/{accountName}/analytics/verifications",
      area: "Analytics",
      summary: "Read the analytics of verify-key",
      description:
        "Counts calls of `verify-key`. Keys that a gateway verifies are counted as requests. Counts are visible within seconds. " +
        "Also as `text/csv`, if the Accept header prefers it.",
      access: "read",
      query: keyVerificationQuery,
      otherTypes: ["text/csv"],
      response: verificationAnalytics,
      handle: async ({ reads, account, act, query }, request) => {
        const { by, limit, bucket, consumer, result } = query;
        const range = analyticsRangeOf(query, act.now);
        const bucketSeq = bucket === undefined ? undefined : (await findKeyBucket(reads, account.seq, bucket)).seq;
        const accountSeq = account.seq;
        const series = await history.read((recorded) =>
          readVerifications(recorded, { accountSeq, range, by, limit, bucketSeq, consumer, result }),
        );
        const times = range.times.map(formatDateTime);
        if (prefersCsv(request)) {
          const rows = series.flatMap(({ key, isOther, points }) =>
            points.map(({ verifications, rejected }, index) => [times[index]!, key, isOther, verifications, rejected]),
          );
          return csvResponse(["time", "key", "isOther", "verifications", "rejected"], rows);
        }
        const shown = series.map(({ key, isOther, totals, points }) => ({
          key,
          ...(isOther ? { isOther: true as const } : {}),
          totals,
          points: points.map((point, index) => ({ time: times[index]!, ...point })),
        }));
        return {
          body: { from: formatDateTime(range.from), to: formatDateTime(range.to), step: range.step, series: shown },
        };
      },
    }),
  ];
}
