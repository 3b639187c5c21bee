import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, readdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { newInvoicePdf, profile, profilePath } from "../../test/support/billing.ts";
import { openPage } from "../../test/support/chromium.ts";
import { Cli } from "../../test/support/cli.ts";
import { Client } from "../../test/support/client.ts";
import { settled } from "../../test/support/console.ts";
import { callHost } from "../../test/support/project.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { until } from "../../test/support/until.ts";
import type { Consumer, Deployment, KeyVerification, Portal } from "../client/index.ts";
import runtimeEnvironment from "./local-server/runtime-environment.json" with { type: "json" };

/**
 * The archive that `npm run release` builds for this machine, unpacked in an empty folder, without npm and Bun on the
 * PATH.
 */
let released: TemporaryFolder;
let place: TemporaryFolder;
let built: string;
let cli: Cli;
const repository = "https://github.com/acme/tollgate";
const platform = `${process.platform}-${process.arch}`;

beforeAll(async () => {
  [released, place] = await Promise.all([temporaryFolder("released"), temporaryFolder("empty")]);
  const script = join(import.meta.dir, "../../scripts/release.ts");
  const { status, output } = await run([
    process.execPath,
    script,
    platform,
    "--to",
    released.path,
    "--repository",
    repository,
  ]);
  expect({ status, output }).toMatchObject({ status: 0 });
  built = join(place.path, "program");
  await mkdir(built);
  const archive = join(released.path, `tollgate-${packageJson.version}-${platform}.tar.gz`);
  expect(await run(["tar", "-xzf", archive, "-C", built])).toMatchObject({ status: 0 });
  cli = new Cli(place, { url: "" }, [join(built, "tollgate")]);
}, 300_000);

afterAll(async () => {
  await released.remove();
  await place.remove();
});

async function run(command: string[], cwd?: string) {
  const child = Bun.spawn(command, { cwd, stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { status, output: stdout + stderr };
}

test("a release has checksums, notices and a bill of materials of its contents", async () => {
  const files = await readdir(released.path);
  expect(files.sort()).toEqual([
    "SHA256SUMS",
    "THIRD-PARTY-NOTICES.txt",
    "sbom.cdx.json",
    `tollgate-${packageJson.version}-${platform}.tar.gz`,
    `tollgate-${packageJson.version}-py3-none-any.whl`,
    `tollgate-${packageJson.version}.tar.gz`,
    `tollgate-${packageJson.version}.tgz`,
    `tollgate-client-${packageJson.version}.tgz`,
  ]);
  expect(await run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], released.path)).toEqual({
    status: 0,
    output: "",
  });
  const { components } = await Bun.file(join(released.path, "sbom.cdx.json")).json();
  const names = components.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(["bun", "workerd", "zod", "react", "@fontsource-variable/inter"]));
  for (const name of ["playwright-core", "@biomejs/biome", "@esbuild/win32-x64"]) expect(names).not.toContain(name);
  for (const notices of [join(released.path, "THIRD-PARTY-NOTICES.txt"), join(built, "THIRD-PARTY-NOTICES.txt")])
    expect(await Bun.file(notices).text()).toContain("Permission is hereby granted, free of charge");
});

test("both npm packages name the repository that released them, and lose no files", async () => {
  for (const name of ["tollgate", "tollgate-client"]) {
    const packed = join(released.path, `${name}-${packageJson.version}.tgz`);
    const manifest = JSON.parse((await run(["tar", "-xzOf", packed, "package/package.json"])).output);
    expect(manifest).toMatchObject({
      version: packageJson.version,
      repository: { type: "git", url: `git+${repository}.git` },
      homepage: `${repository}#readme`,
      bugs: { url: `${repository}/issues` },
      keywords: expect.arrayContaining(["metering"]),
    });
    const files = (await run(["tar", "-tzf", packed])).output.split("\n");
    for (const file of name === "tollgate"
      ? ["bin/tollgate.js", "dist/console.pack", "dist/program/src/main.ts"]
      : ["dist/index.js"])
      expect(files).toContain(`package/${file}`);
    for (const file of ["LICENSE", "README.md"]) expect(files).toContain(`package/${file}`);
  }
});

test("the archive has the Go module, without its tests", async () => {
  const go = join(built, "clients/go");
  expect(await Bun.file(join(go, "go.mod")).text()).toStartWith("module example.com/tollgate/clients/go\n");
  const files = await readdir(go);
  expect(files).toEqual(expect.arrayContaining(["client.go", "middleware.go", "reporter.go", "tables.go"]));
  expect(files.filter((name) => name.endsWith("_test.go"))).toEqual([]);
});

