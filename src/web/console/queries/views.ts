import { queryOptions, useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import type { Tollgate, ViewCreate } from "../../../client/index.ts";
import { useSession } from "./session.tsx";

const viewsOf = (api: Tollgate) =>
  queryOptions({
    queryKey: ["views"],
    queryFn: ({ signal }) => api.views.list({ signal }).all(),
    staleTime: 60_000,
  });

export const useViews = () => useQuery(viewsOf(useSession().api));

/** The pages whose filters can be saved. */
const pages = ["consumers", "keys", "subscriptions", "deployments", "requests", "audit-log"] as const;

/** Search parameters that select what is open, not what is listed. */
const transient = ["page", "new", "key", "subscription", "request", "entry"];

/** The view that would be saved for the current list; undefined if the page has no such list. */
export function useCurrentView(): Pick<ViewCreate, "page" | "search"> | undefined {
  const { pathname, searchStr } = useLocation();
  const page = pages.find((name) => pathname === `/${name}`);
  if (!page) return undefined;
  const search = new URLSearchParams(searchStr);
  for (const name of transient) search.delete(name);
  return { page, search: search.toString() };
}
