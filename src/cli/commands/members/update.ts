import { changesOf, clearOption } from "../../arguments/changes.ts";
import { argument, oneOf, option } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { projectRolesOption } from "../../options/project-role-option.ts";

export const command = remoteCommand({
  summary: "Change the role or the name of a member",
  arguments: { id: argument("the member's id") },
  options: {
    role: option("what they may do", oneOf("admin", "editor", "reader", "billing")),
    name: option("their name"),
    project: projectRolesOption(),
    ...clearOption("name", "projects"),
  },
  examples: [
    {
      command: "tollgate members update prsn_0QGzNqW81Kx8VhTb3mPcRdZu --role reader",
      text: "From their next request on.",
    },
    {
      command: "tollgate members update prsn_0QGzNqW81Kx8VhTb3mPcRdZu --clear projects",
      text: "The role is for the whole account.",
    },
  ],
  call: (client, { id, role, name, project: projects, clear }) =>
    client.members.update(id, changesOf({ role, name, projects }, clear)),
  show: showFields,
});
