import { Send } from "lucide-react";
import { useState } from "react";
import type { DeploymentTry } from "../../../../client/index.ts";
import { AgentSettings } from "../../../components/agent-settings.tsx";
import { Button } from "../../../components/button.tsx";
import { CopyButton } from "../../../components/copy.tsx";
import { bindInput, TextArea } from "../../../components/field.tsx";
import { Form } from "../../../components/form.tsx";
import { ErrorNotice, NotLoaded, SkeletonLines } from "../../../components/notice.tsx";
import { Figure } from "../../../components/number.tsx";
import { SidePanel } from "../../../components/side-panel.tsx";
import { actionsColumn, Table } from "../../../components/table.tsx";
import { agentNameOf } from "../../../lib/agent-clients.ts";
import { plural } from "../../../lib/format.ts";
import { closeGuarded } from "../../../lib/unsaved.ts";
import { objectOf } from "../../components/pairs.tsx";
import { useRead, useSession } from "../../queries/session.tsx";
import { CopyAs, useCall } from "../../shell/requests.tsx";
import { type DeployedRoute, toolsOf } from "./deployed-routes.ts";
import { OfferTools } from "./offer-tools.tsx";
import {
  type Credential,
  CredentialField,
  credentialFields,
  type Expected,
  expectedCredential,
} from "./try/credential-field.tsx";
import { TryResult } from "./try/try-result.tsx";
import { useContents } from "./versions.tsx";

/** The tools that a deployment offers to agents, how clients connect, and which operations could be tools. */
export function DeploymentAgents({ name, url }: { name: string; url: string }) {
  const routes = useRead(["deployment", name, "routes", "tools"], (api, { signal }) =>
    api.deployments.routes(name, { tools: true, signal }),
  );
  if (routes.error || !routes.data) return <NotLoaded of={routes} />;
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
          actionsColumn(
            (tool: (typeof tools)[number]) =>
              canEdit && (
                <Button
                  isSmall
                  aria-label={`Try ${tool.name}`}
                  onClick={() => closeGuarded(null, () => setTrying(tool))}
                >
                  Try…
                </Button>
              ),
          ),
        ]}
      />
      <div className="stack stack-tight">
        <h3>Connect an agent</h3>
        {contents.data ? (
          <AgentSettings
            server={{
              name: agentNameOf(title),
              url: address,
              ...(expected?.kind === "key" && { key: { header: expected.header, prefix } }),
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

const revision = "2026-07-28";

interface TryToolProps {
  deployment: string;
  /** Of the route that offers the tool. */
  path: string;
  tool: { name: string; description?: string };
  mode: "tools" | "search";
  expected: Expected | undefined;
  onClose: () => void;
}

/** Calls a tool as an agent does. */
function TryTool({ deployment, path, tool, mode, expected, onClose }: TryToolProps) {
  const [text, setText] = useState("{}");
  const [credential, setCredential] = useState<Credential>({ kind: "none" });
  const parsed = objectOf(text);
  const given = parsed instanceof Error ? undefined : parsed;
  const { key, header } = credentialFields(credential, expected);
  const name = mode === "search" ? "call" : tool.name;
  const body = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name,
      arguments: mode === "search" ? { operationId: tool.name, arguments: given } : given,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": revision,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { name: "Console", version: "1" },
      },
    },
  };
  const request: DeploymentTry = {
    method: "POST",
    path,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": revision,
      "mcp-method": "tools/call",
      "mcp-name": name,
      ...(header ? { [header[0]]: header[1] } : {}),
    },
    body: JSON.stringify(body),
    key,
  };
  const send = useCall({ call: (api) => api.deployments.try(deployment, request) });
  return (
    <SidePanel title={`Try ${tool.name}`} isWide onClose={onClose}>
      <Form className="stack" onSubmit={() => send.mutate()}>
        {tool.description && <p className="muted">{tool.description}</p>}
        {send.error && <ErrorNotice error={send.error} />}
        {expected && <CredentialField expected={expected} credential={credential} onChange={setCredential} />}
        <TextArea
          label="Arguments"
          isMono
          rows={6}
          {...bindInput(text, setText, given ? undefined : "must be a JSON object")}
        />
        <div className="row row-between row-wrap">
          <CopyAs of={send} />
          <Button icon={Send} type="submit" kind="primary" isBusy={send.isPending} disabled={!given}>
            Call
          </Button>
        </div>
        {send.data && <TryResult response={send.data} />}
      </Form>
    </SidePanel>
  );
}
