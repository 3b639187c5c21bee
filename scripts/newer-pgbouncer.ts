import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { findPgBouncer, newerPgBouncerFolder } from "../test/support/find-pgbouncer.ts";

/** PgBouncer and the libraries that it loads. */
const packages = [
  ...["pgbouncer", "libc6", "libevent-2.1-7t64", "libssl3t64", "libcares2", "libpam0g", "libsystemd0", "libaudit1"],
  ...["libcap-ng0", "libcap2", "libzstd1", "zlib1g", "libgcc-s1"],
];

/**
 * Unpacks PgBouncer of Debian 13 beside the installed one if that is too old to track prepared statements, as on Debian
 * 12. Nothing is installed. If the packages are not available, the tests use the installed one.
 */
export async function ensureNewerPgBouncer(): Promise<void> {
  if (findPgBouncer().hasPreparedStatements || userInfo().uid !== 0 || !Bun.which("apt-get")) return;
  const folder = `${newerPgBouncerFolder}.${process.pid}`;
  try {
    await download(folder);
    await rename(join(folder, "root"), newerPgBouncerFolder);
  } catch (error) {
    console.error(`PgBouncer of Debian 13 is not available: ${(error as Error).message}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function download(folder: string): Promise<void> {
  for (const name of ["lists/partial", "cache/archives/partial", "root"])
    await mkdir(join(folder, name), { recursive: true });
  const source =
    "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main\n";
  await Bun.write(join(folder, "sources.list"), source);
  const settings = {
    "Dir::Etc::sourcelist": join(folder, "sources.list"),
    "Dir::Etc::sourceparts": "-",
    "Dir::State::lists": join(folder, "lists"),
    "Dir::Cache": join(folder, "cache"),
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  await run(folder, ["apt-get", ...options, "update"]);
  await run(folder, ["apt-get", ...options, "download", ...packages]);
  for (const name of await readdir(folder))
    if (name.endsWith(".deb")) await run(folder, ["dpkg-deb", "-x", name, "root"]);
}

async function run(folder: string, command: string[]): Promise<void> {
  const child = Bun.spawn(command, { cwd: folder, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  const [exitCode, errors] = await Promise.all([child.exited, child.stderr.text()]);
  if (exitCode !== 0) throw new Error(`${command[0]} ended with ${exitCode}: ${errors.trim().slice(-500)}`);
}
