import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Creates a folder with `build`, which gets the path of a temporary one beside it, unless the folder was built with this stamp.
 * Returns whether it built. Other processes may build or read the folder at the same time: whenever it exists, it is complete.
 */
export async function buildFolderIfOutdated(
  folder: string,
  stamp: string,
  build: (unfinished: string) => Promise<void>,
): Promise<boolean> {
  const isCurrent = async () => (await readFile(join(folder, "stamp"), "utf8").catch(() => "")) === stamp;
  if (await isCurrent()) return false;
  const unfinished = `${folder}.${randomUUID()}`;
  const outdated = `${unfinished}.outdated`;
  try {
    await build(unfinished);
    await writeFile(join(unfinished, "stamp"), stamp);
    // Another process may have built the same meanwhile, and others may read it by now.
    if (await isCurrent()) return false;
    // Fails if there is none yet. If it fails for another reason, so does the next line.
    await rename(folder, outdated).catch(() => {});
    await rename(unfinished, folder);
    return true;
  } catch (error) {
    // Another process renamed its own just before.
    if (await isCurrent()) return false;
    throw error;
  } finally {
    for (const path of [unfinished, outdated]) await rm(path, { recursive: true, force: true });
  }
}
