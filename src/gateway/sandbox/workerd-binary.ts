import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { programBeside } from "../../lib/files/program-beside.ts";

/** The package with the program for each platform; npm installs the matching one. */
const packages: Record<string, string> = {
  "linux-x64": "@cloudflare/workerd-linux-64",
  "linux-arm64": "@cloudflare/workerd-linux-arm64",
  "darwin-x64": "@cloudflare/workerd-darwin-64",
  "darwin-arm64": "@cloudflare/workerd-darwin-arm64",
};

/** The path of the workerd program: the given one, the one beside the compiled Tollgate, or that of the npm package. */
export function findWorkerd(given?: string): string {
  if (given !== undefined) {
    if (existsSync(given)) return given;
    throw new Error(`There is no workerd at ${given}`);
  }
  const beside = programBeside("workerd");
  if (beside) return beside;
  const platform = `${process.platform}-${process.arch}`;
  const name = packages[platform];
  if (!name) throw new Error(`Code cannot run here: there is no workerd for ${platform}`);
  try {
    // The package `workerd` depends on the platform's package: resolving from there works in any node_modules layout.
    const workerd = createRequire(import.meta.url).resolve("workerd/package.json");
    return createRequire(workerd).resolve(`${name}/bin/workerd`);
  } catch {
    throw new Error(`Code cannot run: the package ${name} is not installed; install with optional dependencies`);
  }
}
