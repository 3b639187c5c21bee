import { copyFile, mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { BunPlugin } from "bun";

const project = join(import.meta.dir, "..");

/** Packages that find their own files and programs by their place in node_modules. */
const notBundled = ["esbuild", "typescript", "workerd"];

/**
 * Bundles the server, the CLI and the builder for tests that spawn them: loading hundreds of modules is half of the CPU time of a
 * spawned server. `folder` becomes a copy of the project with the same entry points, `src/main.ts` and `src/builder/main.ts`.
 */
export async function bundleProgram(folder: string): Promise<void> {
  const { success, logs } = await Bun.build({
    entrypoints: [join(project, "src/main.ts"), join(project, "src/builder/main.ts")],
    root: project,
    outdir: folder,
    naming: { entry: "[dir]/[name].ts" },
    target: "bun",
    format: "esm",
    splitting: true,
    minify: { whitespace: true, syntax: true },
    external: notBundled,
    plugins: [foldersIn(folder)],
  });
  if (!success) throw new AggregateError(logs, `Bun could not bundle the program: ${logs.join("\n")}`);
  await copyFile(join(project, "src/builder/authoring.ts"), join(folder, "src/builder/authoring.ts"));
  await mkdir(join(project, "dist"), { recursive: true });
  for (const name of ["node_modules", "dist"]) await symlink(join(project, name), join(folder, name));
}

/** A module finds other files from its folder: in a bundle it gets the folder that it would have without bundling. */
const foldersIn = (folder: string): BunPlugin => ({
  name: "folders",
  setup(build) {
    build.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      const text = await Bun.file(path).text();
      const own = JSON.stringify(join(folder, dirname(path.slice(project.length))));
      return { loader: "ts", contents: text.replaceAll("import.meta.dir", own) };
    });
  },
});
