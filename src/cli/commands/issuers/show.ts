import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Show a trusted issuer",
  arguments: { id: argument("the trusted issuer's id") },
  options: {},
  examples: [{ command: "tollgate issuers show trst_0QGzNqW81Kx8VhTb3mPcRdZu", text: "With its audience and claims." }],
  call: (client, { id }) => client.trustedIssuers.get(id),
  show: showFields,
});
