import { afterAll, beforeAll, expect, test } from "bun:test";
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type OpenPage, openPage } from "../../test/support/chromium.ts";
import { projectWithClient, readmeResult, run, runReadme } from "../../test/support/client-package.ts";
import { sqlite } from "../../test/support/engines.ts";
import { useServer } from "../../test/support/server.ts";
import { adminToken } from "../../test/support/server-settings.ts";
import { patiently } from "../../test/support/slowdown.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";

const project = join(import.meta.dir, "../..");

/** Bundlers and browsers are slow on a busy machine. */
const patienceMs = patiently(120_000);

// The server's responses do not depend on the engine.
const server = useServer(sqlite);

let folder: TemporaryFolder;
beforeAll(async () => {
  const frameworks = ["express", "@types/express", "fastify", "hono", "next", "react", "@types/react", "@types/node"];
  folder = await projectWithClient("package", ["esbuild", "webpack", "vite", ...frameworks]);
}, patienceMs);
afterAll(() => folder.remove());

const write = (name: string, text: string) => writeFile(join(folder.path, name), text);

/** Programs that bundle `entry.js` into `built/entry.js`, each with the default settings for browsers. */
const bundlers = {
  esbuild: `
    import { build } from "esbuild";
    const entryPoints = ["entry.js", ...process.argv.slice(2)];
    await build({ entryPoints, bundle: true, minify: true, format: "esm", outdir: "built" });`,
  webpack: `
    import webpack from "webpack";
    const config = {
      mode: "production",
      context: process.cwd(),
      entry: "./entry.js",
      experiments: { outputModule: true },
      output: { path: process.cwd() + "/built", filename: "entry.js", library: { type: "module" }, publicPath: "/built/" },
      performance: false,
    };
    webpack(config, (error, result) => {
      const { errors = [], warnings = [] } = result?.toJson() ?? {};
      for (const { message } of [...(error ? [error] : []), ...errors, ...warnings]) console.error(message);
    });`,
  vite: `
    import { build } from "vite";
    await build({
      configFile: false,
      logLevel: "warn",
      build: { lib: { entry: "entry.js", formats: ["es"], fileName: "entry" }, outDir: "built" },
    });`,
};

/** The written files by name. */
async function bundled(
  entry: string,
  bundler: keyof typeof bundlers,
  more: string[] = [],
): Promise<Record<string, string>> {
  const built = join(folder.path, "built");
  await rm(built, { recursive: true, force: true });
  await write("entry.js", entry);
  await write("bundle.mjs", bundlers[bundler]);
  expect(await run(["node", "bundle.mjs", ...more.map((name) => `${name}.js`)], folder.path)).toMatchObject({
    errors: "",
    status: 0,
  });
  const files: Record<string, string> = {};
  for (const name of await readdir(built)) files[name] = await readFile(join(built, name), "utf8");
  return files;
}

test(
  "bundles have at most 15 kB for verification and 40 kB for everything, compressed",
  async () => {
    const parts = ["verify", "express", "fastify", "hono", "next"];
    await Promise.all(parts.map((part) => write(`${part}.js`, `export * from "@tollgate/client/${part}";`)));
    const files = await bundled('export * from "@tollgate/client";', "esbuild", parts);
    const sizeOf = (name: string) => Bun.gzipSync(files[`${name}.js`]!).length / 1000;
    const document = (await readFile(join(project, "docs/client.md"), "utf8")).replaceAll(/\s+/g, " ");
    const stated = /less than (\d+) kB to a bundle, compressed, and less than (\d+) kB/.exec(document);
    const [all, part] = stated!.slice(1).map(Number) as [number, number];
    expect(all).toBeLessThanOrEqual(40);
    expect(part).toBeLessThanOrEqual(15);
    expect(sizeOf("entry")).toBeWithin(1, all);
    for (const name of parts) expect(sizeOf(name)).toBeWithin(1, part);
  },
  patienceMs,
);

/** A program that must work in every browser bundle. */
const program = `
  import { Tollgate } from "@tollgate/client";
  export async function tour(options, name) {
    const client = new Tollgate(options);
    const { apiKeys } = await client.consumers("main").create({ name }, { withApiKey: true });
    const { valid } = await client.verifyKey("main", apiKeys[0].key);
    const folder = await client.deploy("./my-gateway", { project: "orders" }).catch((error) => error.message);
    return [valid, folder];
  }`;

