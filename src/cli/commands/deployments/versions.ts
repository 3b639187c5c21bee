import type { DeploymentVersion } from "../../../client/index.ts";
import { argument } from "../../arguments/values.ts";
import { listCommand } from "../../connection/remote.ts";

export const command = listCommand({
  summary: "List the versions of a deployment, the oldest first",
  arguments: { name: argument("the deployment") },
  options: {},
  examples: [
    {
      command: "tollgate deployments versions orders-main-3f9c2a1",
      text: "With the version that serves, authors and notes.",
    },
  ],
  things: "versions",
  columns: ["number", "isActive", "createdOn", "author", "note", "routes", "id", "statusId"],
  row: ({ author }: DeploymentVersion) => ({ author: author?.name ?? author?.type }),
  list: (client, { name, limit, offset }) => client.deployments.versions(name, { limit, offset }),
});
