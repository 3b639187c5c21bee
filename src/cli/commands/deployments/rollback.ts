import { argument, integer, option } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Roll back to an earlier version, without a build",
  arguments: { name: argument("the deployment") },
  options: { version: option("its number; by default the one before the present one", integer) },
  examples: [
    { command: "tollgate deployments rollback orders-main-3f9c2a1", text: "To the one before." },
    { command: "tollgate deployments rollback orders-main-3f9c2a1 --version 3", text: "To that one." },
  ],
  call: (client, { name, version }) => client.deployments.rollBack(name, { version }),
  show({ url }, terminal, { version }) {
    terminal.note(`${version === undefined ? "The version before" : `Version ${version}`} serves again:`);
    terminal.print(url);
  },
});
