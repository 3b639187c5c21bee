import { useQuery } from "@tanstack/react-query";
import type { DeployedRoutes } from "../../../../client/index.ts";
import { useSession } from "../../queries/session.tsx";

export type DeployedRoute = DeployedRoutes["data"][number];

export const targetOf = ({ target }: Pick<DeployedRoute, "target">): string => {
  if ("policy" in target) return `policy ${target.policy}`;
  return "upstream" in target ? (target.targets ?? [target.upstream]).join(", ") : target.handler;
};

export function useRoutes(name: string, version?: number) {
  const { api } = useSession();
  return useQuery({
    queryKey: ["deployment", name, "routes", version],
    queryFn: ({ signal }) => api.deployments.routes(name, { ...(version ? { version } : {}), signal }),
  });
}
