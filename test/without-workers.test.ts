import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const projectRoot = join(import.meta.dir, "..");
const transpiler = new Bun.Transpiler({ loader: "ts" });

/** Returns the files that are loaded with a file: its static imports of values and theirs. */
function loadedWith(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  for (const { kind, path } of transpiler.scanImports(readFileSync(file, "utf8")))
    if (kind === "import-statement" && path.startsWith(".") && path.endsWith(".ts"))
      loadedWith(join(dirname(file), path), loaded);
  return loaded;
}

const isOfWorkers = (file: string) => /^src\/(server\/(worker|primary)-process|counting\/workers)\//.test(file);
const filesOf = (entry: string) => [...loadedWith(join(projectRoot, entry))].map((file) => relative(projectRoot, file));

test("a server without workers loads none of their code", () => {
  const server = filesOf("src/server/server.ts");
  expect(server.length).toBeGreaterThan(300);
  expect(server.filter(isOfWorkers)).toEqual([]);
  expect(filesOf("src/cli/local-server/serve.ts").filter(isOfWorkers)).toEqual([]);
});

test("a worker loads it", () => {
  expect(filesOf("src/server/worker-process/worker.ts").filter(isOfWorkers).length).toBeGreaterThan(5);
});
