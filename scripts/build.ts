/**
 * `npm run build`: builds `dist/tollgate` for this machine, with the server, the console and the CLI, and an archive of
 * it. Third-party programs cannot be embedded; they are in `dist/programs`: workerd runs deployed code, esbuild and
 * TypeScript build it, and fonts draw invoices as PDF. Without that folder only these fail. `bun scripts/build.ts FOLDER` builds
 * elsewhere.
 */
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { buildProgram } from "./build-program.ts";
import { ownPlatform } from "./platforms.ts";

const target = resolve(process.argv[2] ?? join(import.meta.dir, "../dist"));
const { program, programs, archive } = await buildProgram(ownPlatform, target);

console.log(`${program}  ${await megabytes(program)}: the server and the command line`);
console.log(
  `${programs}/  ${await megabytes(programs)}: workerd, esbuild and typescript for deployments with code, and fonts for invoices`,
);
console.log(
  `${archive}  ${await megabytes(archive)}: both, to unpack where Tollgate is to run; keep them side by side`,
);

async function megabytes(path: string): Promise<string> {
  return `${Math.round((await bytes(path)) / 1e6)} MB`;
}

async function bytes(path: string): Promise<number> {
  const found = await stat(path);
  if (!found.isDirectory()) return found.size;
  const sizes = await Promise.all((await readdir(path)).map((name) => bytes(join(path, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}
