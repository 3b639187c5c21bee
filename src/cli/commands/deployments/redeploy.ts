import { defineCommand } from "../../arguments/command.ts";
import { argument } from "../../arguments/values.ts";
import { connectTo, remoteOptions } from "../../connection/remote.ts";
import { followBuild, waitOptions } from "../../output/build-progress.ts";

export const command = defineCommand({
  summary: "Build the stored source again",
  arguments: { name: argument("the deployment") },
  options: { ...waitOptions, ...remoteOptions },
  examples: [{ command: "tollgate deployments redeploy orders-main-3f9c2a1", text: "Builds the last upload." }],
  async run({ name, noWait, json, ...target }, context) {
    const client = await connectTo(target, context);
    const { projectName } = await client.deployments.get(name);
    const enqueued = await client.deployments.redeploy(name);
    return followBuild(client, projectName, enqueued, context.terminal, { noWait, json });
  },
});
