import { readFile, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "./usage-error.ts";

/** A folder's name as the name of a project: what may stand in a host name. */
export function projectNameOf(folder: string): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40)
    .replace(/-+$/, "");
  if (name === "") throw new UsageError("The folder's name makes no name for a project.", "Name it: --project NAME");
  return name;
}

/** The branch that is checked out there, read from git's own files: git need not be installed. Else main. */
export async function branchOf(folder: string): Promise<string> {
  for (let place = resolve(folder); ; place = dirname(place)) {
    const head = await headIn(join(place, ".git"));
    if (head !== undefined) return /^ref: refs\/heads\/(.+)$/.exec(head.trim())?.[1] ?? "main";
    if (place === dirname(place)) return "main";
  }
}

async function headIn(git: string): Promise<string | undefined> {
  try {
    if ((await stat(git)).isDirectory()) return await readFile(join(git, "HEAD"), "utf8");
    // A worktree has a file that tells where its folder is.
    const folder = /^gitdir: (.+)$/m.exec(await readFile(git, "utf8"))?.[1];
    return folder === undefined ? undefined : await readFile(join(resolve(dirname(git), folder), "HEAD"), "utf8");
  } catch {
    return undefined;
  }
}

export async function checkProjectFolder(folder: string): Promise<void> {
  const files = ["openapi.json", "openapi.yaml", "openapi.yml"];
  const found = await Promise.all(files.map((file) => Bun.file(join(folder, file)).exists()));
  if (found.includes(true)) return;
  throw new UsageError(
    `There is no gateway project in ${resolve(folder)}: it has no openapi.json or openapi.yaml.`,
    "Make one: tollgate init",
  );
}
