import type { DeployedRoutes } from "../../../../client/index.ts";
import { useRead } from "../../queries/session.tsx";

export type DeployedRoute = DeployedRoutes["data"][number];

/** Where requests of a route go: URLs, a module, or the policy that responds. */
export const targetsOf = ({ target }: Pick<DeployedRoute, "target">): string[] => {
  if ("policy" in target) return [`policy ${target.policy}`];
  return "upstream" in target ? (target.targets ?? [target.upstream]) : [target.handler];
};

/** What a route with the handler `mcp` offers. Undefined for other routes. */
export const toolsOf = ({ target }: Pick<DeployedRoute, "target">) => ("handler" in target ? target.mcp : undefined);

export function useRoutes(name: string, version?: number) {
  return useRead(["deployment", name, "routes", version], (api, { signal }) =>
    api.deployments.routes(name, { version, signal }),
  );
}
