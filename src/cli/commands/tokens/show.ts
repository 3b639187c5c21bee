import { remoteCommand, showFields } from "../../support/remote.ts";
import { argument } from "../../support/values.ts";

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
