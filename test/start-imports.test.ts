import { expect, test } from "bun:test";
import { dirname, join } from "node:path";

const source = join(import.meta.dir, "../src");
const transpiler = new Bun.Transpiler({ loader: "ts" });

/** Loading modules is most of the start time: modules for some settings or commands are imported on demand. */
test.each([
  ["cli/run.ts", ["client/index.ts"]],
  ["cli/local-server/serve.ts", ["client/index.ts", "server/server.ts", "node:tls"]],
  [
    "server/server.ts",
    [
      "pg",
      "client/index.ts",
      "platform/storage/engines/postgres.ts",
      "server/background-services/tls.ts",
      "server/background-services/portal-api.ts",
      "areas/customer-portal/portal/routes/customer.ts",
      "gateway/mcp/handler.ts",
      "gateway/models/handler.ts",
      "core/json-schema/json-schema.ts",
      "re2js",
      "node:tls",
      "node:zlib",
      "node:stream",
      "yaml",
      "harfbuzzjs",
    ],
  ],
])("%s does not load what only some need", async (entry, unwanted) => {
  const loaded = await loadedBy(entry);
  expect(loaded.size).toBeGreaterThan(5);
  expect([...loaded].filter((name) => unwanted.includes(name))).toEqual([]);
});

/** From source, a module takes half a millisecond of CPU time. */
test("the server loads a bounded number of modules at its start", async () => {
  const own = [...(await loadedBy("server/server.ts"))].filter((name) => name.endsWith(".ts"));
  expect(own.length, "import on demand what the first requests do not need").toBeLessThan(1300);
});

test("indirect imports are found; types and dynamic imports are ignored", async () => {
  const loaded = await loadedBy("platform/storage/engines/open.ts");
  expect(loaded).toContain("platform/storage/engines/sqlite.ts");
  expect(loaded).toContain("kysely");
  expect(loaded).not.toContain("platform/storage/engines/postgres.ts");
  expect(await loadedBy("platform/storage/engines/postgres.ts")).toContain("pg");
});

/** Our modules by their path below src/, and packages. */
async function loadedBy(entry: string): Promise<Set<string>> {
  const loaded = new Set([entry]);
  for (const name of loaded) {
    if (!name.endsWith(".ts")) continue;
    for (const { kind, path } of transpiler.scanImports(await Bun.file(join(source, name)).text())) {
      if (kind === "import-statement") loaded.add(path.startsWith(".") ? join(dirname(name), path) : path);
    }
  }
  return loaded;
}
