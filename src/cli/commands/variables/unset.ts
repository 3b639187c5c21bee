import { argument } from "../../arguments/values.ts";
import { deleteCommand } from "../../connection/remote.ts";
import { projectOf, projectOption } from "../../projects/project-option.ts";

export const command = deleteCommand({
  summary: "Delete a variable of a project",
  arguments: { name: argument("the variable") },
  options: projectOption,
  examples: [
    {
      command: "tollgate variables unset UPSTREAM_TOKEN",
      text: "Routes that use a deleted secret respond with 503.",
    },
  ],
  what: ({ name, ...values }) => `the variable ${name} of ${projectOf(values)}, which routes may need`,
  delete: (client, { name, ...values }) => client.variables(projectOf(values)).delete(name),
});
