import type { SearchMatches } from "../../../client/index.ts";

/** A result of the server's search. */
export type Found = SearchMatches["data"][number];

/** The names in a path of the API: `/v1/metering/{bucket}/plans/{id}` → `["metering", bucket, "plans", id]`. */
export const partsOf = (path: string): string[] => path.split("/").slice(2).map(decodeURIComponent);

/** The page that shows a search result. */
export function placeOf({ type, path, id }: Pick<Found, "type" | "path" | "id">) {
  const parts = partsOf(path);
  switch (type) {
    case "consumer":
      return { to: "/consumers/$bucket/$name", params: { bucket: parts[3]!, name: parts[5]! } } as const;
    case "key":
      return {
        to: "/consumers/$bucket/$name",
        params: { bucket: parts[3]!, name: parts[5]! },
        search: { tab: "keys", key: id },
      } as const;
    case "deployment":
      return { to: "/deployments/$name", params: { name: parts[1]! } } as const;
    case "route":
      return { to: "/deployments/$name", params: { name: parts[1]! }, search: { tab: "routes" } } as const;
    case "domain":
      return { to: "/domains", search: { domain: id } } as const;
    case "plan":
      return { to: "/plans", search: { bucket: parts[1]!, plan: id } } as const;
    case "subscription":
      return { to: "/subscriptions", search: { bucket: parts[1]!, subscription: id } } as const;
    case "invoice":
      return { to: "/billing", search: { bucket: parts[1]!, invoice: id } } as const;
    case "webhook":
      return { to: "/webhooks/$id", params: { id } } as const;
    case "member":
      return { to: "/settings", search: { tab: "people" } } as const;
    case "request":
      return { to: "/requests", search: { request: id } } as const;
  }
}
