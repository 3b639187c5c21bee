import { writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { Environment } from "./server-settings.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { type CommandResult, runTollgate } from "./tollgate-process.ts";

export interface FullDisk {
  path: string;
  isMounted: boolean;
  /** Runs `tollgate serve` without free space there. */
  run(environment: Environment): Promise<CommandResult>;
  remove(): Promise<void>;
}

/** A file system without free bytes or inodes, if mounting is allowed; otherwise a file size limit for the server. */
export async function fullDisk(limit = "size=64k"): Promise<FullDisk> {
  const folder = await temporaryFolder("full");
  const mount = ["mount", "-t", "tmpfs", "-o", limit, "tmpfs", folder.path];
  const isMounted = userInfo().uid === 0 && Bun.spawnSync(mount).exitCode === 0;
  if (isMounted) fill(folder.path);
  return {
    path: folder.path,
    isMounted,
    run: (environment) => runTollgate(["serve"], environment, isMounted ? [] : ["prlimit", "--fsize=0:"]),
    async remove() {
      if (isMounted) Bun.spawnSync(["umount", "--lazy", folder.path]);
      await folder.remove();
    },
  };
}

function fill(path: string): void {
  try {
    writeFileSync(join(path, "ballast"), new Uint8Array(1024 * 1024));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}
