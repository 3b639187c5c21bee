import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Show a token, without its value",
  arguments: { id: argument("the token's id") },
  options: {},
  examples: [
    { command: "tollgate tokens show tokn_0QGzNqW81Kx8VhTb3mPcRdZu", text: "Its role, and when it was last used." },
  ],
  call: (client, { id }) => client.tokens.get(id),
  show: showFields,
});
