import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Identity } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { endRenewal } from "../../queries/renewal.ts";
import { queryClient, signedIn, whoAmI } from "../../queries/session.tsx";
import { MailSignIn, TokenSignIn } from "./forms.tsx";

/** The dialog below keeps its input, and its request is sent again. */
export function SignInAgain() {
  const [wantsToken, setWantsToken] = useState(false);
  const methods = useQuery({
    queryKey: ["sign-in-methods"],
    queryFn: ({ signal }) => signedIn.sessions.methods({ signal }),
  });
  useEffect(() => {
    const returned = () => resume().catch(() => {});
    // The user may have signed in in another tab.
    window.addEventListener("focus", returned);
    return () => {
      window.removeEventListener("focus", returned);
      // Without the dialog nothing is lost: requests fail, which leads to the sign-in page.
      setTimeout(() => endRenewal(false));
    };
  }, []);
  const { mail = false, provider } = methods.data ?? {};
  const isByToken = wantsToken || (!mail && provider === undefined);
  const hasOther = mail || provider !== undefined;
  return (
    <Dialog
      title="Sign in again"
      isStubborn
      onClose={() => {}}
      foot={
        <>
          {hasOther && (
            <Button kind="quiet" onClick={() => setWantsToken(!wantsToken)}>
              {wantsToken ? "Sign in as a person" : "Use a token"}
            </Button>
          )}
          <Button onClick={() => endRenewal(false)}>Discard the input</Button>
        </>
      }
    >
      <p>Your session has ended. What you have entered is kept.</p>
      {provider !== undefined && !wantsToken && (
        <a className="button" href="/sign-in/provider" target="_blank" rel="noreferrer">
          Continue with {provider} in a new tab
        </a>
      )}
      {methods.isPending ? null : isByToken ? (
        <TokenSignIn onSignedIn={resume} />
      ) : (
        mail && <MailSignIn onSignedIn={resume} />
      )}
    </Dialog>
  );
}

/** Continues with the new session. Another account has other data: then the page is loaded again. */
async function resume(): Promise<void> {
  const before = queryClient.getQueryData<Identity>(whoAmI.queryKey);
  const after = await signedIn.whoAmI();
  if (accountsOf(after) !== accountsOf(before)) return window.location.reload();
  queryClient.setQueryData(whoAmI.queryKey, after);
  endRenewal(true);
}

const accountsOf = (identity: Identity | undefined): string =>
  JSON.stringify(identity?.accounts?.map(({ account }) => account) ?? identity?.account ?? identity?.role);
