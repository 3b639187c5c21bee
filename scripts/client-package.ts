/**
 * Builds the package `@tollgate/client` from `src/client`, with the version of the server. `npm run pack:client` packs it in
 * `dist`, for programs of a user who has a checkout and no release.
 */
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import packageJson from "../package.json" with { type: "json" };
import clientJson from "../packages/client/package.json" with { type: "json" };
import { run } from "./platforms.ts";

const project = join(import.meta.dir, "..");

/** Writes the files of the package into a folder, as npm would unpack them. */
export async function buildClientPackage(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const tsc = join(project, "node_modules/.bin/tsc");
  await run([tsc, "-p", join(project, "src/client"), "--outDir", join(folder, "dist")], project);
  const { version } = packageJson;
  await writeFile(join(folder, "package.json"), `${JSON.stringify({ ...clientJson, version }, undefined, 2)}\n`);
  await copyFile(join(project, "packages/client/README.md"), join(folder, "README.md"));
  await copyFile(join(project, "LICENSE"), join(folder, "LICENSE"));
}

/** Packs it into a folder, as npm publishes it. */
export async function packClient(target: string): Promise<void> {
  const folder = join(target, ".client");
  await buildClientPackage(folder);
  await run(["npm", "pack", "--pack-destination", target], folder);
  await rm(folder, { recursive: true });
}

if (import.meta.main) await packClient(join(project, "dist"));
