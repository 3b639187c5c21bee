import { useMutation } from "@tanstack/react-query";
import { useEffect } from "react";
import type { PortalSite } from "../../../../client/transport/portal-schema.gen.ts";
import { Button } from "../../../components/button.tsx";
import { ErrorNotice, SkeletonLines } from "../../../components/notice.tsx";
import { goTo, Link } from "../../../lib/router.tsx";
import { call } from "../../queries/api.ts";
import { enter, NextStep } from "./outcome.tsx";
import { signInFrom } from "./sign-in-from.ts";

export const providerCallback = "/sign-in/provider/callback";

/** Names that people know better than the host. */
const names: [host: RegExp, name: string][] = [
  [/^accounts\.google\.com$/, "Google"],
  [/^login\.microsoftonline\.com$/, "Microsoft"],
  [/^appleid\.apple\.com$/, "Apple"],
  [/\.okta(-emea|preview)?\.com$/, "Okta"],
];

const nameOf = (host: string): string => names.find(([known]) => known.test(host))?.[1] ?? host;

/** Leads to the identity provider, and back to the page from which it was opened. */
export function ProviderButton({ host, isPrimary }: { host: string; isPrimary: boolean }) {
  const begin = useMutation({
    mutationFn: () => call("startPortalProviderSignIn", { body: signInFrom() }),
    onSuccess: ({ url }) => window.location.assign(url),
  });
  return (
    <>
      {begin.error && <ErrorNotice error={begin.error} />}
      <div className="button-wide">
        <Button
          {...(isPrimary ? { kind: "primary" as const } : {})}
          isBusy={begin.isPending || begin.isSuccess}
          onClick={() => begin.mutate()}
        >
          Continue with {nameOf(host)}
        </Button>
      </div>
    </>
  );
}

/** Effects run twice in development, and the response of the provider can be used only once. */
let taken: string | undefined;

/** The page that the provider leads back to. Its response is removed from the address at once. */
export function ProviderCallback({ site }: { site: PortalSite }) {
  const { mutate, data, error } = useMutation({
    mutationFn: (query: string) => call("signInToPortalWithProvider", { body: { query } }),
    onSuccess: ({ session, to }) => {
      if (session) enter(session, to);
    },
  });
  useEffect(() => {
    const query = window.location.search.slice(1);
    if (query !== "") window.history.replaceState(null, "", window.location.pathname);
    else if (taken === undefined) goTo("/sign-in", { replace: true });
    if (query === "" || query === taken) return;
    taken = query;
    mutate(query);
  }, [mutate]);
  if (error)
    return (
      <div className="enter">
        <h1>You could not be signed in</h1>
        <ErrorNotice error={error} />
        <p>
          <Link href="/sign-in">Sign in again</Link>
        </p>
      </div>
    );
  if (data && !data.session) return <NextStep site={site} outcome={data} />;
  return <SkeletonLines />;
}
