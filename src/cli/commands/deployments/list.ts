import { named, option, optionalArgument } from "../../arguments/values.ts";
import { listCommand } from "../../connection/remote.ts";

export const command = listCommand({
  summary: "List deployments, one for each project and branch",
  arguments: { project: optionalArgument("only deployments of this project") },
  options: { branch: option("only deployments of this branch", named("NAME")) },
  examples: [
    { command: "tollgate deployments list", text: "The deployments of all projects." },
    { command: "tollgate deployments list orders", text: "Production and previews of one project." },
  ],
  things: "deployments",
  columns: ["name", "projectName", "branchName", "state", "message", "url", "environmentType", "updatedOn"],
  list: (client, { project, branch, limit, offset }) => client.deployments.listAll({ project, branch, limit, offset }),
});
