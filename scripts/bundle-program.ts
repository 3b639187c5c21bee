import { mkdir, realpath, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { BunPlugin } from "bun";
import { buildFolderIfOutdated } from "./build-folder.ts";
import { stampOf } from "./stamp.ts";
import { thirdPartyNotices } from "./third-party.ts";

const project = join(import.meta.dir, "..");
const ownBundle = join(project, "dist/program");
export const bundledMain = join(ownBundle, "src/main.ts");

/** Packages that find their own files and programs by their place in node_modules. */
const notBundled = ["esbuild", "harfbuzzjs", "typescript", "workerd"];

/**
 * Bundles the server, the CLI and the builder: loading hundreds of modules is half of the CPU time of a start. The folder gets the entry
 * points `src/main.ts` and `src/builder/main.ts`. Other files are those of the project.
 */
export async function bundleProgram(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const { success, logs, outputs } = await Bun.build({
    entrypoints: [join(project, "src/main.ts"), join(project, "src/builder/main.ts")],
    root: project,
    outdir: folder,
    naming: { entry: "[dir]/[name].ts", chunk: "src/[name]-[hash].[ext]" },
    target: "bun",
    format: "esm",
    splitting: true,
    minify: { whitespace: true, syntax: true },
    external: notBundled,
    plugins: [foldersFrom(join(await realpath(folder), "src"))],
  });
  if (!success) throw new AggregateError(logs, `Bun could not bundle the program: ${logs.join("\n")}`);
  const builder = outputs.find(({ path }) => path.endsWith("/builder/main.ts"));
  if ((await builder!.text()).includes("import.meta.dir"))
    throw new Error(
      "The builder's entry point is in another folder than the bundle: import what needs its folder on demand.",
    );
}

/** As `bundleProgram`, outside of the project, for tests. */
export async function bundleProgramElsewhere(folder: string): Promise<void> {
  await bundleProgram(folder);
  await symlink(join(project, "node_modules"), join(folder, "node_modules"));
}

/** Creates `dist/program`, which `bin/tollgate.js` runs, unless it is built from the same files. Returns whether it built. */
export async function bundleProgramIfOutdated(): Promise<boolean> {
  const files = [import.meta.path, ...["package.json", "package-lock.json"].map((name) => join(project, name))];
  const stamp = await stampOf(files, [join(project, "src")], (path) => !/\/src\/web\/|\.test\.ts$/.test(path));
  return buildFolderIfOutdated(ownBundle, stamp, async (folder) => {
    await bundleProgram(folder);
    await Bun.write(join(folder, "THIRD-PARTY-NOTICES.txt"), await thirdPartyNotices());
  });
}

const entryPoints = join(project, "src/lib/files/entry-points.ts");

/** A module finds other files from its folder: in a bundle it gets the folder of its source, except for the bundle's entry points. */
const foldersFrom = (bundleSource: string): BunPlugin => ({
  name: "folders",
  setup(build) {
    build.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      const text = await Bun.file(path).text();
      const from = path === entryPoints ? join(project, "src") : bundleSource;
      const own = `(import.meta.dir + ${JSON.stringify(`/${relative(from, dirname(path))}`)})`;
      return { loader: "ts", contents: text.replaceAll("import.meta.dir", own) };
    });
  },
});
