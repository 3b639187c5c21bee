import { argument, oneOf, option, requiredOption } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { projectRolesOption } from "../../options/project-role-option.ts";
import { showInvited } from "../../output/invited.ts";

export const command = remoteCommand({
  summary: "Invite a person to the account",
  details:
    "Roles: admin (everything), editor (everything except tokens and members), reader (read only, keys masked), billing (like " +
    "reader, and may change plans, subscriptions, customers, credits, invoices and the billing profile). The invitation is valid once, for 7 days.",
  arguments: { email: argument("their address") },
  options: {
    role: requiredOption("what they may do", oneOf("admin", "editor", "reader", "billing")),
    name: option("their name"),
    project: projectRolesOption(),
  },
  examples: [
    { command: "tollgate members invite ada@acme.example --role editor", text: "They may change all but access." },
    {
      command: "tollgate members invite bob@acme.example --role editor --project orders=editor",
      text: "Only the gateways of one project.",
    },
  ],
  call: (client, { email, role, name, project: projects }) => client.members.invite({ email, role, name, projects }),
  show: showInvited,
});
