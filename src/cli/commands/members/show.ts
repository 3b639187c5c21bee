import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Show a member",
  arguments: { id: argument("the member's id") },
  options: {},
  examples: [{ command: "tollgate members show prsn_0QGzNqW81Kx8VhTb3mPcRdZu", text: "Role, projects, last sign-in." }],
  call: (client, { id }) => client.members.get(id),
  show: showFields,
});
