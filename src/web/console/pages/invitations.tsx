import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";
import { messageOf } from "../../lib/errors.ts";
import { formatDateTime } from "../../lib/format.ts";
import { ownInvitations, queryClient, signedIn, signInHint, whoAmI } from "../queries/session.tsx";
import { SignInCard } from "./sign-in/card.tsx";
import { useOpenConsole } from "./sign-in/open-console.ts";

/** The invitations of the signed-in person, who accepts or declines each. Without an account, it is the only page. */
export function Invitations() {
  const openConsole = useOpenConsole();
  const [isSignedOut, setSignedOut] = useState(false);
  const identity = useQuery({ ...whoAmI, enabled: !isSignedOut });
  const invitations = useQuery({ ...ownInvitations, enabled: !isSignedOut });
  const open = invitations.data?.data ?? [];
  const hasAccount = identity.data?.account !== undefined;
  const endsSession = !hasAccount && open.length === 1;
  const accept = useMutation({
    mutationFn: (account: string) => signedIn.sessions.join(account),
    onSuccess: openConsole,
  });
  const decline = useMutation({
    mutationFn: (account: string) => signedIn.sessions.decline(account),
    onSuccess: () => {
      if (!endsSession) return;
      // Without an account or an invitation, the session has ended: nothing can be read again.
      queryClient.removeQueries();
      signInHint.clear();
      setSignedOut(true);
    },
  });
  if (isSignedOut)
    return (
      <SignInCard title="Invitation declined">
        <p>You are not a member of any account.</p>
        <Link className="button" to="/sign-in">
          Go to sign-in
        </Link>
      </SignInCard>
    );
  if (invitations.isPending || identity.isPending) return <main className="signin" aria-busy />;
  const error = accept.error ?? decline.error;
  return (
    <SignInCard title="Invitations" error={invitations.error}>
      {error && <Notice kind="error">{messageOf(error)}</Notice>}
      {!invitations.error && open.length === 0 && <p>You have no open invitations.</p>}
      {open.map(({ account, role, projects, invitedBy, expiresOn }) => (
        <section key={account} className="signin-card" aria-label={`Invitation to ${account}`}>
          <div>
            <h2 className="wrap-anywhere">{account}</h2>
            <p className="wrap-anywhere">
              {invitedBy === undefined ? "You are invited" : `${invitedBy} invites you`} with the role {role}
              {projects && ` in ${projects.map(({ project }) => project).join(", ")}`}.
            </p>
            <p className="signin-hint">
              It ends on {formatDateTime(expiresOn)}. If you accept, admins of the account see your sessions.
            </p>
          </div>
          <div className="row">
            <Button
              kind="primary"
              aria-label={`Accept the invitation to ${account}`}
              isBusy={accept.isPending && accept.variables === account}
              onClick={() => accept.mutate(account)}
            >
              Accept
            </Button>
            <Button
              aria-label={`Decline the invitation to ${account}`}
              isBusy={decline.isPending && decline.variables === account}
              onClick={() => decline.mutate(account)}
            >
              Decline
            </Button>
          </div>
        </section>
      ))}
      {hasAccount && (
        <Link className="button" data-kind="quiet" to="/">
          Continue to the console
        </Link>
      )}
    </SignInCard>
  );
}
