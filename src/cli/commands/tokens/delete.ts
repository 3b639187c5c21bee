import { argument } from "../../arguments/values.ts";
import { deleteCommand } from "../../connection/remote.ts";

export const command = deleteCommand({
  summary: "Delete a token: it stops working immediately",
  arguments: { id: argument("the token's id") },
  options: {},
  examples: [
    {
      command: "tollgate tokens delete tokn_0QGzNqW81Kx8VhTb3mPcRdZu",
      text: "Requests with it are rejected from now on.",
    },
  ],
  what: ({ id }) => `the token ${id}, which stops working immediately`,
  delete: (client, { id }) => client.tokens.delete(id),
});
