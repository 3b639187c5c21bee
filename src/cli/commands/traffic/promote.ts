import { argument } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Make the canary the live version",
  arguments: { name: argument("the deployment") },
  options: {},
  examples: [{ command: "tollgate traffic promote orders-main-3f9c2a1", text: "It serves all requests." }],
  call: (client, { name }) => client.traffic.promote(name),
  show({ liveVersionNumber }, terminal) {
    terminal.note(`Version ${liveVersionNumber} is live and serves all requests.`);
  },
});
