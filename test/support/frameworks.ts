import { existsSync } from "node:fs";
import { join } from "node:path";

const project = join(import.meta.dir, "../..");

/** Packages that are large, and that only tests of the client use. `npm test` installs them with the first such test. */
export const frameworksFolder = join(project, "test/frameworks");

/** The folder of an installed package: of this project, or of the frameworks for tests. */
export function findPackage(name: string): string {
  const found = [project, frameworksFolder].map((folder) => join(folder, "node_modules", name)).find(existsSync);
  if (found === undefined) throw new Error(`${name} is not installed: run npm ci here and in test/frameworks.`);
  return found;
}
