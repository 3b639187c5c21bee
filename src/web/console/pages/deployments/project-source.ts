import { type ArchiveFile, gzip, tar } from "../../../../client/deploy/tar.ts";
import { TarReader } from "../../../../lib/text/tar-reader.ts";

/** The source of a deployment: a dropped archive, or a folder that is packed here. */
export interface ProjectSource {
  name: string;
  archive: Blob;
  isFolder: boolean;
  /** The npm packages that are not uploaded, because node_modules is omitted. */
  packages: string[];
}

/** The server's limit. */
const maxFiles = 5000;

/**
 * Packs a folder like the CLI: without `node_modules` and names that begin with a dot, so that no `.env` is uploaded.
 */
const staysBehind = (name: string): boolean => name.startsWith(".") || name === "node_modules";

export const archiveSource = (file: File): ProjectSource => ({
  name: file.name,
  archive: file,
  isFolder: false,
  packages: [],
});

/** The folder or archive of a drop event; undefined for other drops. Entries are only available during the event. */
export function droppedSource({ items, files }: DataTransfer): Promise<ProjectSource> | undefined {
  const entry = [...items].find(({ kind }) => kind === "file")?.webkitGetAsEntry?.();
  if (entry?.isDirectory) return readFolder(entry as FileSystemDirectoryEntry);
  return files[0] && Promise.resolve(archiveSource(files[0]));
}

/** The folder of a directory input, whose files have names like `folder/file`. */
export async function chosenFolder(chosen: FileList): Promise<ProjectSource> {
  const files = [...chosen].map((file) => ({ path: file.webkitRelativePath.split("/").slice(1), file }));
  const kept = files
    .filter(({ path }) => !path.some(staysBehind))
    .map(({ path, file }) => ({ path: path.join("/"), file }));
  return packed(chosen[0]?.webkitRelativePath.split("/")[0] ?? "folder", kept);
}

interface FolderFile {
  path: string;
  file: File;
}

async function readFolder(folder: FileSystemDirectoryEntry): Promise<ProjectSource> {
  return packed(folder.name, await filesBelow(folder, ""));
}

async function filesBelow(folder: FileSystemDirectoryEntry, prefix: string): Promise<FolderFile[]> {
  const found: FolderFile[] = [];
  for (const entry of await entriesOf(folder)) {
    if (staysBehind(entry.name)) continue;
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory) found.push(...(await filesBelow(entry as FileSystemDirectoryEntry, `${path}/`)));
    else found.push({ path, file: await fileOf(entry as FileSystemFileEntry) });
    if (found.length > maxFiles) throw tooMany();
  }
  return found;
}

/** A reader returns entries in batches; an empty batch is the end. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));

async function packed(name: string, files: FolderFile[]): Promise<ProjectSource> {
  if (files.length === 0) throw new Error(`There is nothing to deploy in ${name}.`);
  if (files.length > maxFiles) throw tooMany();
  const sorted = files.sort((one, other) => (one.path < other.path ? -1 : 1));
  const contents = await Promise.all(
    sorted.map(
      async ({ path, file }): Promise<ArchiveFile> => ({ path, data: new Uint8Array(await file.arrayBuffer()) }),
    ),
  );
  return { name, archive: await gzip(tar(contents)), isFolder: true, packages: packagesOf(contents) };
}

/** Packs files that were made here. */
export function packTexts(files: Record<string, string>): Promise<Blob> {
  const encoder = new TextEncoder();
  return gzip(tar(Object.entries(files).map(([path, text]) => ({ path, data: encoder.encode(text) }))));
}

/** The files of a gzip tar. */
export async function filesIn(archive: Blob): Promise<ArchiveFile[]> {
  const stream = archive.stream().pipeThrough(new DecompressionStream("gzip"));
  const files: ArchiveFile[] = [];
  const reader = new TarReader(({ path, kind, size }) => {
    if (kind === "folder") return undefined;
    const data = new Uint8Array(size);
    files.push({ path: path.replace(/^\.\//, ""), data });
    let filled = 0;
    return (piece) => {
      data.set(piece, filled);
      filled += piece.length;
    };
  });
  reader.write(new Uint8Array(await new Response(stream).arrayBuffer()));
  return files;
}

/** The members of `tollgate.json` that are changed in the console. */
export interface ProjectSettings {
  policies?: Record<string, PolicySettings>;
  defaultPolicies?: string[];
}

export interface PolicySettings {
  type: string;
  options?: Record<string, unknown>;
  mode?: string;
}

/** A project without modules. */
export interface SimpleProject {
  settings: ProjectSettings;
  /** `tollgate.json` as it was uploaded. */
  text: string;
  /** The project with other settings. */
  pack(settings: ProjectSettings): Promise<Blob>;
}

/** Larger projects are unlikely to be simple. */
const maxSimpleBytes = 2 * 1024 * 1024;

/** Reads a project that can be changed in the console; null for others. */
export async function readSimpleProject(archive: Blob): Promise<SimpleProject | null> {
  if (archive.size > maxSimpleBytes) return null;
  const files = await filesIn(archive);
  const document = files.find(({ path }) => /^([^/]+\/)?openapi\.(json|ya?ml)$/.test(path));
  const root = document?.path.replace(/[^/]+$/, "") ?? "";
  if (files.some(({ path }) => /^(modules|packages)\//.test(path.slice(root.length)))) return null;
  const path = `${root}tollgate.json`;
  const found = files.find((file) => file.path === path);
  const text = found ? new TextDecoder().decode(found.data) : "";
  return {
    settings: found ? JSON.parse(text) : {},
    text,
    pack: (settings) => {
      const changed = { path, data: new TextEncoder().encode(textOf(settings)) };
      return gzip(tar(found ? files.map((file) => (file === found ? changed : file)) : [...files, changed]));
    },
  };
}

export const textOf = (settings: ProjectSettings): string => `${JSON.stringify(settings, null, 2)}\n`;

const tooMany = () => new Error(`The folder has more than ${maxFiles} files. Choose the one with openapi.json in it.`);

function packagesOf(files: ArchiveFile[]): string[] {
  const found = files.find(({ path }) => path === "package.json");
  try {
    return Object.keys(found ? JSON.parse(new TextDecoder().decode(found.data)).dependencies : {});
  } catch {
    return [];
  }
}
