import { join } from "node:path";
import { installNpmFolder } from "../scripts/npm-folder.ts";
import { projectRoot } from "./child-process.ts";
import { progress } from "./progress.ts";

export const npmRivalsFolder = "bench/rivals/npm";

/** Installs the rivals from npm; the project itself does not depend on them. Returns the reason if that fails. */
export async function installNpmRivals(): Promise<{ problem: string } | undefined> {
  progress("installing the rivals that come from npm");
  try {
    await installNpmFolder(join(projectRoot, npmRivalsFolder));
    return undefined;
  } catch (error) {
    return { problem: (error as Error).message };
  }
}
