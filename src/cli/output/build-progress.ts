import { BuildError, type Redeployed, type Tollgate } from "../../client/index.ts";
import { flag } from "../arguments/values.ts";
import { exitCodes } from "../process/exit-codes.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { showBuildError } from "./build-errors.ts";
import { DeployProgress } from "./deploy-progress.ts";

export const waitOptions = { noWait: flag("do not wait until it is live") };

/** Shows the progress of a queued build until it is live. Returns the exit code. */
export async function followBuild(
  client: Tollgate,
  projectName: string,
  enqueued: Redeployed,
  terminal: Terminal,
  { noWait, json }: { noWait: boolean; json: boolean },
): Promise<number> {
  if (noWait) {
    if (json) terminal.printJson(enqueued);
    else terminal.note(`Queued as ${enqueued.statusId}.`);
    return exitCodes.success;
  }
  const progress = new DeployProgress(terminal);
  try {
    const status = await client.deployments.waitFor(projectName, enqueued.statusId, { onStep: progress.onStep });
    const took = progress.end();
    if (json) terminal.printJson(status);
    else terminal.print(status.url);
    terminal.note(`${terminal.noteStyle("green", "Live")} after ${took}`);
    return exitCodes.success;
  } catch (error) {
    progress.end();
    if (!(error instanceof BuildError)) throw error;
    await showBuildError(error, undefined, terminal, { json });
    return exitCodes.failed;
  }
}
