import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";
import { signedIn } from "../queries/session.tsx";
import { Mark } from "../shell/mark.tsx";
import { MailSignIn, TokenSignIn } from "./sign-in/forms.tsx";
import { useOpenConsole } from "./sign-in/open-console.ts";

const route = getRouteApi("/sign-in");

/** By mail where the server can send it, otherwise with a token. */
export function SignIn() {
  const { to, error, signedIn: isSignedIn } = route.useSearch();
  const openConsole = useOpenConsole(to);
  const [wants, setWants] = useState<"token" | "person">();
  const methods = useQuery({
    queryKey: ["sign-in-methods"],
    queryFn: ({ signal }) => signedIn.sessions.methods({ signal }),
  });
  useEffect(() => {
    document.title = "Sign in · Tollgate";
  }, []);
  useEffect(() => {
    // The identity provider has signed in the browser.
    if (isSignedIn) openConsole();
  });
  if (isSignedIn || methods.isPending) return <main className="signin" aria-busy />;
  const wantsToken = wants ? wants === "token" : isFirstSignIn(methods.data);
  const hasMail = methods.data?.mail ?? false;
  const hasOther = hasMail || methods.data?.provider !== undefined;
  return (
    <main className="signin">
      <div className="signin-card">
        <h1 className="brand">
          <Mark size={24} />
          Tollgate
        </h1>
        {error && <Notice kind="error">{providerErrors[error] ?? providerErrors.sign_in_failed}</Notice>}
        {methods.data?.provider !== undefined && !wantsToken && (
          <a
            className="button"
            data-kind={hasMail ? undefined : "primary"}
            href={`/sign-in/provider?${providerQuery(to)}`}
          >
            Continue with {methods.data.provider}
          </a>
        )}
        {hasOther && !wantsToken && !hasMail ? null : hasMail && !wantsToken ? (
          <MailSignIn onSignedIn={openConsole} />
        ) : (
          <TokenSignIn onSignedIn={openConsole} />
        )}
        {hasOther && (
          <Button kind="quiet" onClick={() => setWants(wantsToken ? "person" : "token")}>
            {wantsToken ? "Sign in as a person" : "Use a token"}
          </Button>
        )}
      </div>
    </main>
  );
}

/** Without members, sign-in by mail cannot work. An identity provider may admit people by their domain. */
const isFirstSignIn = (methods: Awaited<ReturnType<typeof signedIn.sessions.methods>> | undefined): boolean =>
  methods !== undefined && !methods.hasMembers && methods.provider === undefined;

const providerQuery = (to: string | undefined) => new URLSearchParams(to ? { to } : {}).toString();

/** Why a sign-in with the identity provider failed. */
const providerErrors: Record<string, string> = {
  provider_unavailable: "The identity provider cannot be reached. Try again shortly, or sign in another way.",
  sign_in_failed: "The sign-in was not completed, or took too long. Try again.",
  domain_not_allowed: "This address may not sign in here.",
  address_unverified: "The identity provider has not verified your address. Verify it there, or sign in by mail.",
  address_taken: "Your address belongs to another person here. Ask an admin.",
  no_access: "You are not a member of any account. Ask an admin to invite you.",
};
