import { expect } from "bun:test";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buildClientPackage } from "../../scripts/client-package.ts";
import { findPackage } from "./frameworks.ts";
import { adminToken } from "./server-settings.ts";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";

const project = join(import.meta.dir, "../..");

/** A user's project with `@tollgate/client` installed, and other packages. */
export async function projectWithClient(name: string, packages: string[]): Promise<TemporaryFolder> {
  const folder = await temporaryFolder(name);
  const modules = join(folder.path, "node_modules");
  await buildClientPackage(join(modules, "@tollgate/client"));
  for (const other of packages) {
    await mkdir(dirname(join(modules, other)), { recursive: true });
    await symlink(findPackage(other), join(modules, other));
  }
  await writeFile(join(folder.path, "package.json"), JSON.stringify({ type: "module" }));
  return folder;
}

/** Runs a command in a folder. */
export async function run(command: string[], cwd: string, environment: Record<string, string> = {}) {
  const child = Bun.spawn(command, { cwd, env: { ...process.env, ...environment }, stdout: "pipe", stderr: "pipe" });
  const [output, errors, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { output, errors, status };
}

/** The first JavaScript block of a document, as printed. */
async function exampleOf(document: string): Promise<string> {
  return /^```js\n([\s\S]*?)^```/m.exec(await readFile(join(project, document), "utf8"))![1]!;
}

/**
 * Runs the first example of a README in Node, exactly as printed. It names the default address; its requests are sent to
 * `url` instead.
 */
export async function runReadme(folder: string, url: string, document = "README.md") {
  const redirect = `
    const { fetch } = globalThis;
    globalThis.fetch = (address, init) => fetch(address.replace("http://127.0.0.1:8787", "${url}"), init);`;
  await writeFile(join(folder, "redirect.mjs"), redirect);
  await writeFile(join(folder, "example.mjs"), await exampleOf(document));
  return run(["node", "--import", "./redirect.mjs", "example.mjs"], folder, { TOLLGATE_TOKEN: adminToken });
}

/** What the example of the project's README prints. */
export const readmeResult = {
  output: expect.stringMatching(/valid: true[\s\S]*\ncustomer-\d+\n$/),
  errors: "",
  status: 0,
};
