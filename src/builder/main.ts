/** `bun src/builder/main.ts [--egress=public] < project.tar.gz > report.json`, in a process of its own so that no project can hurt the server. */
import { runBuilder } from "./builder.ts";

let hasBegun = false;

async function* input(): AsyncGenerator<Uint8Array> {
  for await (const chunk of Bun.stdin.stream()) {
    hasBegun = true;
    yield chunk;
  }
}

/** Half of what a build takes is to load what it needs: a builder that is kept waiting for its project does that meanwhile. */
async function warmUp(): Promise<void> {
  const parts = [
    () => import("./validate.ts"),
    () => import("./json-document.ts"),
    () => import("./bundle.ts"),
    () => import("./type-check.ts"),
    () => import("./schema-bundler.ts"),
    () => import("./request-validation.ts"),
  ];
  for (const load of parts) if (!hasBegun) await load();
}

const egress = process.argv.includes("--egress=public") ? "public" : "any";
const [report] = await Promise.all([runBuilder(input(), { egress }), warmUp()]);
await Bun.write(Bun.stdout, JSON.stringify(report));
