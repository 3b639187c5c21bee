import { Bot } from "lucide-react";
import type { PortalSession } from "../../../client/transport/portal-schema.gen.ts";
import { AgentSettings } from "../../components/agent-settings.tsx";
import { EmptyState, NotLoaded } from "../../components/notice.tsx";
import { agentNameOf } from "../../lib/agent-clients.ts";
import { Link } from "../../lib/router.tsx";
import { useCreatedKey } from "../queries/kept-keys.ts";
import { useApis } from "../queries/session.ts";
import { PageHead } from "../shell/page-head.tsx";

/** How a customer connects an agent to the tools of the portal's APIs. */
export default function Agents({ session }: { session: PortalSession }) {
  const apis = useApis();
  const value = useCreatedKey();
  if (apis.error || !apis.data) return <NotLoaded of={apis} />;
  const addresses = apis.data.data.flatMap(({ agents = [] }) => agents);
  if (addresses.length === 0)
    return (
      <EmptyState icon={Bot} title="No tools for agents" action={<Link href="/docs">Documentation</Link>}>
        The APIs of this portal have no address for agents.
      </EmptyState>
    );
  const canSeeKeys = session.scopes.includes("keys:read");
  return (
    <>
      <PageHead title="Agents">
        Your agent uses the API as tools. What it does counts against your plan, like your own requests.
      </PageHead>
      <div className="stack stack-loose">
        {addresses.map(({ url, title, keyHeader, keyPrefix = "", hasSignIn }) => (
          <section className="stack" key={url}>
            <div>
              <h2>{title}</h2>
              <p className="muted mono wrap-anywhere">{url}</p>
            </div>
            <AgentSettings
              server={{
                name: agentNameOf(title),
                url,
                ...(keyHeader === undefined ? {} : { key: { header: keyHeader, prefix: keyPrefix, value } }),
              }}
              hasSignIn={hasSignIn}
            />
          </section>
        ))}
        {canSeeKeys && (
          <div className="stack stack-tight">
            <p className="small muted">
              Use a key of its own for each agent: then you can end it alone.
              {session.pages.includes("programs") && " Agents that signed you in are listed as programs."}
            </p>
            <p className="row row-wrap links">
              <Link href="/keys">Keys</Link>
              {session.pages.includes("programs") && <Link href="/programs">Programs</Link>}
            </p>
          </div>
        )}
      </div>
    </>
  );
}
