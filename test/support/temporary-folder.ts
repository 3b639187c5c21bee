import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TemporaryFolder {
  path: string;
  remove(): Promise<void>;
  /** For a process that ends. */
  removeNow(): void;
}

export async function temporaryFolder(purpose: string, parent = tmpdir()): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(parent, `tollgate-${purpose}-`));
  const all = { recursive: true, force: true };
  return { path, remove: () => rm(path, all), removeNow: () => rmSync(path, all) };
}
