import { defineCommand } from "../arguments/command.ts";
import { named, requiredOption } from "../arguments/values.ts";
import { connectTo, remoteOptions } from "../connection/remote.ts";
import { followBuild, waitOptions } from "../output/build-progress.ts";

export const command = defineCommand({
  summary: "Build what is live in one deployment for another one of the project",
  details: `The source of the version that is live, with the variables of the target, and without an upload. The current version of the
target keeps serving until the new one is live.`,
  arguments: {},
  options: {
    from: requiredOption("the deployment whose live version is built", named("NAME")),
    to: requiredOption("the deployment that gets it", named("NAME")),
    ...waitOptions,
    ...remoteOptions,
  },
  examples: [
    {
      command: "tollgate promote --from orders-staging-1a2b3c4 --to orders-main-3f9c2a1",
      text: "What was tested in staging goes to production.",
    },
  ],
  async run({ from, to, noWait, json, ...target }, context) {
    const client = await connectTo(target, context);
    const { projectName } = await client.deployments.get(to);
    const enqueued = await client.deployments.promote(to, from);
    return followBuild(client, projectName, enqueued, context.terminal, { noWait, json });
  },
});