test("releases cover every supported platform", async () => {
  const script = join(import.meta.dir, "../../scripts/release.ts");
  const { status, output } = await run([process.execPath, script, "amiga-m68k", "--to", join(place.path, "none")]);
  expect({ status, output }).toMatchObject({ status: 2, output: expect.stringContaining("linux-x64, linux-arm64") });
});

const environment = () => ({ HOME: place.path, PATH: "/usr/bin:/bin" });

/** Runs `tollgate serve` on a free port until it is stopped. */
async function serve(more: Record<string, string> = {}) {
  const child = cli.start(["serve"], { environment: { ...environment(), TOLLGATE_PORT: "0", ...more } });
  let output = "";
  const read = async (stream: ReadableStream<Uint8Array>) => {
    for await (const chunk of stream) output += new TextDecoder().decode(chunk);
  };
  const reading = Promise.all([read(child.stdout), read(child.stderr)]);
  const [, url] = await until(() => /"url":"(http:[^"]+)"/.exec(output), { what: () => output });
  return {
    url: url!,
    pid: child.pid,
    output: () => output,
    async stop() {
      child.kill("SIGTERM");
      expect(await child.exited).toBe(0);
      await reading;
    },
  };
}

test("it serves, logs in, and deploys a project whose code handles requests", async () => {
  const server = await serve();
  const run = (words: string) => cli.run(words, { environment: environment() });
  const json = <Result>(words: string) => cli.json<Result>(words, { environment: environment() });
  expect(await run(`login ${server.url} --local`)).toMatchObject({ status: 0 });
  await run("init shop");
  // The command bundles packages with the esbuild beside the binary.
  const write = (path: string, text: string) => Bun.write(join(place.path, "shop", path), text);
  await write("node_modules/polite/package.json", `{"name": "polite", "main": "index.js"}`);
  await write("node_modules/polite/index.js", `export const polite = (name) => "dear " + name;`);
  const hello = await Bun.file(join(place.path, "shop/modules/hello.ts")).text();
  const changed = hello.replace("from: context.user?.sub", "from: polite(context.user?.sub)");
  await write("modules/hello.ts", `import { polite } from "polite";\n${changed}`);
  const deployment = await json<Deployment>("deploy shop");
  const { apiKeys } = await json<Consumer>("consumers create acme --with-key");
  const headers = { host: new URL(deployment.url).host, authorization: `Bearer ${apiKeys![0]!.key}` };
  const response = await fetch(`${server.url}/hello/jo`, { headers });
  expect(await response.json()).toEqual({ greeting: "Hello, jo!", from: "dear acme" });

  const broken = join(place.path, "shop/modules/status.ts");
  await Bun.write(broken, (await Bun.file(broken).text()).replace("Response.json", "Respnse.json"));
  const rejected = await run("deploy shop");
  expect(rejected.status).toBe(1);
  expect(rejected.stderr).toContain("modules/status.ts:3:31 Cannot find name 'Respnse'.");

  // Files that the binary must contain: the API reference, the OpenAPI document and the migrations.
  const [page, operation, document] = await Promise.all(
    ["/docs", "/docs/pages/operations/verifyKey.json", "/openapi.json"].map((path) => fetch(server.url + path)),
  );
  expect(await page!.text()).toContain("Tollgate reference");
  expect(await operation!.json()).toMatchObject({ operation: { operationId: "verifyKey" } });
  expect(await document!.json()).toMatchObject({ openapi: "3.1.0" });
  expect(server.output()).not.toContain("will not work");
  await server.stop();
}, 300_000);

test("it sets the same Bun variables as the launcher, in the same process", async () => {
  const environmentOf = async (pid: number) => (await Bun.file(`/proc/${pid}/environ`).text()).split("\0");
  const server = await serve();
  const set = Object.entries(runtimeEnvironment).map(([name, value]) => `${name}=${value}`);
  expect(await environmentOf(server.pid)).toEqual(expect.arrayContaining(set));
  await server.stop();
  const own = await serve({ MIMALLOC_PURGE_DELAY: "10" });
  const found = await environmentOf(own.pid);
  expect(found.filter((line) => line.startsWith("MIMALLOC_"))).toEqual(["MIMALLOC_PURGE_DELAY=10"]);
  expect(found).toContain(`BUN_JSC_useWarmUpMarkedBlocks=${runtimeEnvironment.BUN_JSC_useWarmUpMarkedBlocks}`);
  await own.stop();
}, 300_000);

