import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "./find-program.ts";

/** Where scripts/newer-pgbouncer.ts unpacks packages of a later Debian. */
export const newerPgBouncerFolder = join(import.meta.dir, "../../node_modules/.cache/pgbouncer");

export interface PgBouncer {
  /** The program and its first arguments. */
  command: string[];
  version: string;
  /** Since 1.21, it tracks prepared statements in transaction mode. */
  hasPreparedStatements: boolean;
}

/** The unpacked later release if there is one, otherwise the installed program. Throws if there is none. */
export function findPgBouncer(): PgBouncer {
  const command = newerCommand() ?? [findProgram("pgbouncer")];
  const output = Bun.spawnSync([...command, "--version"]).stdout.toString();
  const version = /^PgBouncer (\d+\.\d+\.\d+)/m.exec(output)?.[1];
  if (!version) throw new Error(`${command.join(" ")} --version printed ${JSON.stringify(output)}.`);
  return { command, version, hasPreparedStatements: Bun.semver.order(version, "1.21.0") >= 0 };
}

/** Run by its own loader and C library, which are later than those of the system. */
function newerCommand(): string[] | undefined {
  const libraries = join(newerPgBouncerFolder, "usr/lib");
  if (!existsSync(libraries)) return undefined;
  const names = readdirSync(libraries);
  const loader = [libraries, join(newerPgBouncerFolder, "usr/lib64")]
    .flatMap((folder) => (existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []))
    .find((path) => /\/ld-linux[^/]*\.so\.\d$/.test(path));
  const triplet = names.find((name) => name.endsWith("-linux-gnu"));
  if (!loader || !triplet) return undefined;
  return [loader, "--library-path", join(libraries, triplet), join(newerPgBouncerFolder, "usr/sbin/pgbouncer")];
}
