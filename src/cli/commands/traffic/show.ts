import { argument } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { showTraffic } from "../../output/traffic.ts";

export const command = remoteCommand({
  summary: "Show which versions of a deployment serve, and how its canary does",
  arguments: { name: argument("the deployment") },
  options: {},
  examples: [
    { command: "tollgate traffic show orders-main-3f9c2a1", text: "Requests, errors and latency of both versions." },
  ],
  call: (client, { name }) => client.traffic.get(name),
  show: showTraffic,
});
