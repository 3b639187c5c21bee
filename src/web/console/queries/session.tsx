import {
  MutationCache,
  QueryCache,
  QueryClient,
  type QueryKey,
  queryOptions,
  type UseQueryOptions,
  useQuery,
} from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import { type Identity, Tollgate } from "../../../client/index.ts";
import { connectedQueries, withConnection } from "../../lib/connection.ts";
import { statusOf } from "../../lib/errors.ts";
import { closeGuarded } from "../../lib/unsaved.ts";
import { withRenewal } from "./renewal.ts";

/**
 * Without a token: the browser sends the session's cookie. Responses are not cached, because some fields, such as the
 * start of a webhook's failures, change without the ETag.
 */
export const signedIn = new Tollgate({
  url: "/",
  retries: 1,
  fetch: withRenewal(withConnection((address, init) => fetch(address, { ...init, cache: "no-store" }))),
});

let sessionEnded = () => {};

/** Called when the server rejects the session because it has ended. */
export function onSessionEnd(listener: () => void): void {
  sessionEnded = listener;
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => statusOf(error) === 401 && queryKey[0] !== "who-am-i" && sessionEnded(),
  }),
  mutationCache: new MutationCache({
    onError: (error, _, __, { options }) => isEnded(error, options) && sessionEnded(),
    // What a write changes is not limited to what it names: a plan changes invoices, keys and usage. What is on the
    // page is read again at once. After a lost response nobody knows; after a rejection nothing has changed,
    // and without a session nothing can be read.
    onSettled: (_, error) => {
      const status = (error && statusOf(error)) ?? 0;
      if (signInHint.isSet() && (status < 400 || status >= 500)) void queryClient.invalidateQueries();
    },
  }),
  defaultOptions: {
    // A copy that shares parts with what was read before has no ETag: saving it would replace the changes of others. What the
    // session is made of is shared, because a new session renders everything again.
    queries: { ...connectedQueries, staleTime: 10_000, structuralSharing: false },
    mutations: { retry: false },
  },
});

/** A sign-in with a wrong token does not end a session. */
const isEnded = (error: Error, { mutationKey }: { mutationKey?: readonly unknown[] }): boolean =>
  statusOf(error) === 401 && mutationKey?.[0] !== "sign-in";

const hintKey = "tollgate-signed-in";

/**
 * Scripts cannot read the cookie: this flag records whether there may be one, and saves a request that would be
 * rejected.
 */
export const signInHint = {
  isSet: () => localStorage.getItem(hintKey) !== null,
  set: () => localStorage.setItem(hintKey, "1"),
  clear: () => localStorage.removeItem(hintKey),
};

export const whoAmI = queryOptions({
  queryKey: ["who-am-i"],
  structuralSharing: true,
  queryFn: ({ signal }) => signedIn.whoAmI({ signal }),
  staleTime: 60_000,
});

/** The invitations that the signed-in person has not accepted. */
export const ownInvitations = queryOptions({
  queryKey: ["own-invitations"],
  queryFn: ({ signal }) => signedIn.sessions.invitations({ signal }),
  staleTime: 60_000,
});

interface Session {
  identity: Identity;
  account: string;
  /** The client for the selected account. */
  api: Tollgate;
  canEdit: boolean;
  canAdminister: boolean;
  /** Why the role may not make changes; undefined if it may. For `denied` of buttons. */
  deniedEdit: string | undefined;
  deniedAdminister: string | undefined;
  /** Changes of plans, subscriptions, customers, grants, invoices and the billing profile. */
  canBill: boolean;
  deniedBill: string | undefined;
  /** Whether the role is limited to projects. */
  isLimited: boolean;
  /** For the operator and for people with several accounts. */
  accounts: string[] | undefined;
  chooseAccount: (name: string) => void;
}

const Context = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(Context);
  if (!session) throw new Error("There is no session here.");
  return session;
}

const denialOf =
  ({ email }: Identity) =>
  (role: string, needed: string) =>
    `Your ${email === undefined ? "token's role" : "role"} is ${role}. This needs ${needed}: ask an admin of the account.`;

const accountKey = "tollgate-account";

export function SessionProvider({ identity, children }: { identity: Identity; children: ReactNode }) {
  const isOperator = identity.role === "operator";
  const [chosen, setChosen] = useState(() => localStorage.getItem(accountKey) ?? undefined);
  const accounts = useQuery({
    queryKey: ["accounts"],
    structuralSharing: true,
    queryFn: async ({ signal }) => (await signedIn.accounts.list({ signal }).all()).map(({ name }) => name),
    enabled: isOperator,
  });
  const own = identity.accounts;
  const known = isOperator ? accounts.data : own?.map(({ account: name }) => name);
  const hasChoice = isOperator || (own?.length ?? 0) > 1;
  const account = hasChoice ? (known?.includes(chosen ?? "") ? chosen : known?.[0]) : identity.account;
  const session = useMemo<Session | undefined>(() => {
    if (account === undefined) return undefined;
    const { role, projects } = own?.find((each) => each.account === account) ?? identity;
    const canAdminister = role === "admin" || isOperator;
    const canEdit = role === "editor" || canAdminister;
    const denial = denialOf(identity);
    const canBill = canEdit || role === "billing";
    return {
      identity: { ...identity, role },
      account,
      api: hasChoice ? signedIn.inAccount(account) : signedIn,
      canBill,
      deniedBill: canBill ? undefined : denial(role, "billing, editor or admin"),
      isLimited: projects !== undefined,
      canEdit,
      canAdminister,
      deniedEdit: canEdit ? undefined : denial(role, "editor or admin"),
      deniedAdminister: canAdminister ? undefined : denial(role, "admin"),
      accounts: hasChoice ? known : undefined,
      chooseAccount: (name) =>
        closeGuarded(null, () => {
          localStorage.setItem(accountKey, name);
          queryClient.removeQueries({
            predicate: ({ queryKey }) => queryKey[0] !== "who-am-i" && queryKey[0] !== "accounts",
          });
          setChosen(name);
        }),
    };
  }, [identity, account, isOperator, hasChoice, own, known]);
  if (!session) return null;
  return <Context value={session}>{children}</Context>;
}

/** Reads with the client of the session. */
export function useRead<Data, Shown = Data>(
  queryKey: QueryKey,
  read: (api: Tollgate, context: { signal: AbortSignal }) => Promise<Data>,
  options: Omit<UseQueryOptions<Data, Error, Shown>, "queryKey" | "queryFn"> = {},
) {
  const { api } = useSession();
  return useQuery({ ...options, queryKey, queryFn: (context) => read(api, context) });
}
