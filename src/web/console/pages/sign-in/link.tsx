import { useMutation } from "@tanstack/react-query";
import { Button } from "../../../components/button.tsx";
import { signedIn } from "../../queries/session.tsx";
import { SignInCard } from "./card.tsx";
import { useOpenConsole } from "./open-console.ts";
import { useSecret } from "./use-secret.ts";

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
