import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { signedIn } from "../../queries/session.tsx";
import { SignInCard } from "./card.tsx";
import { useOpenConsole } from "./open-console.ts";

/** The page of a link in a mail. It has a button, so that programs that open links in mail do not use it up. */
export function SignInLink() {
  const link = useSecret();
  const openConsole = useOpenConsole();
  const signIn = useMutation({
    mutationKey: ["sign-in"],
    mutationFn: () => signedIn.sessions.createWithLink({ link }),
    onSuccess: openConsole,
  });
  return (
    <SignInCard title="Sign in" error={signIn.error}>
      {!signIn.error && (
        <Button kind="primary" autoFocus isBusy={signIn.isPending} onClick={() => signIn.mutate()}>
          Sign in to the console
        </Button>
      )}
    </SignInCard>
  );
}

/** The page of an invitation's link. */
export function Join() {
  const secret = useSecret();
  const openConsole = useOpenConsole();
  const accept = useMutation({
    mutationKey: ["sign-in"],
    mutationFn: () => signedIn.sessions.accept(secret),
    onSuccess: openConsole,
  });
  const invitation = useQuery({
    queryKey: ["invitation"],
    queryFn: ({ signal }) => signedIn.sessions.invitation(secret, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    // An accepted invitation no longer exists.
    enabled: accept.isIdle,
  });
  const error = invitation.error ?? accept.error;
  if (invitation.isPending) return <main className="signin" aria-busy />;
  const { account, email, role } = invitation.data ?? {};
  return (
    <SignInCard title={account === undefined ? "Invitation" : `Join ${account}`} error={error}>
      {!error && (
        <>
          <p>
            You are invited as {email}, with the role {role}.
          </p>
          <Button kind="primary" autoFocus isBusy={accept.isPending} onClick={() => accept.mutate()}>
            Accept the invitation
          </Button>
        </>
      )}
    </SignInCard>
  );
}

/** What follows `#` in the address. It is removed from the address, so that it is not in the history or on a screenshot. */
function useSecret(): string {
  const [secret] = useState(() => window.location.hash.slice(1));
  if (window.location.hash !== "") window.history.replaceState(window.history.state, "", window.location.pathname);
  return secret;
}
