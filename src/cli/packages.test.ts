import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Cli } from "../../test/support/cli.ts";
import { useCli } from "../../test/support/use-cli.ts";
import type { Deployment } from "../client/index.ts";

const bench = useCli();
const main = join(import.meta.dir, "../main.ts");

async function write(files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(bench.cli.folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

const document = (...names: string[]) =>
  JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Packages", version: "1" },
    paths: Object.fromEntries(
      names.map((name) => [`/${name}`, { post: { "x-tollgate": { handler: `modules/${name}.ts` } } }]),
    ),
  });

const handlers = {
  zod: `import { z } from "zod";
const order = z.object({ amount: z.number().positive() });
export type Order = z.infer<typeof order>;
export default async (request: Request) => Response.json(order.safeParse(await request.json()).success);`,
  jose: `import * as jose from "jose";
export default async () => {
  const secret = new TextEncoder().encode("0123456789abcdef0123456789abcdef");
  const token = await new jose.SignJWT({ a: 1 }).setProtectedHeader({ alg: "HS256" }).sign(secret);
  return Response.json((await jose.jwtVerify(token, secret)).payload);
};`,
  hono: `import { Hono, type Context } from "hono";
import { cors } from "hono/cors";
const app = new Hono();
app.use(cors());
app.post("/hono", (context: Context) => context.json({ routed: true }));
export default (request: Request) => app.fetch(request);`,
  dates: `import { addDays, formatISO } from "date-fns";
export default () => Response.json(formatISO(addDays(new Date("2026-01-31T00:00:00Z"), 1), { representation: "date" }));`,
};

test("packages from node_modules are bundled by deploy and pack, and run", async () => {
  const names = Object.keys(handlers);
  await write({
    "shop/openapi.json": document(...names),
    ...Object.fromEntries(Object.entries(handlers).map(([name, code]) => [`shop/modules/${name}.ts`, code])),
    // Comments, strings and types must not be recognized as imports.
    "shop/modules/other.ts": `// import "left-pad";\nimport type { Missing } from "nowhere";\nexport default "import x from 'y'";`,
  });
  await symlink(join(import.meta.dir, "../../node_modules"), join(bench.cli.folder, "shop/node_modules"));
  const deployed = await bench.cli.run("deploy shop --json");
  expect(deployed.stderr).toMatch(/Packages: .*date-fns .*B.*hono .*B.*hono\/cors .*B.*jose .*B.*zod .*B/);
  expect(deployed).toMatchObject({ status: 0 });
  const { host } = new URL((JSON.parse(deployed.stdout) as Deployment).url);
  const call = async (path: string, body: unknown = {}) => {
    const init = { method: "POST", body: JSON.stringify(body), headers: { host } };
    return (await fetch(bench.server.url + path, init)).json() as Promise<unknown>;
  };
  expect(await call("/zod", { amount: 1 })).toBe(true);
  expect(await call("/zod", { amount: -1 })).toBe(false);
  expect(await call("/jose")).toEqual({ a: 1 });
  expect(await call("/hono")).toEqual({ routed: true });
  expect(await call("/dates")).toBe("2026-02-01");

  const packed = await bench.cli.run("pack shop --output shop.tar.gz");
  expect(packed.status).toBe(0);
  const archive = Bun.file(join(bench.cli.folder, "shop.tar.gz"));
  const again = await bench.client.deploy(archive, { project: "shop", branch: "from-archive" });
  expect(again.state).toBe("STARTED");
});

/** Packages of each kind, by name: what their files contain. */
const kinds: Record<string, Record<string, string>> = {
  plain: { "index.js": `exports.a = 1;\nfor (const name of ["b", "c"]) exports[name] = name;` },
  single: { "index.js": "module.exports = (text) => text.toUpperCase();\nmodule.exports.version = 2;" },
  compiled: {
    "index.js": `Object.defineProperty(exports, "__esModule", { value: true });\nexports.default = "d";\nexports.a = 1;`,
  },
  esm: { "index.mjs": `export let count = 0;\nexport const add = () => ++count;\nexport default "d";` },
  named: { "index.mjs": "export const a = 1;" },
  mixed: { "index.mjs": `export * from "./inner.cjs";\nexport const own = 1;`, "inner.cjs": "exports.inner = 2;" },
  "@scope/part/sub": { "index.js": "exports.deep = true;" },
};

