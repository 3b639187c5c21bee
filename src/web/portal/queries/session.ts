import { QueryClient, useQuery } from "@tanstack/react-query";
import type { PortalSession } from "../../../client/transport/portal-schema.gen.ts";
import { connectedQueries } from "../../lib/connection.ts";
import { statusOf } from "../../lib/errors.ts";
import { call, useRead } from "./api.ts";
import { rememberCreatedKey } from "./created-key.ts";
import { pageState } from "./page-state.ts";

export const queryClient = new QueryClient({
  defaultOptions: { queries: { ...connectedQueries, staleTime: 10_000 }, mutations: { retry: false } },
});

const begun = pageState();

export function useSite() {
  return useRead("getPortalSite", ["site"], { initialData: begun.site, staleTime: Number.POSITIVE_INFINITY });
}

/** Null without a session. */
export function useSession() {
  return useQuery({
    queryKey: ["session"],
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
  queryClient.setQueryData(["session"], session);
  queryClient.resetQueries({ predicate: ({ queryKey: [name] }) => name !== "session" && name !== "site" });
}

export async function signOut(): Promise<void> {
  await call("signOutOfPortal");
  forgetSession();
}

/** The session has ended. */
export function forgetSession(): void {
  rememberCreatedKey(undefined);
  queryClient.setQueryData(["session"], null);
}

/** The customers that the person manages. */
export function useCustomers(isEnabled: boolean) {
  return useRead("listPortalCustomers", ["customers"], { enabled: isEnabled });
}

/** The APIs, with an example each. */
export function useApis() {
  return useRead("listPortalApis", ["apis"]);
}
