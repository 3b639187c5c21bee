/**
 * `bun src/builder/main.ts [--egress=public] < project.tar.gz > report.json`, in a separate process that isolates the
 * server from the project. A line of JSON with the project's variables may precede the archive.
 */
import { splitInput } from "./archive/build-input.ts";
import { runBuilder } from "./builder.ts";

let hasBegun = false;

async function* input(): AsyncGenerator<Uint8Array> {
  for await (const chunk of Bun.stdin.stream()) {
    hasBegun = true;
    yield chunk;
  }
}

/** Loading modules is half of the build time: a builder loads them while it waits for its project. */
async function loadBuildModules(): Promise<void> {
  const parts = [
    () => import("./project/validate.ts"),
    () => import("./documents/json-document.ts"),
    () => import("./site/site.ts"),
    () => import("./code/bundle.ts"),
    () => import("./code/type-check.ts"),
    () => import("./openapi/schema-bundler.ts"),
    () => import("./openapi/request-validation.ts"),
  ];
  for (const load of parts) if (!hasBegun) await load();
}

const egress = process.argv.includes("--egress=public") ? "public" : "any";

async function build() {
  const { variables, archive } = await splitInput(input());
  return runBuilder(archive, { egress, ...(variables && { variables }) });
}

const [report] = await Promise.all([build(), loadBuildModules()]);
// `createGunzip` has made the pipe non-blocking, and after EAGAIN `Bun.write(Bun.stdout, …)` begins again at byte 0.
await new Promise((resolve) => process.stdout.write(JSON.stringify(report), resolve));
