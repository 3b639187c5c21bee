import { useMutation, useQuery } from "@tanstack/react-query";
import { Button } from "../../../components/button.tsx";
import { signedIn } from "../../queries/session.tsx";
import { SignInCard } from "./card.tsx";
import { useOpenConsole } from "./open-console.ts";
import { useSecret } from "./use-secret.ts";

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
