import type { McpTarget } from "../../core/artifact/mcp-schema.ts";
import type { PathRouter } from "../../lib/http/path-router.ts";
import type { McpRoute, RunningRoute } from "../exchange/running-route.ts";

interface VersionRoutes {
  router: PathRouter<RunningRoute>;
  /** By `routeKey`. All routes are there when the first message arrives. */
  running: ReadonlyMap<string, RunningRoute>;
  credentialHeaders: readonly string[];
}

export const routeKey = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;

export function mcpRoute({ mcp }: McpTarget, { router, running, credentialHeaders }: VersionRoutes): McpRoute {
  return {
    options: mcp,
    tools: new Map(mcp.tools.map((tool) => [tool.tool.name, tool])),
    credentialHeaders,
    find: (path, method) => {
      const found = router.find(path);
      const route = typeof found === "object" ? found.targets[method] : undefined;
      return route && { running: route, params: (found as { params: Record<string, string> }).params };
    },
    routeOf: ({ binding }) => running.get(routeKey(binding))!,
  };
}
