import { argument } from "../../arguments/values.ts";
import { deleteCommand } from "../../connection/remote.ts";

export const command = deleteCommand({
  summary: "Delete a deployment: its address returns 404 immediately",
  arguments: { name: argument("the deployment") },
  options: {},
  examples: [{ command: "tollgate deployments delete orders-preview-3f9c2a1", text: "Asks first." }],
  what: ({ name }) => `the deployment ${name}, which stops serving immediately`,
  delete: (client, { name }) => client.deployments.delete(name),
});
