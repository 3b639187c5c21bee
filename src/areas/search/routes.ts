import { read } from "../../api/endpoint.ts";
import { searchQuery, searchResult } from "./schema.ts";
import { search } from "./search.ts";

export const searchAreas = { Search: "Finds resources of an account by the prefix of their names and ids." };

export function searchRoutes(hostOf: (deployment: string) => string) {
  return [
    read({
      operationId: "search",
      path: "/v1/accounts/{accountName}/search",
      area: "Search",
      summary: "Find resources by name or id",
      description:
        "Consumers, deployments, plans, subscriptions, keys and domains, in this order, whose name, id, customerKey or host begins with `q`; " +
        "plans also by their label, keys by their last characters. The search is case-sensitive.",
      access: "read",
      query: searchQuery,
      response: searchResult,
      examples: {
        response: {
          data: [
            {
              type: "consumer",
              id: "csmr_0QGzNqW81Kx8VhTb3mPcRdZu",
              name: "acme",
              path: "/v1/accounts/default/key-buckets/main/consumers/acme",
            },
          ],
        },
      },
      handle: async ({ reads, account, query }) => ({
        body: { data: await search(reads, { account, hostOf }, query.q) },
      }),
    }),
  ];
}