test("import * and import() of CommonJS and ES module packages have all exports", async () => {
  const list = Object.keys(kinds);
  const report = `export const show = (all) => Object.fromEntries(
  Object.keys(all).sort().map((name) => [name, typeof all[name] === "function" ? "function" : all[name]]));`;
  const code = [
    `import { show } from "./show.ts";`,
    ...list.map((name, index) => `import * as all${index} from "${name}";`),
    `import single, { version } from "single";`,
    `import { a } from "compiled";`,
    `export default async (request, context) => {`,
    `  const later = [${list.map((name) => `await import("${name}")`).join(", ")}];`,
    `  const before = all${list.indexOf("esm")}.count;`,
    `  all${list.indexOf("esm")}.add();`,
    `  return Response.json({`,
    `    namespaces: { ${list.map((name, index) => `"${name}": show(all${index})`).join(", ")} },`,
    `    later: { ${list.map((name, index) => `"${name}": show(later[${index}])`).join(", ")} },`,
    `    live: all${list.indexOf("esm")}.count - before,`,
    `    others: [single("x"), version, a, all${list.indexOf("single")}.default === single],`,
    `  });`,
    `};`,
  ].join("\n");
  await write({
    "kinds/openapi.json": document("all").replace('"handler"', '"policies":["exports-all"],"handler"'),
    "kinds/tollgate.json": JSON.stringify({ policies: { "exports-all": { type: "modules/policy.ts" } } }),
    "kinds/modules/policy.ts": `export * from "plain";\nexport default () => undefined;`,
    "kinds/modules/show.ts": report.replace("(all)", "(all: Record<string, unknown>)"),
    "kinds/modules/all.ts": code,
  });
  for (const [name, files] of Object.entries(kinds)) {
    const [main] = Object.keys(files);
    await write({
      [`kinds/node_modules/${name}/package.json`]: JSON.stringify({ name, main }),
      ...Object.fromEntries(Object.entries(files).map(([file, text]) => [`kinds/node_modules/${name}/${file}`, text])),
    });
  }
  const deployed = await bench.cli.run("deploy kinds --json");
  expect(deployed).toMatchObject({ status: 0 });
  expect(deployed.stderr).not.toContain(".namespace");
  const { host } = new URL((JSON.parse(deployed.stdout) as Deployment).url);
  const response = await fetch(`${bench.server.url}/all`, { method: "POST", headers: { host } });
  const exported = {
    plain: { a: 1, b: "b", c: "c", default: { a: 1, b: "b", c: "c" } },
    single: { default: "function", version: 2 },
    compiled: { a: 1, default: "d" },
    esm: { add: "function", count: expect.any(Number), default: "d" },
    named: { a: 1 },
    mixed: { inner: 2, own: 1 },
    "@scope/part/sub": { deep: true, default: { deep: true } },
  };
  expect(await response.json()).toEqual({
    namespaces: exported,
    later: exported,
    live: 1,
    others: ["X", 2, 1, true],
  });
});

test("code that the sandbox cannot run is reported with its file, line and chain of imports", async () => {
  await write({
    "broken/openapi.json": document("one"),
    "broken/modules/one.ts": `import { read } from "reader";\nimport "missing";\nexport default () => new Response(read());`,
    "broken/node_modules/reader/package.json": `{"name": "reader", "main": "index.js"}`,
    "broken/node_modules/reader/index.js": `export { read } from "./lib/files.js";`,
    "broken/node_modules/reader/lib/files.js": `// reads files\nimport { readFileSync } from "fs";\nexport const read = () => readFileSync("x");`,
  });
  const missing = await bench.cli.run("pack broken");
  expect(missing.status).toBe(1);
  expect(missing.stderr).toContain(
    'broken/modules/one.ts:2:8 "missing" is not in node_modules'.slice("broken/".length),
  );
  await write({
    "broken/modules/one.ts": `import { read } from "reader";\nexport default () => new Response(read());`,
  });
  const broken = await bench.cli.run("deploy broken");
  expect(broken.status).toBe(1);
  expect(broken.stderr).toContain('node_modules/reader/lib/files.js:2:30 "fs" is a module of Node');
  expect(broken.stderr).toContain("reader → node_modules/reader/index.js → node_modules/reader/lib/files.js");
  const inJson = await bench.cli.run("deploy broken --json");
  expect(inJson.status).toBe(1);
  expect(JSON.parse(inJson.stdout)).toEqual({
    message: "The packages cannot be bundled.",
    errors: [
      {
        file: "node_modules/reader/lib/files.js",
        line: 2,
        column: 30,
        message: expect.stringContaining('"fs" is a module of Node'),
      },
    ],
  });

  // With an import that fails for another reason, both errors are reported.
  await write({ "broken/node_modules/reader/index.js": `export { read } from "./lib/files.js";\nimport "./none.js";` });
  const both = await bench.cli.run("pack broken");
  expect(both.status).toBe(1);
  expect(both.stderr).toContain('node_modules/reader/index.js:2:8 Could not resolve "./none.js"');
  expect(both.stderr).toContain("cannot run; imported by node_modules/reader/lib/files.js");
});

test("a program named esbuild in the working directory is not run", async () => {
  const { folder } = bench.cli;
  await write({
    "checkout/shop/openapi.json": document("zod"),
    "checkout/shop/modules/zod.ts": handlers.zod,
    "checkout/undefined/esbuild": "#!/bin/sh\ntouch ran\nexit 1\n",
  });
  await chmod(join(folder, "checkout/undefined/esbuild"), 0o755);
  await symlink(join(import.meta.dir, "../../node_modules"), join(folder, "checkout/shop/node_modules"));
  // From source: the folder of programs is that of the executable alone.
  const cli = new Cli({ path: folder, remove: async () => {} }, bench.server, [process.execPath, main]);
  const packed = await cli.runProcess("pack shop --output shop.tar.gz", { cwd: join(folder, "checkout") });
  expect(packed).toMatchObject({ status: 0, stderr: expect.stringContaining("zod") });
  expect(existsSync(join(folder, "checkout/ran"))).toBe(false);
});
