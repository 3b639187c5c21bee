import type { ArtifactRoute } from "../../core/artifact/artifact.ts";
import type { ArtifactTool, McpTarget } from "../../core/artifact/mcp-schema.ts";
import { OperationTools, UnusableOperation } from "../../core/mcp/tools/operation-tools.ts";
import type { ApiKeyOptions } from "../../gateway/policies/api-key/schema.ts";
import type { ValidateOptions } from "../../gateway/policies/validate/schema.ts";
import type { Located } from "../documents/located.ts";
import type { ApiDocument, ApiOperation } from "../openapi/openapi.ts";
import type { Routing } from "./project-schema.ts";
import type { ProjectSettings } from "./settings.ts";

/** More tools, or tokens of their descriptions, are known to make models choose worse. */
const manyTools = 40;
const manyTokens = 20_000;

/** An operation with the handler `mcp`, whose tools are not yet known. */
export interface McpOperation {
  operation: ApiOperation;
  route: ArtifactRoute;
  tools: Located;
}

/** Returns the target of a route with the handler `mcp`, without its tools. Reports an error if it cannot have that handler. */
export function mcpTarget(
  { method, path, definition }: ApiOperation,
  options: Routing["mcp"],
  root: Located,
): McpTarget {
  if (method !== "POST")
    definition.keyError(`${method} ${path} has the handler "mcp": it must be the operation of POST`);
  if (!options) definition.keyError('the handler "mcp" needs "mcp" beside it in x-tollgate: the tools that it offers');
  const { tools: _, mode = "tools" as const, title, instructions } = options ?? {};
  const info = root.member("info");
  return {
    handler: "mcp",
    mcp: {
      mode,
      title: title ?? String(info?.member("title")?.value),
      version: String(info?.member("version")?.value),
      ...(instructions !== undefined && { instructions }),
      tools: [],
    },
  };
}

interface ToolsInput {
  mcp: readonly McpOperation[];
  api: ApiDocument;
  routes: readonly ArtifactRoute[];
  settings: ProjectSettings;
  /** The document as one value whose references point into it. */
  document: Record<string, unknown>;
}

/** Adds the tools of routes with the handler `mcp`. */
export function addTools({ mcp, api, routes, settings, document }: ToolsInput): void {
  const credentialHeaders = [...settings.policies.values()].flatMap(({ type, options }) =>
    type === "api-key" ? [(options as ApiKeyOptions | undefined)?.header ?? []].flat() : [],
  );
  const tools = new OperationTools(document, { credentialHeaders });
  const operations = new Map(api.operations.map((operation) => [operation.operationId, operation]));
  for (const { route, tools: names, operation } of mcp) {
    const target = route.target as McpTarget;
    const named = new Set<unknown>();
    for (const name of names.items()) {
      if (named.has(name.value)) name.error(`names "${name.value}" twice`);
      named.add(name.value);
      const tool = toolOf(name, { tools, routes, settings, operation: operations.get(name.value as string) });
      if (tool) target.mcp.tools.push(tool);
    }
    if (target.mcp.mode === "tools") warnOfSize(operation, target.mcp.tools);
  }
}

function toolOf(
  name: Located,
  {
    tools,
    routes,
    settings,
    operation,
  }: Pick<ToolsInput, "routes" | "settings"> & { tools: OperationTools; operation: ApiOperation | undefined },
): ArtifactTool | undefined {
  if (!operation) {
    name.error(`no operation of the document has the operationId "${name.value}"`);
    return undefined;
  }
  const { path, method } = operation;
  const route = routes.find((each) => each.path === path && each.method === method);
  // The route has an error of its own.
  if (!route) return undefined;
  if ("mcp" in route.target || "operation" in route.target || method === "ANY") {
    const handler =
      "mcp" in route.target ? '"handler": "mcp"' : method === "ANY" ? '"x-tollgate-any"' : '"handler": "models"';
    name.error(`"${name.value}" has ${handler} and cannot be a tool`);
    return undefined;
  }
  try {
    const tool = tools.toolOf({ path, method, hasOutput: enforcesResponses(route, settings) });
    const tags = operation.definition.member("tags")?.value;
    return { ...tool, ...(Array.isArray(tags) && { tags: tags.filter((tag) => typeof tag === "string") }) };
  } catch (error) {
    if (!(error instanceof UnusableOperation)) throw error;
    name.error(`"${name.value}" cannot be a tool: ${error.message}`);
    return undefined;
  }
}

/** Whether every successful response matches the document. */
function enforcesResponses({ policies }: ArtifactRoute, settings: ProjectSettings): boolean {
  return policies.some((name) => {
    const { type, options } = settings.policies.get(name) ?? {};
    return type === "validate" && (options as ValidateOptions | undefined)?.response === "enforce";
  });
}

function warnOfSize({ definition, path }: ApiOperation, tools: readonly ArtifactTool[]): void {
  const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0);
  if (tools.length <= manyTools && tokens <= manyTokens) return;
  const largest = [...tools].sort((one, other) => other.tokens - one.tokens).slice(0, 3);
  const names = largest.map(({ tool, tokens: own }) => `${tool.name} (${own})`).join(", ");
  definition.warning(
    `${path} offers ${tools.length} tools of about ${tokens} tokens, which every conversation of an agent reads; models choose best of at most ${manyTools} tools and ${manyTokens} tokens. The largest are ${names}. "mode": "search" offers two tools instead.`,
  );
}
