/**
 * `npm run build`: one program for this machine, `dist/tollgate`, with the server, its pages and the command line inside.
 * Programs of others cannot be inside; they stand in `dist/programs`: workerd runs deployed code, esbuild and TypeScript
 * build it. Without that folder all works but deployments with code. `bun scripts/build.ts FOLDER` builds elsewhere.
 */
import { constants, copyFile, cp, mkdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { findWorkerd } from "../src/sandbox/workerd-binary.ts";

const project = join(import.meta.dir, "..");
const target = resolve(process.argv[2] ?? join(project, "dist"));
const programs = join(target, "programs");
const platform = `${process.platform}-${process.arch}`;

await mkdir(programs, { recursive: true });
const { success, logs } = await Bun.build({
  entrypoints: [join(project, "src/main.ts")],
  compile: { outfile: join(target, "tollgate") },
  minify: true,
  // Half a tenth of a second less to start, for 7 MB.
  bytecode: true,
  format: "esm",
});
if (!success) {
  for (const log of logs) console.error(log);
  process.exit(1);
}
await copy(findWorkerd(), "workerd");
await copy(join(packageFolder("esbuild", `@esbuild/${platform}`), "bin/esbuild"), "esbuild");
await copy(join(project, "src/builder/authoring.ts"), "authoring.ts");
await cp(join(packageFolder("typescript", `@typescript/typescript-${platform}`), "lib"), join(programs, "typescript"), {
  recursive: true,
});

console.log(`${join(target, "tollgate")}  ${await megabytes(join(target, "tollgate"))}, the whole of Tollgate`);
console.log(`${programs}/  workerd, esbuild and typescript: keep this folder beside it for deployments with code`);

/** The package that holds a program for this platform, wherever npm put it: its parent depends on it. */
function packageFolder(parent: string, name: string): string {
  const parentFolder = dirname(Bun.resolveSync(`${parent}/package.json`, project));
  return dirname(Bun.resolveSync(`${name}/package.json`, parentFolder));
}

function copy(source: string, name: string): Promise<void> {
  return copyFile(source, join(programs, name), constants.COPYFILE_FICLONE);
}

async function megabytes(path: string): Promise<string> {
  return `${Math.round((await stat(path)).size / 1e6)} MB`;
}
