import { BuildError } from "../../../client/index.ts";
import { defineCommand } from "../../arguments/command.ts";
import { argument, flag } from "../../arguments/values.ts";
import { connectTo, remoteOptions } from "../../connection/remote.ts";
import { showBuildError } from "../../output/build-errors.ts";
import { DeployProgress } from "../../output/deploy-progress.ts";
import { exitCodes } from "../../process/exit-codes.ts";

export const command = defineCommand({
  summary: "Build the stored source again",
  arguments: { name: argument("the deployment") },
  options: { noWait: flag("do not wait until it is live"), ...remoteOptions },
  examples: [{ command: "tollgate deployments redeploy orders-main-3f9c2a1", text: "What was uploaded last." }],
  async run({ name, noWait, json, ...target }, context) {
    const { terminal } = context;
    const client = await connectTo(target, context);
    const { projectName } = await client.deployments.get(name);
    const enqueued = await client.deployments.redeploy(name);
    if (noWait) {
      if (json) terminal.printJson(enqueued);
      else terminal.note(`Enqueued as ${enqueued.statusId}.`);
      return exitCodes.fine;
    }
    const progress = new DeployProgress(terminal);
    try {
      const status = await client.deployments.waitFor(projectName, enqueued.statusId, { onStep: progress.onStep });
      const took = progress.end();
      if (json) terminal.printJson(status);
      else terminal.print(status.url);
      terminal.note(`${terminal.noteStyle("green", "Live")} after ${took}`);
      return exitCodes.fine;
    } catch (error) {
      progress.end();
      if (!(error instanceof BuildError)) throw error;
      await showBuildError(error, undefined, terminal, { json });
      return exitCodes.failed;
    }
  },
});
