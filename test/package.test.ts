import { afterAll, beforeAll, expect, test } from "bun:test";
import { globSync, statSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import packageJson from "../package.json" with { type: "json" };
import runtimeEnvironment from "../src/cli/local-server/runtime-environment.json" with { type: "json" };
import { newInvoicePdf } from "./support/billing.ts";
import { Client } from "./support/client.ts";
import { readmeResult, runReadme } from "./support/client-package.ts";
import { type LocalRegistry, startLocalRegistry } from "./support/local-registry.ts";
import { memoryFolder } from "./support/memory-folder.ts";
import { adminToken } from "./support/server-settings.ts";
import { type TemporaryFolder, temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

/** The package of `npm pack`, installed by npm into an empty folder. */
let folder: TemporaryFolder;
let installed: string;
let registry: LocalRegistry;
const project = join(import.meta.dir, "..");
const bun = join(project, "node_modules/bun/bin/bun.exe");

beforeAll(async () => {
  folder = await temporaryFolder("package", memoryFolder());
  registry = startLocalRegistry();
  const packed = await run(["npm", "pack", "--pack-destination", folder.path], { cwd: project });
  expect(packed.status, packed.output).toBe(0);
  installed = join(folder.path, "node_modules/tollgate");
  const [archive] = globSync(join(folder.path, "*.tgz"));
  // Without install scripts: Bun's fetches its program from the network. Its package here has the program.
  const flags = `--omit=dev --ignore-scripts --no-audit --no-fund --registry=${registry.url} --cache=${folder.path}/cache`;
  const installing = await run(["npm", "install", ...flags.split(" "), archive!]);
  expect(installing.status, installing.output).toBe(0);
  for (const path of registry.omitted) {
    await mkdir(join(folder.path, dirname(path)), { recursive: true });
    await symlink(join(project, path), join(folder.path, path));
  }
  // A PATH with Node and without Bun.
  await mkdir(join(folder.path, "bin"));
  await symlink(Bun.which("node")!, join(folder.path, "bin/node"));
}, 600_000);

afterAll(async () => {
  registry.stop();
  await folder.remove();
});

interface Options {
  cwd?: string;
  environment?: Record<string, string>;
}

async function run(command: string[], { cwd = folder.path, environment = {} }: Options = {}) {
  const child = Bun.spawn(command, { cwd, env: { ...process.env, ...environment }, stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { status, output: stdout + stderr, stdout };
}

test("it contains only files that are needed at run time", () => {
  const files = globSync("**/*", { cwd: installed });
  const folders = new Set(files.filter((path) => path.includes("/")).map((path) => path.split("/")[0]));
  expect([...folders].sort()).toEqual(["bin", "dist", "src"]);
  expect(files.filter((path) => /\.test\.|tsconfig|fixture/.test(path))).toEqual([]);
  for (const path of ["dist/client/index.js", "dist/client/index.d.ts", "dist/gateway/authoring.d.ts"])
    expect(files).toContain(path);
  for (const path of ["src/main.ts", "src/builder/main.ts", "THIRD-PARTY-NOTICES.txt"])
    expect(files).toContain(`dist/program/${path}`);
  for (const app of ["console", "docs", "portal"]) expect(files).toContain(`dist/${app}.pack`);
  // The documentation of its version.
  expect(statSync(join(installed, "dist/docs.pack")).size).toBeLessThan(5_000_000);
  for (const font of ["noto-sans", "noto-sans-jp"]) expect(files).toContain(`dist/fonts/${font}/unicode.json`);
});

test("npm installs the packages that the bundle does not contain, and no others", async () => {
  const transpiler = new Bun.Transpiler({ loader: "js" });
  const packages = new Set(["bun", "typescript", "workerd"]); // started as programs
  for (const path of globSync(join(installed, "dist/program/**/*.{js,ts}")))
    for (const imported of transpiler.scanImports((await Bun.file(path).text()).replace(/^#!.*/, "")))
      if (!/^\.|^bun(:|$)/.test(imported.path) && !isBuiltin(imported.path)) packages.add(imported.path);
  const dependencies = Object.keys(packageJson.dependencies);
  expect([...packages].sort()).toEqual(dependencies);
  const ofPlatform = /^@(cloudflare|esbuild|oven|typescript)\//;
  expect([...registry.fetched].filter((name) => !ofPlatform.test(name)).sort()).toEqual(dependencies);
});

test.each([
  ["Node", () => ["node", "--input-type=module", "-e"]],
  ["Bun", () => [bun, "-e"]],
])("%s loads the client, and the types of gateways as an empty module", async (_name, command) => {
  const code = `
    import { Tollgate, TollgateError } from "tollgate/client";
    import * as gateway from "tollgate/gateway";
    console.log(typeof Tollgate, typeof TollgateError, Object.keys(gateway).length);
  `;
  expect(await run([...command(), code])).toMatchObject({ status: 0, stdout: "function function 0\n" });
});

test("TypeScript finds the types of both", async () => {
  const code = `
    import { Tollgate } from "tollgate/client";
    import type { Context } from "tollgate/gateway";
    export const name = (context: Context): string | undefined => context.user?.sub;
    export const wrong = (context: Context): number => context.requestId;
    export const client: Tollgate | undefined = undefined;
  `;
  await Bun.write(join(folder.path, "use.ts"), code);
  const flags = "--noEmit --strict --module nodenext --target es2023 --lib es2023,dom --types";
  const { output } = await run([join(project, "node_modules/.bin/tsc"), ...flags.split(" "), "", "use.ts"]);
  expect(output.match(/error TS\d+: .*/g)).toEqual(["error TS2322: Type 'string' is not assignable to type 'number'."]);
});

/** A project whose code calls a package. */
const shop = {
  "openapi.json": JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Shop", version: "1" },
    paths: { "/hello": { get: { "x-tollgate": { handler: "modules/hello.ts" } } } },
  }),
  "modules/hello.ts": `import { polite } from "polite";\nexport default () => Response.json(polite("Jo"));\n`,
  "node_modules/polite/package.json": `{"name": "polite", "main": "index.js"}`,
  "node_modules/polite/index.js": `export const polite = (name) => "Dear " + name;`,
};

test("the command line runs without bun on the PATH, deploys, makes PDFs, and stops on SIGTERM", async () => {
  const environment = { PATH: join(folder.path, "bin"), HOME: folder.path };
  const launcher = join(folder.path, "node_modules/.bin/tollgate");
  expect(await run([launcher, "version"], { environment })).toMatchObject({ status: 0, stdout: "0.1.0\n" });
  expect((await run([launcher, "no-such-command"], { environment })).status).toBe(2);
  await Bun.write(join(folder.path, ".env"), "TOLLGATE_PORT=many\n");
  const server = Bun.spawn([launcher, "serve"], {
    cwd: folder.path,
    env: {
      ...environment,
      TOLLGATE_DATA_DIR: join(folder.path, "data"),
      TOLLGATE_PORT: "0",
      TOLLGATE_ADMIN_TOKEN: adminToken,
    },
    stdout: "pipe",
    stderr: "ignore",
  });
  let output = "";
  const reading = (async () => {
    for await (const chunk of server.stdout) output += new TextDecoder().decode(chunk);
  })();
  const [, url] = await until(() => /"url":"(http:[^"]+)"/.exec(output), { what: () => output });
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  expect((await fetch(`${url}/docs`)).status).toBe(200);
  expect(await (await fetch(`${url}/docs/guides/tour`)).text()).toContain("<h1>Tour</h1>");
  expect((await fetch(`${url}/console/`)).status).toBe(200);
  expect(await runReadme(folder.path, url!)).toEqual(readmeResult);

  for (const [path, text] of Object.entries(shop)) await Bun.write(join(folder.path, "shop", path), text);
  const admin = { ...environment, TOLLGATE_URL: url!, TOLLGATE_TOKEN: adminToken };
  const deployed = await run([launcher, "deploy", "shop", "--json"], { environment: admin });
  expect(deployed).toMatchObject({ status: 0 });
  const { host } = new URL(JSON.parse(deployed.stdout).url);
  expect(await (await fetch(`${url}/hello`, { headers: { host } })).json()).toBe("Dear Jo");
  const pdf = await newInvoicePdf(new Client({ url: url! }, adminToken), "Müller 北京");
  expect([pdf.status, pdf.text.slice(0, 5)]).toEqual([200, "%PDF-"]);

  const child = (await Bun.file(`/proc/${server.pid}/task/${server.pid}/children`).text()).trim();
  const words = (await Bun.file(`/proc/${child}/cmdline`).text()).split("\0");
  expect(words).toContain(join(installed, "dist/program/src/main.ts"));
  const runtime = Object.entries(runtimeEnvironment).map(([name, value]) => `${name}=${value}`);
  expect((await Bun.file(`/proc/${child}/environ`).text()).split("\0")).toEqual(expect.arrayContaining(runtime));
  server.kill("SIGTERM");
  expect(await server.exited).toBe(0);
  await reading;
});
