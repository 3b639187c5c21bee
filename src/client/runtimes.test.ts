import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type OpenPage, openPage } from "../../test/support/chromium.ts";
import { denoCommand } from "../../test/support/deno.ts";
import { sqlite } from "../../test/support/engines.ts";
import { useServer } from "../../test/support/server.ts";
import { adminToken } from "../../test/support/server-settings.ts";
import { patiently } from "../../test/support/slowdown.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";

const projectFolder = join(import.meta.dir, "../..");
const installed = (name: string) => join(projectFolder, "node_modules/.bin", name);

/** Compilers and browsers are slow on a busy machine. */
const patienceMs = patiently(120_000);

// The server's responses do not depend on the engine.
const server = useServer(sqlite);

/** A user's project, with the package installed as built by `npm run build:client` and npm. */
let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder("runtimes");
  const tollgate = join(folder.path, "node_modules/tollgate");
  await mkdir(tollgate, { recursive: true });
  await copyFile(join(projectFolder, "package.json"), join(tollgate, "package.json"));
  const build = [installed("tsc"), "-p", import.meta.dir, "--outDir", join(tollgate, "dist/client")];
  expect(await run(build)).toEqual({ output: "", errors: "", status: 0 });
  await writeFile(join(folder.path, "package.json"), JSON.stringify({ type: "module" }));
}, patienceMs);
afterAll(() => folder.remove());

async function run(command: string[]) {
  const child = Bun.spawn(command, { cwd: folder.path, stdout: "pipe", stderr: "pipe" });
  const [output, errors, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { output, errors, status };
}

/** A program that must work in every runtime. Returns a line. */
const program = `
async function tour(Tollgate, options, name) {
  const client = new Tollgate(options);
  const { apiKeys } = await client.consumers("main").create({ name }, { withApiKey: true });
  const { valid } = await client.verifyKey("main", apiKeys[0].key);
  const consumers = await client.consumers("main").list({ limit: 1 }).all();
  const rejected = await client.consumers("main").create({ name }).catch((error) => error.code);
  return [valid, consumers.some((consumer) => consumer.name === name), rejected].join(" ");
}`;
const expected = "true true consumer_exists";

test("Node runs it", async () => {
  const options = JSON.stringify({ url: server.url, token: adminToken });
  await writeFile(
    join(folder.path, "tour.mjs"),
    `import { Tollgate } from "tollgate/client";\n${program}\nconsole.log(await tour(Tollgate, ${options}, "node"));`,
  );
  expect(await run(["node", "tour.mjs"])).toEqual({ output: `${expected}\n`, errors: "", status: 0 });
});

test("Deno runs it", async () => {
  const options = JSON.stringify({ url: server.url, token: adminToken });
  await writeFile(
    join(folder.path, "deno.mjs"),
    `import { Tollgate } from "tollgate/client";\n${program}\nconsole.log(await tour(Tollgate, ${options}, "deno"));`,
  );
  expect(await run(denoCommand("deno.mjs"))).toEqual({ output: `${expected}\n`, errors: "", status: 0 });
});

test("Node reports why the connection failed", async () => {
  const closed = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = closed;
  await closed.stop(true);
  const options = `{ url: "http://127.0.0.1:${port}", token: "none", retries: 0 }`;
  await writeFile(
    join(folder.path, "refused.mjs"),
    `import { Tollgate } from "tollgate/client";\nawait new Tollgate(${options}).whoAmI().catch(({ detail }) => console.log(detail));`,
  );
  const { output } = await run(["node", "refused.mjs"]);
  expect(output).toBe(
    `Cannot connect to http://127.0.0.1:${port}, or the connection was lost: the connection was refused\n`,
  );
});

test("Node packs the same archive as Bun does", async () => {
  await mkdir(join(folder.path, "project/modules"), { recursive: true });
  await writeFile(join(folder.path, "project/openapi.json"), "{}");
  await writeFile(join(folder.path, "project/modules/a.ts"), "export default () => new Response();");
  // The two compress differently; the uncompressed archives must be equal.
  const packing = `
    import { createHash } from "node:crypto";
    import { gunzipSync } from "node:zlib";
    import { packFolder } from "./node_modules/tollgate/dist/client/deploy/folder.js";
    const archive = gunzipSync(await (await packFolder("project")).arrayBuffer());
    console.log(createHash("sha256").update(archive).digest("hex"));`;
  await writeFile(join(folder.path, "pack.mjs"), packing);
  const byNode = await run(["node", "pack.mjs"]);
  expect(byNode.output).toMatch(/^[0-9a-f]{64}\n$/);
  expect(await run([process.execPath, "pack.mjs"])).toEqual(byNode);
});

test(
  "TypeScript finds its types with a Node project's settings",
  async () => {
    const text = (call: string) => `
    import { Tollgate, TollgateError, type Consumer } from "tollgate/client";
    const client = new Tollgate({ url: "http://127.0.0.1:8787", token: "t" });
    export const made: Consumer = await ${call};
    export const isOurs = (error: unknown) => error instanceof TollgateError;`;
    await writeFile(join(folder.path, "right.ts"), text('client.consumers("main").create({ name: "acme" })'));
    await writeFile(join(folder.path, "wrong.ts"), text('client.consumers("main").create({ nmae: "acme" })'));
    const settings = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--skipLibCheck", "false"];
    const libraries = ["--lib", "es2023,dom", "--types", ""];
    const check = (file: string) => run([installed("tsc"), ...settings, ...libraries, file]);
    expect(await check("right.ts")).toEqual({ output: "", errors: "", status: 0 });
    expect((await check("wrong.ts")).output).toContain("'nmae' does not exist");
  },
  patienceMs,
);

test(
  "a browser runs it, directly and bundled, and never loads the folder code",
  async () => {
    const bundle = await Bun.build({ entrypoints: [join(import.meta.dir, "index.ts")], target: "browser" });
    const built = join(folder.path, "node_modules/tollgate/dist/client");
    let opened: OpenPage | undefined;
    try {
      opened = await openPage(`${server.url}/healthz`);
      const { page } = opened;
      // The page has the server's origin; its scripts are served here.
      await page.route("**/bundled.js", async (route) =>
        route.fulfill({ contentType: "text/javascript", body: await bundle.outputs[0]!.text() }),
      );
      await page.route("**/client/**/*.js", (route) =>
        route.fulfill({
          contentType: "text/javascript",
          path: join(built, new URL(route.request().url()).pathname.slice(8)),
        }),
      );
      for (const module of ["bundled.js", "client/index.js"]) {
        const call = `(async () => {
          const { Tollgate } = await import("/${module}");
          ${program}
          return tour(Tollgate, { url: location.origin, token: "${adminToken}" }, "browser-${module.length}");
        })()`;
        expect(await page.evaluate(call)).toBe(expected);
      }
      expect(opened.requestedUrls.filter((url) => /client\/.+\.js$/.test(url)).length).toBeGreaterThan(10);
      expect(opened.requestedUrls.filter((url) => url.includes("folder"))).toEqual([]);
    } finally {
      await opened?.close();
    }
  },
  patienceMs,
);
