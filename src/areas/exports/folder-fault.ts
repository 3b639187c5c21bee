import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Why this server cannot write to a folder, or undefined. One that does not exist is created with the first hour, so the
 * folder in which that happens counts. Nothing is created here.
 */
export function folderFault(folder: string): string | undefined {
  for (let place = folder; ; place = dirname(place)) {
    try {
      if (!statSync(place).isDirectory()) return `${place} is not a folder`;
      accessSync(place, constants.W_OK | constants.X_OK);
      return undefined;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if ((code !== "ENOENT" && code !== "ENOTDIR") || place === "/") return `${place} is not writable (${code})`;
    }
  }
}
