import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Show a deployment",
  arguments: { name: argument("the deployment, such as orders-main-3f9c2a1") },
  options: {},
  examples: [{ command: "tollgate deployments show orders-main-3f9c2a1", text: "Its state and its address." }],
  call: (client, { name }) => client.deployments.get(name),
  show: showFields,
});
