import { remoteCommand, showFields } from "../../support/remote.ts";
import { argument } from "../../support/values.ts";

export const command = remoteCommand({
  summary: "Show a deployment",
  arguments: { name: argument("the deployment, such as orders-main-3f9c2a1") },
  options: {},
  examples: [{ command: "tollgate deployments show orders-main-3f9c2a1", text: "Its state and its address." }],
  call: (client, { name }) => client.deployments.get(name),
  show: showFields,
});
