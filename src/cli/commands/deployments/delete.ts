import { deleteCommand } from "../../support/remote.ts";
import { argument } from "../../support/values.ts";

export const command = deleteCommand({
  summary: "Delete a deployment: its address returns 404 at once",
  arguments: { name: argument("the deployment") },
  options: {},
  examples: [{ command: "tollgate deployments delete orders-preview-3f9c2a1", text: "Asks first." }],
  what: ({ name }) => `the deployment ${name}, which stops serving at once`,
  delete: (client, { name }) => client.deployments.delete(name),
});
