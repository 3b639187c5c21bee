import type { Variable } from "../../../client/index.ts";
import { listCommand } from "../../connection/remote.ts";
import { projectOf, projectOption } from "../../projects/project-option.ts";

export const command = listCommand({
  summary: "List the variables of a project, secrets without their values",
  arguments: {},
  options: projectOption,
  examples: [
    { command: "tollgate variables list", text: "The variables of the project in this folder." },
    { command: "tollgate variables list --project orders", text: "The variables of another project." },
  ],
  things: "variables",
  columns: ["name", "isSecret", "environments", "value", "updatedOn"],
  row: ({ environments }: Variable) => ({ environments: environments.join(", ") }),
  list: (client, { limit, offset, ...values }) => client.variables(projectOf(values)).list({ limit, offset }),
});
