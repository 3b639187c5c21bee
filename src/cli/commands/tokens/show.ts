import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Show a token, without its value",
  arguments: { id: argument("the token's id") },
  options: {},
  examples: [
    { command: "tollgate tokens show tokn_0QGzNqW81Kx8VhTb3mPcRdZu", text: "Including its role and last use." },
  ],
  call: (client, { id }) => client.tokens.get(id),
  show: showFields,
});
