import { read } from "../../api/endpoint.ts";
import { Overviews } from "./overview.ts";
import { overview } from "./schema.ts";

export const overviewAreas = { Overview: "What needs attention in an account, and what it earns." };

export function overviewRoutes() {
  const overviews = new Overviews();
  return [
    read({
      operationId: "getOverview",
      path: "/v1/accounts/{accountName}/overview",
      area: "Overview",
      summary: "Summarize an account",
      description:
        "Recurring revenue, late invoices, usage near limits, keys to look at, failing webhooks and builds. Test buckets do not count. For a " +
        "large account, parts that take long to compute are reused for up to five minutes, and missing in the first responses.",
      access: "read",
      response: overview,
      examples: {
        response: {
          isComplete: true,
          firstSteps: {
            consumer: "acme",
            planExternalId: "price_gold",
            hasSubscription: true,
            hasDeployment: true,
            hasTraffic: true,
          },
          money: {
            isSelling: true,
            recurring: [{ currency: "EUR", amount: "1240.00", subscriptions: 31 }],
            overdue: [{ currency: "EUR", amount: "49.00", invoices: 1 }],
            failed: [],
          },
          limits: {
            total: 1,
            used: 1,
            data: [
              {
                bucketId: "mtr_0QGzNqW81Kx8VhTb3mPcRdZu",
                subscriptionId: "sbsc_01hzyt3qg8f6k2m4n5p7r9sa",
                customerKey: "acme",
                share: 1.04,
                meter: "requests",
                label: "Requests",
                used: 1040,
                max: 1000,
              },
            ],
          },
          keys: [{ bucketName: "main", expiring: 3, unused: 0 }],
          webhooks: [],
          deployments: [],
        },
      },
      handle: async ({ reads, account, act }) => ({ body: await overviews.of(reads, account, act.now) }),
    }),
  ];
}
