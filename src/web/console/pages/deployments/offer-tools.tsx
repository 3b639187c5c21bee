import { useState } from "react";
import { Code } from "../../../components/copy.tsx";
import { Checkbox } from "../../../components/field.tsx";
import { Notice } from "../../../components/notice.tsx";
import { Figure } from "../../../components/number.tsx";
import { Table } from "../../../components/table.tsx";
import { plural } from "../../../lib/format.ts";
import { type DeployedRoute, toolsOf } from "./deployed-routes.ts";

/** Above these numbers, models choose tools less reliably. The builder warns about them too. */
const manyTools = 40;
const manyTokens = 20_000;
const credentialTypes = ["api-key", "oauth"];

/** Chooses operations, and shows what to add to the project. */
export function OfferTools({ routes, offered }: { routes: DeployedRoute[]; offered: DeployedRoute[] }) {
  const possible = routes.filter(({ tool, operationId }) => tool && "tokens" in tool && operationId !== undefined);
  const [chosen, setChosen] = useState(
    () => new Set(offered.flatMap((route) => toolsOf(route)?.tools.map(({ name }) => name) ?? [])),
  );
  const toggle = (id: string, isOn: boolean) => {
    const next = new Set(chosen);
    if (isOn) next.add(id);
    else next.delete(id);
    setChosen(next);
  };
  const rows = possible.filter(({ operationId }) => chosen.has(operationId!));
  const tokens = rows.reduce((sum, { tool }) => sum + (tool && "tokens" in tool ? tool.tokens : 0), 0);
  const isLarge = rows.length > manyTools || tokens > manyTokens;
  const others = routes.filter(({ tool }) => tool && "problem" in tool).length;
  return (
    <section className="stack">
      <div>
        <h2>Offer tools to agents</h2>
        <p className="muted">
          Each operation that you choose is a tool of one address. A call of a tool passes the operation's own policies.
        </p>
      </div>
      {possible.length === 0 ? (
        <p className="muted">No operation of this version can be a tool: each needs an operationId.</p>
      ) : (
        <Table
          caption="Operations"
          rows={possible}
          keyOf={({ method, path }) => `${method} ${path}`}
          columns={[
            {
              label: "Tool",
              render: ({ operationId }) => (
                <Checkbox
                  label={operationId!}
                  checked={chosen.has(operationId!)}
                  onChange={(event) => toggle(operationId!, event.target.checked)}
                />
              ),
            },
            {
              label: "Operation",
              render: ({ method, path }) => (
                <span className="mono wrap-anywhere">
                  {method} {path}
                </span>
              ),
            },
            {
              label: "Tokens",
              isNumber: true,
              render: ({ tool }) => <Figure value={tool && "tokens" in tool ? tool.tokens : 0} />,
            },
          ]}
        />
      )}
      {others > 0 && (
        <p className="small muted">
          {others} {others === 1 ? "route is" : "routes are"} not listed, since they cannot be tools.
        </p>
      )}
      {rows.length > 0 && (
        <>
          <p>
            {plural(rows.length, "tool")}, about {tokens.toLocaleString("en")} tokens that every conversation of an
            agent reads.
          </p>
          {isLarge && (
            <Notice kind="warning">
              Models choose best of at most {manyTools} tools and {manyTokens.toLocaleString("en")} tokens. With{" "}
              <code>"mode": "search"</code> agents get two tools instead, and find the operations with them.
            </Notice>
          )}
          <div className="stack stack-tight">
            <p>Add this to the paths of your OpenAPI document, and deploy:</p>
            <Code text={snippetOf(rows, isLarge)} />
          </div>
        </>
      )}
    </section>
  );
}

function snippetOf(rows: DeployedRoute[], isLarge: boolean): string {
  const policies = new Set(
    rows.flatMap((row) => row.policies.filter(({ type }) => credentialTypes.includes(type)).map(({ name }) => name)),
  );
  const operation = {
    operationId: "agents",
    summary: "Tools for agents",
    "x-tollgate": {
      handler: "mcp",
      ...(policies.size === 0 ? {} : { policies: [...policies] }),
      mcp: { tools: rows.map(({ operationId }) => operationId), ...(isLarge ? { mode: "search" } : {}) },
    },
    responses: { 200: { description: "A message of the Model Context Protocol." } },
  };
  return `"/mcp": ${JSON.stringify({ post: operation }, null, 2)}`;
}