test("it makes PDFs of invoices, in scripts with fonts of their own", async () => {
  const server = await serve();
  const token = (await readFile(join(place.path, "data/admin-token"), "utf8")).trim();
  const client = new Client({ url: server.url }, token);
  const { status, text } = await newInvoicePdf(client, "Müller 北京 العربية");
  expect([status, text.slice(0, 5)]).toEqual([200, "%PDF-"]);
  await server.stop();
}, 300_000);

test("its console works in a browser: sign in, create a consumer with a key, open every page", async () => {
  const server = await serve();
  const token = (await Bun.file(join(place.path, "data/admin-token")).text()).trim();
  // Without one, the settings read a 404, which the browser reports as an error.
  await fetch(server.url + profilePath, {
    method: "PUT",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(profile),
  });
  const opened = await openPage(`${server.url}/console`);
  const { page } = opened;
  page.setDefaultTimeout(30_000);
  await page.fill("input", token);
  await page.click("button[type=submit]");
  await page.waitForSelector(".sidebar");
  await page.goto(`${server.url}/console/consumers?bucket=main&new=true`);
  await page.getByLabel("Name", { exact: true }).fill("from-the-browser");
  await page.getByRole("button", { name: "Create consumer" }).click();
  await page.waitForSelector(".secret");
  const key = (await page.locator(".secret").innerText()).trim();
  await page.getByRole("button", { name: "I have stored it" }).click();

  // Every page and tab once, by its link.
  const tabs: string[] = [];
  const look = async () => {
    await settled(page);
    const problems = await page.locator(".empty[role=alert], .notice[data-kind=error]").allInnerTexts();
    expect({ at: page.url(), problems, errors: opened.errors.take() }).toEqual({
      at: page.url(),
      problems: [],
      errors: [],
    });
  };
  const lookAtTabs = async () => {
    await page.getByRole("tab").first().waitFor();
    for (const tab of await page.getByRole("tab").all()) {
      await tab.click();
      await look();
      tabs.push(await tab.innerText());
    }
  };
  await lookAtTabs();
  const places = page.getByRole("navigation", { name: "Main" }).getByRole("link");
  for (const link of await places.all()) {
    await link.click();
    await look();
  }
  expect(await places.count()).toBe(13);
  await lookAtTabs();
  await places.filter({ hasText: "Deployments" }).click();
  await page.getByRole("link", { name: "shop", exact: true }).click();
  await page.waitForURL(/deployments\/shop-/);
  await lookAtTabs();
  expect(tabs).toEqual([
    ...["Overview", "Keys", "Usage", "Requests", "Billing", "People", "Activity"],
    ...["People", "Tokens", "Trusted issuers", "Key buckets", "Portal", "Billing", "Exports", "Sessions", "System"],
    ...["Overview", "Routes", "Requests", "Logs", "Versions", "Settings"],
  ]);
  await cli.run(`login ${server.url} --local`, { environment: environment() });
  const verified = await cli.json<KeyVerification>(["keys", "verify", key], { environment: environment() });
  expect(verified).toMatchObject({ valid: true, consumer: { name: "from-the-browser" } });
  const portal = await cli.json<Portal>(["portal", "set", "--title", "Weather"], { environment: environment() });
  const start = await callHost(server.url, new URL(portal.url).host, "/");
  expect([start.status, await start.text()]).toEqual([200, expect.stringContaining("<title>Weather</title>")]);
  // Violations of the content security policy are reported as browser errors too.
  expect(opened.errors.take()).toEqual([]);
  expect(opened.requestedUrls.filter((url) => !url.startsWith(`${server.url}/`) && !url.startsWith("data:"))).toEqual(
    [],
  );
  await opened.close();
  await server.stop();
}, 180_000);

test("without its programs folder it reports what is missing, at start and on deploy", async () => {
  await rename(join(built, "programs"), join(built, "elsewhere"));
  const server = await serve();
  const missing = "workerd, esbuild, typescript/tsc, authoring.ts";
  const warning = `Deployments with code will not work: ${built}/programs does not contain ${missing}.`;
  await until(() => server.output().includes(warning), { what: () => server.output() });
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  const run = (words: string) => cli.run(words, { environment: environment() });
  expect(await run(`login ${server.url} --local`)).toMatchObject({ status: 0 });
  expect(await run("init mall")).toMatchObject({ status: 0 });
  const deployed = await run("deploy mall");
  expect(deployed.status).toBe(1);
  expect(deployed.stderr).toContain(`This server cannot build or run code: ${missing} are missing in the folder`);
  expect(deployed.stderr).not.toContain("interrupted");
  await server.stop();
}, 300_000);
