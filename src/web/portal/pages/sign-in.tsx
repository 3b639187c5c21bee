import { useMutation } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import type { PortalSite } from "../../../client/transport/portal-schema.gen.ts";
import { priceParts } from "../../../lib/text/prices.ts";
import { Button } from "../../components/button.tsx";
import { ErrorNotice, SkeletonLines } from "../../components/notice.tsx";
import { goTo } from "../../lib/router.tsx";
import { call, useRead } from "../queries/api.ts";
import { signedIn } from "../queries/session.ts";
import { Access } from "./enter/enter.tsx";
import { wantedPlan } from "./enter/sign-in-from.ts";

/** The code of the fragment, which is removed from the address at once: the page may be bookmarked. */
function takeCode(): string | undefined {
  const code = new URLSearchParams(window.location.hash.slice(1)).get("code") ?? undefined;
  if (code !== undefined) window.history.replaceState(null, "", window.location.pathname);
  return code;
}

let pending: string | undefined;

/**
 * Exchanges the code of a hand-off for a session, after a click: a link that somebody else has made would sign the
 * browser in to their account. Without a code, it is the sign-in of the portal itself.
 */
export function SignIn({ site }: { site: PortalSite }) {
  const [code, setCode] = useState(() => {
    pending ??= takeCode();
    return pending;
  });
  useEffect(() => {
    // A link that is opened in a tab that shows this page changes the fragment only.
    const takeNext = () => {
      pending = takeCode() ?? pending;
      setCode(pending);
    };
    window.addEventListener("hashchange", takeNext);
    return () => window.removeEventListener("hashchange", takeNext);
  }, []);
  const exchange = useMutation({
    mutationFn: () => call("signInToPortal", { body: { code: code ?? "", replacesSession: true } }),
    onSuccess: (session) => {
      pending = undefined;
      signedIn(session);
      goTo("/", { replace: true });
    },
  });
  const shown = useRead("readPortalHandoff", {
    body: { code: code ?? "" }, // A code works once: it is not read again after it was exchanged.
    enabled: code !== undefined && exchanged !== code,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const { mutate } = exchange;
  const signIn = useCallback(() => {
    exchanged = code;
    mutate();
  }, [code, mutate]);
  const isSame = shown.data?.session === "same";
  useEffect(() => {
    if (isSame && exchanged !== code) signIn();
  }, [code, isSame, signIn]);
  if (code === undefined) return <Access site={site} level="h1" note={<WantedPlan site={site} />} />;
  const error = shown.error ?? exchange.error;
  if (error)
    return (
      <div className="enter">
        <h1>You could not be signed in</h1>
        <ErrorNotice error={error} />
        <p>Open the portal from your account again.</p>
      </div>
    );
  if (!shown.data || isSame) return <SkeletonLines />;
  const { consumer, session } = shown.data;
  return (
    <div className="enter">
      <h1>{session === "other" ? "Switch to another account?" : `Sign in to ${site.title}`}</h1>
      <p>
        This link signs this browser in for <strong>{consumer.name}</strong>. If you do not know who sent you here,
        close this page.
      </p>
      {session === "other" && <p>The browser is signed in for another account. If you continue, that session ends.</p>}
      <div className="row row-wrap">
        <Button kind="primary" autoFocus isBusy={exchange.isPending} onClick={signIn}>
          {session === "other" ? "Switch account" : "Continue"}
        </Button>
        {session === "other" && <Button onClick={() => goTo("/", { replace: true })}>Stay signed in</Button>}
      </div>
    </div>
  );
}

/** The plan that follows, if it was chosen on the landing page. */
function WantedPlan({ site }: { site: PortalSite }) {
  const plan = site.plans.find(({ planExternalId }) => planExternalId === wantedPlan());
  if (!plan) return null;
  const { amount, per = "" } = priceParts(plan);
  return (
    <p className="muted">
      You chose {plan.label}: {amount} {per}
    </p>
  );
}

/** Effects run twice in development, and a code works once. */
let exchanged: string | undefined;
