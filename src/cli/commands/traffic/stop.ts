import { argument } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { showTraffic } from "../../output/traffic.ts";

export const command = remoteCommand({
  summary: "End the canary release: the live version serves all requests",
  arguments: { name: argument("the deployment") },
  options: {},
  examples: [{ command: "tollgate traffic stop orders-main-3f9c2a1", text: "The canary stays as a version." }],
  async call(client, { name }) {
    await client.traffic.stop(name);
    return client.traffic.get(name);
  },
  show: showTraffic,
});
