import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { findGo, findPython } from "../support/other-languages.ts";
import { type TemporaryFolder, temporaryFolder } from "../support/temporary-folder.ts";
import { goEnvironment, pythonEnvironment } from "./cases.ts";

const clients = join(import.meta.dir, "../../clients");
let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder("sources");
});
afterAll(() => folder.remove());

async function run(command: string[], cwd: string) {
  const env = { ...process.env, ...pythonEnvironment, ...goEnvironment(folder.path) };
  const child = Bun.spawn(command, { cwd, env, stdout: "pipe", stderr: "pipe" });
  const [output, errors, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { output: output + errors, status };
}

test("the Go client is formatted, passes vet, and its examples compile", async () => {
  const go = join(clients, "go");
  expect(await run([findGo("gofmt"), "-l", "."], go)).toEqual({ output: "", status: 0 });
  expect(await run([findGo(), "vet", "./..."], go)).toEqual({ output: "", status: 0 });
});

test("the Python client has strict types and the syntax of Python 3.9", async () => {
  const cache = join(folder.path, "mypy");
  const checked = await run([findPython(), "-m", "mypy", "--cache-dir", cache, "tollgate"], join(clients, "python"));
  expect(checked.output).toStartWith("Success");
  const parse =
    "import ast, pathlib\nfor p in pathlib.Path('.').rglob('*.py'): ast.parse(p.read_text(), str(p), feature_version=(3, 9))";
  expect(await run([findPython(), "-c", parse], join(clients, "python"))).toEqual({ output: "", status: 0 });
});

test.each([
  ["python/tollgate", /\.py$/],
  ["go", /\.go$/],
])("the client in %s is below 1,500 lines", async (path, kind) => {
  const isOwn = (name: string) =>
    kind.test(name) && !/_test\.go$|^tables\.go$|^_operations\.py$|^_problems\.py$/.test(name);
  const names = (await readdir(join(clients, path))).filter(isOwn);
  const texts = await Promise.all(names.map((name) => Bun.file(join(clients, path, name)).text()));
  expect(texts.reduce((sum, text) => sum + text.split("\n").length, 0)).toBeWithin(500, 1500);
});

test("the wheel has what the sources have, with the version of the release", async () => {
  const python = findPython();
  expect(await run([python, "pack.py", folder.path], join(clients, "python"))).toEqual({ output: "", status: 0 });
  const wheel = join(folder.path, `tollgate-${packageJson.version}-py3-none-any.whl`);
  const script = `
import importlib.metadata, sys
sys.path.insert(0, ${JSON.stringify(wheel)})
import tollgate, tollgate.asgi, tollgate.wsgi
distribution = importlib.metadata.distribution("tollgate")
assert distribution.version == tollgate.__version__ == "${packageJson.version}"
assert all(f.hash is not None or f.name == "RECORD" for f in distribution.files)
print(tollgate.__file__)`;
  expect((await run([python, "-I", "-c", script], folder.path)).output.trim()).toBe(`${wheel}/tollgate/__init__.py`);
  const listed = await run(["tar", "-tzf", `tollgate-${packageJson.version}.tar.gz`], folder.path);
  expect(listed.output).toContain(`tollgate-${packageJson.version}/tollgate/py.typed`);
});

test("a program may fork and exit: nothing is sent twice, and nothing that is queued is lost", async () => {
  const events: { id: string; subject: string }[] = [];
  const keys: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const body = (await request.json()) as { key: string } | { id: string; subject: string }[];
      if (!Array.isArray(body)) {
        keys.push(body.key);
        return Response.json({ valid: false, code: "not_found" });
      }
      events.push(...body);
      return Response.json({ accepted: body.length, duplicates: 0, rejected: [] });
    },
  });
  const script = join(import.meta.dir, "processes.py");
  const { output, status } = await run([findPython(), script, server.url.href], folder.path);
  await server.stop(true);
  expect({ output: output.trim(), status }).toEqual({ output: '{"threads": 1}', status: 0 });
  expect(keys).toEqual(["parent", "child", "parent"]);
  expect(events.map(({ subject }) => subject).sort()).toEqual(["child", "forgotten", "parent"]);
});
