import { statfsSync } from "node:fs";

/**
 * A memory file system, if it has room. SQLite waits for the disk at each commit. For PostgreSQL, ext4 searches for an inode among
 * recently deleted ones: with hundreds of databases of 600 files, that took half a second for each.
 */
export function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    return bavail * bsize >= 4 * 2 ** 30 ? "/dev/shm" : undefined;
  } catch {
    // The folder does not exist on this system.
    return undefined;
  }
}
