import { BuildError } from "../../../client/index.ts";
import { showBuildError } from "../../support/build-errors.ts";
import { defineCommand } from "../../support/command.ts";
import { DeployProgress } from "../../support/deploy-progress.ts";
import { exitCodes } from "../../support/exit-codes.ts";
import { connectTo, remoteOptions } from "../../support/remote.ts";
import { argument, flag } from "../../support/values.ts";

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
      await showBuildError(error, undefined, terminal);
      return exitCodes.failed;
    }
  },
});
