import { existsSync } from "node:fs";
import { join } from "node:path";
import { frameworksFolder } from "./frameworks.ts";

const packages = join(frameworksFolder, "node_modules/@deno");

/** Not the script of the package `deno`, which starts this program and leaves it running when it is killed. */
function findDeno(): string {
  const platform = `${process.platform}-${process.arch}`;
  const found = [platform, `${platform}-glibc`].map((name) => join(packages, name, "deno")).find(existsSync);
  if (found === undefined)
    throw new Error(`There is no Deno for ${platform} in ${packages}: run npm ci in test/frameworks.`);
  return found;
}

/** The command that runs a file in Deno, with the packages in `node_modules` beside it and nothing from elsewhere. */
export function denoCommand(file: string): string[] {
  const allowed = ["--allow-net=127.0.0.1", "--allow-read", "--allow-env"];
  return [findDeno(), "run", "--quiet", "--no-lock", "--no-remote", "--node-modules-dir=manual", ...allowed, file];
}
