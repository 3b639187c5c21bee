import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { TollgateError } from "../../../client/index.ts";
import type { PortalSite } from "../../../client/transport/portal-schema.gen.ts";
import { priceParts } from "../../../lib/text/prices.ts";
import { Button } from "../../components/button.tsx";
import { ErrorNotice } from "../../components/notice.tsx";
import { SkeletonLines } from "../../components/skeleton.tsx";
import { goTo } from "../../lib/router.tsx";
import { call } from "../queries/api.ts";
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

/** Exchanges the code of a hand-off for a session. Without one, it is the sign-in of the portal itself. */
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
    mutationFn: (replacesSession: boolean) => call("signInToPortal", { body: { code: code ?? "", replacesSession } }),
    onSuccess: (session) => {
      pending = undefined;
      signedIn(session);
      goTo("/", { replace: true });
    },
  });
  const { mutate } = exchange;
  useEffect(() => {
    if (code !== undefined && started !== code) {
      started = code;
      mutate(false);
    }
  }, [code, mutate]);
  if (code === undefined) return <Access site={site} level="h1" note={<WantedPlan site={site} />} />;
  if (exchange.error instanceof TollgateError && exchange.error.code === "session_replaced")
    return (
      <div className="welcome">
        <h1>Switch to another account?</h1>
        <p>This browser is signed in for another account. If you continue, that session ends.</p>
        <div className="row row-wrap">
          <Button kind="primary" isBusy={exchange.isPending} onClick={() => mutate(true)}>
            Switch account
          </Button>
          <Button onClick={() => goTo("/", { replace: true })}>Stay signed in</Button>
        </div>
      </div>
    );
  if (exchange.error)
    return (
      <div className="welcome">
        <h1>You could not be signed in</h1>
        <ErrorNotice error={exchange.error} />
        <p>Open the portal from your account again.</p>
      </div>
    );
  return <SkeletonLines />;
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
let started: string | undefined;
