import { z } from "zod";
import { read } from "../../../api/endpoint.ts";
import { anyText } from "../../../core/schemas/schemas.ts";
import { deploymentChanges } from "../version-changes/schema.ts";
import { versionChangesWith } from "../version-changes/version-changes.ts";
import { area, deploymentPath, inAccountOfCaller } from "./shared.ts";

export function versionChangeRoutes() {
  return [
    read({
      operationId: "compareDeployments",
      path: `${deploymentPath}/changes`,
      area,
      inAccountOfCaller,
      summary: "Compare a deployment with another one of the project",
      description:
        "The routes, the policies and the OpenAPI documents of the versions that serve. Values of options are not shown, because they may " +
        "be credentials.",
      access: "read",
      query: z.strictObject({
        with: anyText
          .optional()
          .meta({ description: "A deployment of the same project; by default that of the production branch." }),
      }),
      response: deploymentChanges,
      handle: async ({ reads, account, params, query }) => {
        const body = await versionChangesWith(reads, account.seq, params.deploymentName, query.with);
        return { body, revision: { id: params.deploymentName, version: body.version }, composed: true };
      },
    }),
  ];
}
