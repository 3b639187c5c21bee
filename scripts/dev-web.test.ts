import { afterAll, beforeAll, expect, test } from "bun:test";
import { cp, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type OpenPage, openPage } from "../test/support/chromium.ts";
import { settled } from "../test/support/console.ts";
import { sqlite } from "../test/support/engines.ts";
import { killOnExit } from "../test/support/on-exit.ts";
import { startServer, type TestServer } from "../test/support/server.ts";
import { adminToken } from "../test/support/server-settings.ts";
import { type TemporaryFolder, temporaryFolder } from "../test/support/temporary-folder.ts";
import { until } from "../test/support/until.ts";

const project = join(import.meta.dir, "..");

/** A copy of the watched sources, so that the test changes no source file. */
let copy: TemporaryFolder;
let server: TestServer;
let opened: OpenPage;
let url: string;
let output = "";
let stop: () => Promise<void>;

beforeAll(async () => {
  copy = await temporaryFolder("dev-web");
  for (const path of [
    "src/web",
    "src/client",
    "src/lib",
    "scripts",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
  ])
    await cp(join(project, path), join(copy.path, path), { recursive: true });
  await symlink(join(project, "node_modules"), join(copy.path, "node_modules"));
  server = await startServer(sqlite);
  const child = Bun.spawn([process.execPath, join(copy.path, "scripts/dev-web.ts")], {
    env: { PATH: process.env.PATH, PORT: "0", TOLLGATE_URL: server.url },
    stdout: "pipe",
    stderr: "pipe",
  });
  const watch = killOnExit(child.pid);
  const read = async (stream: ReadableStream<Uint8Array>) => {
    for await (const chunk of stream) output += new TextDecoder().decode(chunk);
  };
  const reading = Promise.all([read(child.stdout), read(child.stderr)]);
  stop = async () => {
    child.kill();
    await child.exited;
    await reading;
    watch.release();
  };
  [, url] = (await until(() => /(http:\S+console) {2}in front of/.exec(output), {
    withinMs: 30_000,
    what: () => output,
  })) as unknown as [string, string];
  opened = await openPage(url);
});

afterAll(async () => {
  await opened?.close();
  await stop?.();
  await server.stop();
  await copy.remove();
});

test("it proxies the sign-in and reloads pages when a source changes, also after a failed build", async () => {
  const { page, errors } = opened;
  page.setDefaultTimeout(30_000);
  await page.fill("input", adminToken);
  await page.click("button[type=submit]");
  await page.waitForSelector(".sidebar");
  await page.goto(`${url}/plans`);
  const words = "What subscribers pay, and their limits in each period, by meter.";
  await page.getByText(words).waitFor();

  const file = join(copy.path, "src/web/console/pages/plans.tsx");
  const source = await Bun.file(file).text();
  expect(source).toContain(words);
  await Bun.write(file, source.replace(words, "Changed while you looked."));
  await page.getByText("Changed while you looked.").waitFor();
  // A page that still loads parts of a build is not reloaded for the next one without errors.
  await settled(page);

  await Bun.write(file, "this is no TypeScript");
  await until(() => output.includes("plans.tsx"), { withinMs: 30_000, what: () => output });
  await Bun.write(file, source.replace(words, "And changed again."));
  await page.getByText("And changed again.").waitFor();
  expect(errors.take().filter((error) => !/ERR_ABORTED|ERR_INCOMPLETE_CHUNKED|EventSource/.test(error))).toEqual([]);
});
