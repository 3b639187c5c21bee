import { stream } from "../../api/endpoint.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import type { History } from "../../platform/storage/history.ts";
import { modelUsageAnalytics, modelUsageQuery } from "./model-usage-schema.ts";
import { readModelSeries } from "./model-usage-series.ts";
import { analyticsRangeOf } from "./range.ts";

export function modelUsageRoutes(history: History) {
  return [
    stream({
      operationId: "getModelAnalytics",
      method: "GET",
      path: "/v1/accounts/{accountName}/analytics/models",
      area: "Analytics",
      summary: "Read the analytics of models",
      description: "Tokens, cost, charge and margin of requests to models. Counts are visible within seconds.",
      access: "read",
      query: modelUsageQuery,
      response: modelUsageAnalytics,
      handle: async ({ account, act, query }) => {
        const { by, limit, model, provider, consumer } = query;
        const range = analyticsRangeOf(query, act.now);
        const series = await history.read((reads) =>
          readModelSeries(reads, { accountSeq: account.seq, range, by, limit, model, provider, consumer }),
        );
        const { from, to, step } = range;
        return { body: { from: formatDateTime(from), to: formatDateTime(to), step, series } };
      },
    }),
  ];
}
