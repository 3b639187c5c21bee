import { versionChangeRoutes } from "./changes.ts";
import { deploymentManagementRoutes } from "./deployments.ts";
import { routeTableRoutes } from "./route-table.ts";
import type { DeploymentServices } from "./shared.ts";
import { sourceRoutes } from "./sources.ts";
import { trafficRoutes } from "./traffic.ts";
import { tryRequestRoutes } from "./try-requests.ts";
import { upstreamRoutes } from "./upstreams.ts";
import { versionRoutes } from "./versions.ts";

export const deploymentAreas = {
  Deployments: "Gateway projects: uploaded as an archive, built, and served at their own host names.",
};

export function deploymentRoutes(services: DeploymentServices) {
  return [
    ...sourceRoutes(services),
    ...deploymentManagementRoutes(services),
    ...versionRoutes(services),
    ...routeTableRoutes(),
    ...versionChangeRoutes(),
    ...upstreamRoutes(services),
    ...trafficRoutes(services),
    ...tryRequestRoutes(services),
  ];
}
