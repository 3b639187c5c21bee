import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const project = join(import.meta.dir, "..");

/** A hash of these files and of those in the folders, with their paths: what is built from them is up to date while it stays. */
export async function stampOf(
  files: string[],
  folders: string[],
  isUsed: (path: string) => boolean = () => true,
): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  const found = [...files];
  for (const folder of folders) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    found.push(...paths.filter(isUsed));
  }
  for (const file of found.sort()) hash.update(`${file.slice(project.length)}\0`).update(await readFile(file));
  return hash.digest("hex");
}