test(
  "browser bundles of esbuild, webpack and vite work, without the code that reads folders",
  async () => {
    let opened: OpenPage | undefined;
    try {
      opened = await openPage(`${server.url}/healthz`);
      const { page } = opened;
      for (const bundler of Object.keys(bundlers) as (keyof typeof bundlers)[]) {
        const files = await bundled(program, bundler);
        expect(Object.values(files).join("\n")).not.toMatch(/node:|readdir|readFile/);
        await page.route("**/built/*.js*", (route) => {
          const name = new URL(route.request().url()).pathname.slice("/built/".length);
          return route.fulfill({ contentType: "text/javascript", body: files[name]! });
        });
        const call = `import("/built/entry.js?${bundler}").then(({ tour }) =>
        tour({ url: location.origin, token: "${adminToken}" }, "browser-${bundler}"))`;
        expect(await page.evaluate(call)).toEqual([
          true,
          "Cannot read ./my-gateway: browsers deploy a gzip tar, as bytes, a Blob or a stream.",
        ]);
      }
    } finally {
      await opened?.close();
    }
  },
  patienceMs,
);

test("the example of the package's README runs in Node as printed", async () => {
  const result = await runReadme(folder.path, server.url, "packages/client/README.md");
  expect(result).toEqual({ output: expect.stringMatching(/^customer-\d+\n$/), errors: "", status: 0 });
});

test(
  "the README's example runs in Node as printed, in a fresh checkout after npm install",
  async () => {
    const checkout = await temporaryFolder("checkout");
    try {
      for (const path of ["package.json", "tsconfig.json", "src/client"])
        await cp(join(project, path), join(checkout.path, path), { recursive: true });
      await symlink(join(project, "node_modules"), join(checkout.path, "node_modules"));
      // `npm install` runs this script.
      const prepared = await run(["npm", "run", "prepare"], checkout.path);
      expect(prepared.status, prepared.output + prepared.errors).toBe(0);
      expect(await runReadme(checkout.path, server.url)).toEqual(readmeResult);
    } finally {
      await checkout.remove();
    }
  },
  patienceMs,
);

test("npm install without the sources, as in an image, skips the build", async () => {
  const empty = await temporaryFolder("image");
  try {
    await cp(join(project, "package.json"), join(empty.path, "package.json"));
    expect((await run(["npm", "run", "prepare"], empty.path)).status).toBe(0);
  } finally {
    await empty.remove();
  }
});

test(
  "the middleware has the types of each framework",
  async () => {
    await mkdir(join(folder.path, "types"), { recursive: true });
    const settings = `{ url: "https://tollgate.example.com", token: "t", bucket: "main" }`;
    const programs = {
      express: `
      import { tollgate } from "@tollgate/client/express";
      import express, { type Request } from "express";
      const app = express();
      app.use(tollgate(${settings}));
      app.use(tollgate<Request>({ ...${settings}, permission: ({ method }) => (method === "GET" ? "read" : "write") }));
      app.get("/", tollgate(${settings}), (request, response) => {
        const name: string | undefined = request.tollgate?.consumer.name;
        const wrong: number = request.tollgate!.keyId;
        response.json({ name, wrong });
      });`,
      fastify: `
      import { tollgate } from "@tollgate/client/fastify";
      import Fastify from "fastify";
      const app = Fastify();
      await app.register(tollgate, ${settings});
      app.get("/", async (request) => {
        const wrong: number = request.tollgate!.keyId;
        return { name: request.tollgate?.consumer.name, wrong };
      });`,
      hono: `
      import { tollgate } from "@tollgate/client/hono";
      import { type Context, Hono } from "hono";
      const app = new Hono();
      app.use(tollgate<Context>({ ...${settings}, ip: (context) => context.req.header("cf-connecting-ip") }));
      app.use("/orders/*", tollgate(${settings}));
      app.get("/", (context) => {
        const wrong: number = context.var.tollgate!.keyId;
        return context.json({ name: context.var.tollgate?.consumer.name, wrong });
      });`,
      next: `
      import { tollgate } from "@tollgate/client/next";
      import { type NextRequest, NextResponse } from "next/server.js";
      const guarded = tollgate(${settings});
      export const GET = guarded(async (request: NextRequest & { tollgate?: unknown }, { params }: { params: Promise<{ id: string }> }) =>
        NextResponse.json({ id: (await params).id, path: request.nextUrl.pathname }));
      export const POST = guarded((request) => {
        const wrong: number = request.tollgate!.keyId;
        return Response.json({ name: request.tollgate?.consumer.name, wrong });
      });
      export const proxy = guarded(() => NextResponse.next());`,
    };
    for (const [name, text] of Object.entries(programs)) await write(`types/${name}.ts`, text);
    const flags =
      "--noEmit --strict --module nodenext --target es2022 --lib es2023,dom,dom.iterable --skipLibCheck --types";
    const files = Object.keys(programs).map((name) => `types/${name}.ts`);
    const { output } = await run(
      [join(project, "node_modules/.bin/tsc"), ...flags.split(" "), "node", ...files],
      folder.path,
    );
    const errors = output.match(/^types.*error TS.*$/gm)?.map((line) => line.replace(/\(\d+,\d+\)/, ""));
    const wrong = (name: string) => `types/${name}.ts: error TS2322: Type 'string' is not assignable to type 'number'.`;
    expect(errors).toEqual(Object.keys(programs).map(wrong));
  },
  patienceMs,
);
