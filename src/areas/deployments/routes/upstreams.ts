import { read } from "../../../api/endpoint.ts";
import { upstreamsOf } from "../versions/upstreams.ts";
import { deployedUpstreams } from "../versions/upstreams-schema.ts";
import { area, type DeploymentServices, deploymentPath, inAccountOfCaller } from "./shared.ts";

export function upstreamRoutes({ upstreams }: DeploymentServices) {
  return [
    read({
      operationId: "listDeployedUpstreams",
      path: `${deploymentPath}/upstreams`,
      area,
      inAccountOfCaller,
      summary: "List the upstreams of a deployment, with the health of their targets",
      access: "read",
      response: deployedUpstreams,
      handle: async ({ reads, account, params }) => ({
        body: await upstreamsOf(reads, account.seq, params.deploymentName, upstreams),
      }),
    }),
  ];
}
