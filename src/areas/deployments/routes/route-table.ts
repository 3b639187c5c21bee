import { z } from "zod";
import { read } from "../../../api/endpoint.ts";
import { queryBoolean } from "../../../api/schemas.ts";
import { name, text } from "../../../core/schemas/schemas.ts";
import { routeTable } from "../versions/route-table.ts";
import { deployedRoutes } from "../versions/route-table-schema.ts";
import { area, deploymentPath, inAccountOfCaller } from "./shared.ts";

export function routeTableRoutes() {
  return [
    read({
      operationId: "listDeployedRoutes",
      path: `${deploymentPath}/routes`,
      area,
      inAccountOfCaller,
      summary: "List the routes of a version",
      access: "read",
      query: z.strictObject({
        version: z
          .string()
          .regex(/^[1-9]\d{0,8}$/, "must be the number of a version")
          .transform(Number)
          .optional()
          .meta({ description: "The number of a version; by default the one that serves." }),
        example: queryBoolean.optional().meta({ description: "Adds a request to a route that needs a key." }),
        tools: queryBoolean
          .optional()
          .meta({ description: "Adds to each route how large it is as a tool for agents, or why it cannot be one." }),
        permissions: text(2000)
          .optional()
          .meta({ description: "Those of the example's key, separated by commas; any by default." }),
        keyBucket: name.optional().meta({ description: "The bucket of the example's key; any by default." }),
      }),
      response: deployedRoutes,
      handle: async ({ reads, account, params, query }) => ({
        body: await routeTable(reads, account.seq, params.deploymentName, query),
      }),
    }),
  ];
}
