import { readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/** Branches are read from the files in .git, so that git need not be installed. */

/** The branch that is checked out in a folder, else main. */
export async function branchOf(folder: string): Promise<string> {
  const git = await gitFolderOf(folder);
  return (git && (await referenceIn(join(git.own, "HEAD"), "refs/heads/"))) ?? "main";
}

/**
 * The default branch of the repository that contains a folder: that of the remote, else main or master if one exists,
 * else the current branch. Undefined outside of a repository.
 */
export async function defaultBranchOf(folder: string): Promise<string | undefined> {
  const git = await gitFolderOf(folder);
  if (!git) return undefined;
  const remote = await referenceIn(join(git.shared, "refs/remotes/origin/HEAD"), "refs/remotes/origin/");
  if (remote !== undefined) return remote;
  for (const name of ["main", "master"]) if (await hasBranch(git.shared, name)) return name;
  return branchOf(folder);
}

/** A worktree has its own folder for HEAD, and shares the branches with its repository. */
interface GitFolder {
  own: string;
  shared: string;
}

async function gitFolderOf(folder: string): Promise<GitFolder | undefined> {
  for (let place = resolve(folder); ; place = dirname(place)) {
    const found = await gitFolderAt(join(place, ".git"));
    if (found) return found;
    if (place === dirname(place)) return undefined;
  }
}

async function gitFolderAt(git: string): Promise<GitFolder | undefined> {
  try {
    if ((await stat(git)).isDirectory()) return { own: git, shared: git };
    const folder = /^gitdir: (.+)$/m.exec(await readFile(git, "utf8"))?.[1];
    if (folder === undefined) return undefined;
    const own = resolve(dirname(git), folder);
    const shared = await readIfThere(join(own, "commondir"));
    return { own, shared: shared === "" ? own : resolve(own, shared.trim()) };
  } catch {
    return undefined;
  }
}

async function referenceIn(file: string, prefix: string): Promise<string | undefined> {
  const target = /^ref: (.+)$/m.exec(await readIfThere(file))?.[1]?.trim();
  return target?.startsWith(prefix) ? target.slice(prefix.length) : undefined;
}

async function hasBranch(git: string, name: string): Promise<boolean> {
  if ((await readIfThere(join(git, "refs/heads", name))) !== "") return true;
  return (await readIfThere(join(git, "packed-refs"))).split("\n").some((line) => line.endsWith(` refs/heads/${name}`));
}

async function readIfThere(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}
