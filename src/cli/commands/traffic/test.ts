import { argument, integer, requiredOption } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Create a header value that selects a version of the canary release, for an hour",
  arguments: { name: argument("the deployment") },
  options: { version: requiredOption("the number of the version", integer) },
  examples: [
    {
      command:
        'curl -H "$(tollgate traffic test orders-main-3f9c2a1 --version 4)" http://orders-main-3f9c2a1.localhost:8787/orders',
      text: "Requests of your own to the canary, whatever its share.",
    },
  ],
  call: (client, { name, version }) => client.traffic.test(name, version),
  show({ header, value, expiresOn }, terminal) {
    terminal.note(terminal.noteStyle("dim", `Valid until ${expiresOn}, while the canary release runs.`));
    terminal.print(`${header}: ${value}`);
  },
});
