import { argument, integer, option } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Roll back to an earlier version, without a build",
  arguments: { name: argument("the deployment") },
  options: { version: option("the number of the version; by default the previous one", integer) },
  examples: [
    { command: "tollgate deployments rollback orders-main-3f9c2a1", text: "To the previous version." },
    { command: "tollgate deployments rollback orders-main-3f9c2a1 --version 3", text: "To version 3." },
  ],
  call: (client, { name, version }) => client.deployments.rollBack(name, { version }),
  show({ url }, terminal, { version }) {
    terminal.note(`${version === undefined ? "The previous version" : `Version ${version}`} serves again:`);
    terminal.print(url);
  },
});
