import { projectNameOf } from "../../project-name.ts";
import { remoteCommand } from "../../remote.ts";
import { showList } from "../../show.ts";
import { optionalArgument } from "../../values.ts";

export const command = remoteCommand({
  summary: "List the deployments of a project, one for each branch",
  arguments: { project: optionalArgument("the project; by default the name of this folder") },
  options: {},
  examples: [{ command: "tollgate deployments list orders", text: "Production and previews." }],
  call: async (client, { project = projectNameOf(".") }) => ({ data: await client.deployments.list(project) }),
  show({ data }, terminal, { project = projectNameOf(".") }) {
    showList(terminal, data, ["name", "branchName", "state", "message", "url", "environmentType", "updatedOn"]);
    if (data.length === 0) terminal.note(`There are no deployments of ${project}.`);
  },
});
