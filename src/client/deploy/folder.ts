// Imported only when a folder is deployed: browsers have no node:fs.
import { readdir, readFile } from "node:fs/promises";
import { type ArchiveFile, gzip, tar } from "./tar.ts";

/**
 * Packs a gateway project. Names that begin with a dot and `node_modules` are omitted, so that no `.env` or `.git`
 * leaves the machine. `more` are files in addition to those of the folder.
 */
export async function packFolder(folder: string, more: ArchiveFile[] = []): Promise<Blob> {
  const own = await filesIn(folder, "");
  const files = [...own.filter(({ path }) => !more.some((file) => file.path === path)), ...more];
  if (files.length === 0) throw new Error(`There is nothing to deploy in ${folder}`);
  return gzip(tar(files));
}

async function filesIn(folder: string, path: string): Promise<ArchiveFile[]> {
  const entries = await readdir(`${folder}/${path}`, { withFileTypes: true });
  const files: ArchiveFile[] = [];
  // Sorted by code unit, not in disk or locale order: the same project must give the same archive everywhere.
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    const entryPath = `${path}${entry.name}`;
    if (entry.isDirectory()) files.push(...(await filesIn(folder, `${entryPath}/`)));
    else if (entry.isFile()) files.push({ path: entryPath, data: await contentOf(`${folder}/${entryPath}`) });
    else throw new Error(`${entryPath} is neither a file nor a folder; a deployment cannot hold links`);
  }
  return files;
}

async function contentOf(path: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await readFile(path));
}
