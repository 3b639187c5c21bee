import { statSync } from "node:fs";
import { join } from "node:path";

/** Installs the packages of a folder from its lock file, unless they are installed. Throws if that fails. */
export async function installNpmFolder(folder: string): Promise<void> {
  const changedOn = (file: string) => statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // The hidden lock file is what npm writes last.
  if (changedOn("node_modules/.package-lock.json") >= changedOn("package-lock.json")) return;
  const npm = Bun.which("npm");
  if (npm === null) throw new Error(`There is no npm to install the packages of ${folder}.`);
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1"];
  // The prefix is explicit: inside `npm run` the environment names the folder of the project.
  const install = Bun.spawn([npm, "ci", "--prefix", folder, ...flags], {
    cwd: folder,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
  });
  if ((await install.exited) !== 0) throw new Error(`npm could not install the packages of ${folder}.`);
}
