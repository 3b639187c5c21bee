import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { PortalSite } from "../../../../client/transport/portal-schema.gen.ts";
import { Button } from "../../../components/button.tsx";
import { ErrorNotice } from "../../../components/notice.tsx";
import { Link } from "../../../lib/router.tsx";
import { call } from "../../queries/api.ts";
import { enter, NextStep } from "./outcome.tsx";

let pending: string | undefined;

/** The secret of the fragment, which is removed from the address at once: the page may be bookmarked. */
function takeLink(): string {
  const secret = window.location.hash.slice(1);
  if (secret !== "") {
    pending = secret;
    window.history.replaceState(null, "", window.location.pathname);
  }
  return pending ?? "";
}

/** The page of a link in a mail. It has a button, so that programs that open links in mail do not use it up. */
export default function SignInLink({ site }: { site: PortalSite }) {
  const [link] = useState(takeLink);
  const signIn = useMutation({
    mutationFn: () => call("signInToPortalWithLink", { body: { link } }),
    onSuccess: (outcome) => {
      pending = undefined;
      if (outcome.session) enter(outcome.session, outcome.to);
    },
  });
  if (signIn.data && !signIn.data.session) return <NextStep site={site} outcome={signIn.data} />;
  return (
    <div className="enter">
      <h1>Sign in to {site.title}</h1>
      {link === "" || signIn.error ? (
        <>
          {signIn.error ? <ErrorNotice error={signIn.error} /> : <p>This link is not complete.</p>}
          <p>
            <Link href="/sign-in">Sign in again</Link>
          </p>
        </>
      ) : (
        <>
          <p>Continue in this browser. The link works once.</p>
          <div>
            <Button kind="primary" autoFocus isBusy={signIn.isPending} onClick={() => signIn.mutate()}>
              Continue
            </Button>
          </div>
        </>
      )}
    </div>
  );
}
