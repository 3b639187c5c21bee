import { useMutation } from "@tanstack/react-query";
import { Blocks } from "lucide-react";
import { useEffect } from "react";
import type { OAuthConsentRequest, PortalSession, PortalSite } from "../../../client/transport/portal-schema.gen.ts";
import { Button } from "../../components/button.tsx";
import { Facts } from "../../components/facts.tsx";
import { ErrorNotice, Notice, SkeletonLines } from "../../components/notice.tsx";
import { formatDateTime } from "../../lib/format.ts";
import { Link } from "../../lib/router.tsx";
import { call, useRead } from "../queries/api.ts";

/** The page on which a customer authorizes a program, or does not. */
export default function Authorize({ site, session }: { site: PortalSite; session: PortalSession }) {
  const query = window.location.search.slice(1);
  const isWritable = session.scopes.includes("keys:write");
  const asked = useRead("readOAuthRequest", {
    body: { query },
    enabled: isWritable,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const redirectTo = asked.data?.redirectTo;
  useEffect(() => {
    if (redirectTo !== undefined) window.location.replace(redirectTo);
  }, [redirectTo]);
  if (!isWritable)
    return (
      <div className="enter">
        <h1>You cannot authorize programs</h1>
        <p>
          {session.isView
            ? "You see this portal as the customer does, and can change nothing."
            : "Only a person who may change the keys of your account can authorize them."}
        </p>
        <Link href="/">Start page</Link>
      </div>
    );
  if (asked.error)
    return (
      <div className="enter">
        <h1>The program cannot be authorized</h1>
        <ErrorNotice error={asked.error} />
        <p>Nothing was changed. Close this page, and start again in the program.</p>
      </div>
    );
  if (!asked.data || redirectTo !== undefined) return <SkeletonLines />;
  return <Consent site={site} session={session} query={query} asked={asked.data as Required<OAuthConsentRequest>} />;
}

interface ConsentProps {
  site: PortalSite;
  session: PortalSession;
  query: string;
  asked: Required<OAuthConsentRequest>;
}

function Consent({ site, session, query, asked }: ConsentProps) {
  const { client, host, consumer, permissions, expiresOn } = asked;
  const decide = useMutation({
    mutationFn: (isApproved: boolean) =>
      call("decideOAuthRequest", { body: { query, consumerId: consumer.id, isApproved } }),
    onSuccess: ({ redirectTo }) => window.location.replace(redirectTo),
  });
  const isBusy = decide.isPending || decide.isSuccess;
  const isHere = /^(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?$/.test(host);
  const isUnknown = client.type === "dynamic" || client.type === "document";
  return (
    <div className="enter consent">
      <Blocks size={28} aria-hidden />
      <h1>
        Authorize <span className="wrap-anywhere">{client.name}</span>?
      </h1>
      <p>
        It will use {site.title} for <strong className="wrap-anywhere">{consumer.name}</strong>, and counts against your
        plan.
      </p>
      <Facts
        of={{
          "Program host": (
            <>
              <span className="mono">{host}</span>
              {isHere && " (this computer)"}
            </>
          ),
          Permissions: permissions.length === 0 ? "Requests that need no permission" : permissions.join(", "),
          Until: <time dateTime={expiresOn}>{formatDateTime(expiresOn)}</time>,
          "Signed in as": session.subject,
        }}
      />
      {isUnknown && (
        <Notice kind="warning">
          {site.title} has not checked this program. Continue only if you have just opened it yourself
          {isHere ? "" : `, and trust ${host}`}.
        </Notice>
      )}
      {decide.error && <ErrorNotice error={decide.error} />}
      <div className="row row-wrap">
        <Button
          kind="primary"
          isBusy={isBusy && decide.variables === true}
          disabled={isBusy}
          onClick={() => decide.mutate(true)}
        >
          Authorize
        </Button>
        <Button disabled={isBusy} onClick={() => decide.mutate(false)}>
          Cancel
        </Button>
      </div>
      <p className="small muted">You can end it at any time on the page Programs.</p>
    </div>
  );
}
