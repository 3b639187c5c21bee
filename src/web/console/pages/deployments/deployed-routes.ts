import { useQuery } from "@tanstack/react-query";
import type { DeployedRoutes } from "../../../../client/index.ts";
import { useSession } from "../../queries/session.tsx";

export type DeployedRoute = DeployedRoutes["data"][number];

export const targetOf = ({ target }: DeployedRoute): string =>
  "upstream" in target ? target.upstream : target.handler;

export function useRoutes(name: string, version?: number) {
  const { api } = useSession();
  return useQuery({
    queryKey: ["deployment", name, "routes", version],
    queryFn: ({ signal }) => api.deployments.routes(name, { ...(version ? { version } : {}), signal }),
  });
}
