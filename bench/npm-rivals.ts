import { statSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "./child-process.ts";
import { progress } from "./progress.ts";

export const npmRivalsFolder = "bench/rivals/npm";

/** Installs the rivals from npm; the project itself does not depend on them. Returns the reason if that fails. */
export async function installNpmRivals(): Promise<{ problem: string } | undefined> {
  if (isInstalled()) return undefined;
  const npm = Bun.which("npm");
  if (npm === null) return { problem: "there is no npm to install the rival with" };
  progress("installing the rivals that come from npm");
  const folder = join(projectRoot, npmRivalsFolder);
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1"];
  // The prefix is explicit: inside `npm run` the environment names the folder of the project.
  const install = Bun.spawn([npm, "ci", "--prefix", folder, ...flags], {
    cwd: folder,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
  });
  return (await install.exited) === 0 ? undefined : { problem: "npm could not install the rival" };
}

/** The hidden lock file is what npm writes last. */
function isInstalled(): boolean {
  return changedOn("node_modules/.package-lock.json") >= changedOn("package-lock.json");
}

function changedOn(file: string): number {
  return statSync(join(projectRoot, npmRivalsFolder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
