import { argument } from "../../arguments/values.ts";
import { deleteCommand } from "../../connection/remote.ts";

export const command = deleteCommand({
  summary: "Stop trusting an issuer: the tokens that it issued stop working immediately",
  arguments: { id: argument("the trusted issuer's id") },
  options: {},
  examples: [{ command: "tollgate issuers delete trst_0QGzNqW81Kx8VhTb3mPcRdZu", text: "Asks first." }],
  what: ({ id }) => `the trusted issuer ${id}, whose tokens stop working immediately`,
  delete: (client, { id }) => client.trustedIssuers.delete(id),
});
