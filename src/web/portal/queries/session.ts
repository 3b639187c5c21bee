import { MutationCache, QueryClient, useQuery } from "@tanstack/react-query";
import { type PortalSession, type PortalSite, routes } from "../../../client/transport/portal-schema.gen.ts";
import { connectedQueries } from "../../lib/connection.ts";
import { statusOf } from "../../lib/errors.ts";
import { goTo } from "../../lib/router.tsx";
import { call, useRead } from "./api.ts";
import { rememberCreatedKey } from "./kept-keys.ts";

interface PageState {
  site: PortalSite;
  /** Null without a session. */
  session: PortalSession | null;
  /** The console sends what to show: see preview.tsx. */
  isPreview: boolean;
}

/** What the server has written into the page, so that it needs no request to begin with. */
export function pageState(): Partial<PageState> {
  const content = document.querySelector<HTMLMetaElement>('meta[name="portal-state"]')?.content;
  return content === undefined ? {} : (JSON.parse(content) as PageState);
}

const begun = pageState();

export const queryClient = new QueryClient({
  mutationCache: new MutationCache({
    // What a write changes is not limited to what it names: a plan changes the pages, keys and usage.
    onSettled: (_, error) => {
      if (!error && queryClient.getQueryData(["getPortalSession"]))
        void queryClient.invalidateQueries({ predicate: ({ queryKey: [name] }) => isOfCustomer(name as Operation) });
    },
  }),
  defaultOptions: { queries: { ...connectedQueries, staleTime: 10_000 }, mutations: { retry: false } },
});

type Operation = keyof typeof routes;

/** What the customer has. The site and its documentation are the same for all; with a body, it is what a dialog asked once. */
const isOfCustomer = (name: Operation): boolean =>
  routes[name].startsWith("GET ") &&
  !["getPortalSite", "getPortalDocumentation", "getPortalPage", "listPortalApis"].includes(name);

export function useSite() {
  return useRead("getPortalSite", { initialData: begun.site, staleTime: Number.POSITIVE_INFINITY });
}

/** Null without a session. */
export function useSession() {
  return useQuery({
    queryKey: ["getPortalSession"],
    queryFn: async ({ signal }): Promise<PortalSession | null> => {
      try {
        return await call("getPortalSession", { signal });
      } catch (error) {
        if (statusOf(error) === 401) return null;
        throw error;
      }
    },
    initialData: begun.session,
  });
}

/** Clears the data of the previous customer. Mounted pages load theirs again. */
export function signedIn(session: PortalSession): void {
  rememberCreatedKey(undefined);
  queryClient.setQueryData(["getPortalSession"], session);
  queryClient.resetQueries({
    predicate: ({ queryKey: [name] }) => name !== "getPortalSession" && name !== "getPortalSite",
  });
}

export async function signOut(): Promise<void> {
  await call("signOutOfPortal");
  forgetSession();
}

/** The server has ended the session: the person has left, or the account is deleted. */
export function leave(): void {
  forgetSession();
  goTo("/");
}

function forgetSession(): void {
  rememberCreatedKey(undefined);
  queryClient.setQueryData(["getPortalSession"], null);
}

/** The APIs, with an example each. */
export function useApis() {
  return useRead("listPortalApis");
}
