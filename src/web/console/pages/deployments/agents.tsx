import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { AgentSettings } from "../../../components/agent-settings.tsx";
import { Button } from "../../../components/button.tsx";
import { CopyButton } from "../../../components/copy.tsx";
import { LoadError } from "../../../components/notice.tsx";
import { Figure } from "../../../components/number.tsx";
import { SkeletonLines } from "../../../components/skeleton.tsx";
import { Table } from "../../../components/table.tsx";
import { agentNameOf } from "../../../lib/agent-clients.ts";
import { plural } from "../../../lib/format.ts";
import { closeGuarded } from "../../../lib/unsaved.ts";
import { useSession } from "../../queries/session.tsx";
import { type DeployedRoute, toolsOf } from "./deployed-routes.ts";
import { OfferTools } from "./offer-tools.tsx";
import { expectedCredential } from "./try/credential.ts";
import { TryTool } from "./try/try-tool.tsx";
import { useContents } from "./version-diff.tsx";

/** The tools that a deployment offers to agents, how clients connect, and which operations could be tools. */
export function DeploymentAgents({ name, url }: { name: string; url: string }) {
  const { api } = useSession();
  const routes = useQuery({
    queryKey: ["deployment", name, "routes", "tools"],
    queryFn: ({ signal }) => api.deployments.routes(name, { tools: true, signal }),
  });
  if (routes.error) return <LoadError error={routes.error} onRetry={() => routes.refetch()} />;
  if (!routes.data) return <SkeletonLines />;
  const { data, version } = routes.data;
  const offered = data.filter((route) => toolsOf(route) !== undefined);
  return (
    <div className="stack stack-loose">
      {offered.map((route) => (
        <OfferedTools key={route.path} deployment={name} url={url} version={version} route={route} />
      ))}
      <OfferTools routes={data} offered={offered} />
    </div>
  );
}

interface OfferedToolsProps {
  deployment: string;
  url: string;
  version: number;
  route: DeployedRoute;
}

function OfferedTools({ deployment, url, version, route }: OfferedToolsProps) {
  const { canEdit } = useSession();
  const contents = useContents(deployment, version);
  const [trying, setTrying] = useState<NonNullable<ReturnType<typeof toolsOf>>["tools"][number]>();
  const { title = deployment, mode, tools } = toolsOf(route)!;
  const address = url.replace(/\/$/, "") + route.path;
  const policies = contents.data?.contents.policies;
  const expected = expectedCredential(route, policies);
  const prefix = expected?.scheme ? `${expected.scheme} ` : "";
  const acceptsTokens = route.policies.some(({ name, type }) => {
    const { oauth } = (policies?.[name]?.options ?? {}) as { oauth?: boolean };
    return type === "oauth" || (type === "api-key" && oauth === true);
  });
  const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0);
  return (
    <section className="stack">
      <div>
        <h2>{title}</h2>
        <p className="row row-wrap">
          <code className="wrap-anywhere">{address}</code>
          <CopyButton text={address} label="Copy address" />
        </p>
        <p className="muted">
          {mode === "search"
            ? `Agents find ${tools.length} operations with two tools, search and call.`
            : `${plural(tools.length, "tool")}, about ${tokens.toLocaleString("en")} tokens in every conversation.`}
        </p>
      </div>
      <Table
        caption={`Tools of ${title}`}
        rows={tools}
        keyOf={(tool) => tool.name}
        columns={[
          { label: "Tool", render: (tool) => <span className="mono wrap-anywhere">{tool.name}</span> },
          {
            label: "Operation",
            render: ({ method, path }) => (
              <span className="mono wrap-anywhere">
                {method} {path}
              </span>
            ),
          },
          { label: "Tokens", isNumber: true, render: (tool) => <Figure value={tool.tokens} /> },
          {
            label: "Actions",
            isActions: true,
            render: (tool) =>
              canEdit && (
                <Button
                  isSmall
                  aria-label={`Try ${tool.name}`}
                  onClick={() => closeGuarded(null, () => setTrying(tool))}
                >
                  Try…
                </Button>
              ),
          },
        ]}
      />
      <div className="stack stack-tight">
        <h3>Connect an agent</h3>
        {contents.data ? (
          <AgentSettings
            server={{
              name: agentNameOf(title),
              url: address,
              ...(expected?.kind === "key" ? { key: { header: expected.header, prefix } } : {}),
            }}
            hasSignIn={acceptsTokens}
          />
        ) : (
          <SkeletonLines count={4} />
        )}
      </div>
      {trying && (
        <TryTool
          key={trying.name}
          deployment={deployment}
          path={route.path}
          tool={trying}
          mode={mode}
          expected={expected}
          onClose={() => setTrying(undefined)}
        />
      )}
    </section>
  );
}
