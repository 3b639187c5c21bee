import { areaOf } from "../../../api/area.ts";
import { read } from "../../../api/endpoint.ts";
import { RouteNames } from "./route-names.ts";
import { searchQuery, searchResult } from "./schema.ts";
import { search } from "./search.ts";

export function searchArea(hostOf: (deployment: string) => string) {
  const routeNames = new RouteNames();
  return areaOf({ Search: "Finds resources of an account by words, ids and numbers." }, [
    read({
      operationId: "search",
      path: "/v1/accounts/{accountName}/search",
      summary: "Find resources by words, ids and numbers",
      description:
        "Consumers (also by tags, description and managers' addresses), deployments, routes, plans, subscriptions, invoices (by number), keys, " +
        "domains, webhooks, members (for administrators) and requests (by id), in this order; a type with an exact match is first. All words of " +
        "`q` must be beginnings of words of the resource, or `q` a part of its name; case and accents do not matter. If nothing is found, words from " +
        "4 letters on may have a typo, and from 8 letters on two. Consumers are also found by the domain of a manager's address, subscriptions by " +
        "whole ids of other systems. Keys are found by id, by their last characters, and by " +
        "their whole value if `q` is `sha256:` and its hash: a key itself is never sent.",
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
              displayName: "Acme Corporation",
              detail: "A reseller in Berlin",
            },
          ],
        },
      },
      handle: async ({ reads, account, caller, query }) => ({
        body: { data: await search(reads, { account, caller, hostOf }, query.q, routeNames) },
      }),
    }),
  ]);
}
