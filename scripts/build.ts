/**
 * `npm run build`: `dist/tollgate` for this machine, with the server, its pages and the command line inside, and one archive of
 * all that it takes. Programs of others cannot be inside; they stand in `dist/programs`: workerd runs deployed code, esbuild
 * and TypeScript build it. Without that folder all works but deployments with code. `bun scripts/build.ts FOLDER` builds elsewhere.
 */
import { createWriteStream } from "node:fs";
import { constants, copyFile, cp, mkdir, readdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import packageJson from "../package.json" with { type: "json" };
import { findWorkerd } from "../src/gateway/sandbox/workerd-binary.ts";
import { buildWebIfOutdated, packPath } from "./web-build.ts";

const project = join(import.meta.dir, "..");
const target = resolve(process.argv[2] ?? join(project, "dist"));
const programs = join(target, "programs");
const platform = `${process.platform}-${process.arch}`;

await mkdir(programs, { recursive: true });
await buildWebIfOutdated();
const { success, logs } = await Bun.build({
  // The console goes in as it is; the server finds it among the embedded files.
  entrypoints: [join(project, "src/main.ts"), packPath],
  loader: { ".pack": "file" },
  naming: { asset: "[name].[ext]" },
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

const archive = join(target, `tollgate-${packageJson.version}-${platform}.tar.gz`);
await pack(archive);

const program = join(target, "tollgate");
console.log(`${program}  ${await megabytes(program)}: the server and the command line`);
console.log(`${programs}/  ${await megabytes(programs)}: workerd, esbuild and typescript, for deployments with code`);
console.log(
  `${archive}  ${await megabytes(archive)}: both, to unpack where Tollgate is to run; keep them side by side`,
);

/** Quickly rather than small: programs hardly get smaller by taking longer. */
async function pack(file: string): Promise<void> {
  const tar = Bun.spawn(["tar", "-cf", "-", "-C", target, "tollgate", "programs"], {
    stdout: "pipe",
    stderr: "inherit",
  });
  await pipeline(Readable.fromWeb(tar.stdout as never), createGzip({ level: 3 }), createWriteStream(file));
  if ((await tar.exited) !== 0) throw new Error(`tar ended with ${tar.exitCode}`);
}

/** The package that holds a program for this platform, wherever npm put it: its parent depends on it. */
function packageFolder(parent: string, name: string): string {
  const parentFolder = dirname(Bun.resolveSync(`${parent}/package.json`, project));
  return dirname(Bun.resolveSync(`${name}/package.json`, parentFolder));
}

function copy(source: string, name: string): Promise<void> {
  return copyFile(source, join(programs, name), constants.COPYFILE_FICLONE);
}

async function megabytes(path: string): Promise<string> {
  return `${Math.round((await bytes(path)) / 1e6)} MB`;
}

async function bytes(path: string): Promise<number> {
  const found = await stat(path);
  if (!found.isDirectory()) return found.size;
  const sizes = await Promise.all((await readdir(path)).map((name) => bytes(join(path, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}
