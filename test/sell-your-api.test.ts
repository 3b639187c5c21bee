import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { chmod, cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildWebIfOutdated } from "../scripts/web-build.ts";
import { goEnvironment, pythonEnvironment } from "./clients/cases.ts";
import { type OpenPage, openPage } from "./support/chromium.ts";
import { installProgram } from "./support/cli.ts";
import { projectWithClient } from "./support/client-package.ts";
import { eventually } from "./support/eventually.ts";
import { freePort } from "./support/free-port.ts";
import { findGo, findPython } from "./support/other-languages.ts";
import { commandsIn } from "./support/pasted-commands.ts";
import { PastedShell } from "./support/pasted-shell.ts";
import type { TemporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

/** A server, an app in each language, and a browser on a busy machine. */
const patienceMs = 240_000;

let folder: TemporaryFolder;
let shell: PastedShell;
let opened: OpenPage | undefined;
/** The page, with free ports instead of the printed ones. */
let page: string;

beforeAll(async () => {
  await buildWebIfOutdated(["portal"]);
  folder = await projectWithClient("sell", ["express"]);
  page = readFileSync(join(import.meta.dir, "../docs/sell-your-api.md"), "utf8");
  const ports: string[] = [];
  for (const printed of ["8787", "3000", "3001"]) {
    const port = String(await freePort());
    ports.push(port);
    page = page.replaceAll(new RegExp(`\\b${printed}\\b`, "g"), port);
  }
  // Installing and building take minutes: the server starts from the sources.
  const bin = await installProgram(folder.path);
  await writeFile(join(bin, "npm"), `#!/bin/sh\n[ "$1" = install ] || exec tollgate serve\n`);
  await chmod(join(bin, "npm"), 0o755);
  const PATH = `${await installOtherLanguages()}:${bin}:${process.env.PATH}`;
  const env = { PATH, HOME: folder.path, TOLLGATE_PORT: ports[0], ...pythonEnvironment, ...goEnvironment(folder.path) };
  shell = new PastedShell({ cwd: folder.path, env });
}, patienceMs);
afterAll(async () => {
  await opened?.close();
  await shell?.stop();
  await folder?.remove();
});

/** Python with the frameworks, and Go with the module as the archive of a release has it. Returns the folder of both. */
async function installOtherLanguages(): Promise<string> {
  const programs = join(folder.path, "languages");
  await mkdir(programs);
  for (const [name, program] of [
    ["python3", findPython()],
    ["go", findGo()],
  ] as const) {
    await writeFile(join(programs, name), `#!/bin/sh\nexec ${program} "$@"\n`);
    await chmod(join(programs, name), 0o755);
  }
  const root = join(import.meta.dir, "..");
  await cp(join(root, "clients/go"), join(folder.path, "clients/go"), { recursive: true });
  const [, lines] = /```\n(require [\s\S]*?)```/.exec(readFileSync(join(root, "docs/client.md"), "utf8"))!;
  await writeFile(join(folder.path, "go.mod"), `module example.com/weather\n\ngo 1.19\n\n${lines}`);
  return programs;
}

const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, text]) => text!);

test(
  "the page sells an API as printed: sign-up, a key, 1,000 free requests, and a plan, with middleware and with the gateway",
  async () => {
    const [app, guarded] = blocks("js");
    await writeFile(join(folder.path, "app.mjs"), app!);
    await writeFile(join(folder.path, "guarded.mjs"), guarded!);
    await writeFile(join(folder.path, "tollgate.yaml"), blocks("yaml")[0]!);
    const [start, apply, guard, fastapi, flask, django, go, gateway, mail, enterKey, spend, bought, ...more] =
      commandsIn(page);
    expect(more).toEqual([]);

    expect(start).toMatch(/^npm install\n.*npm start /);
    await shell.run(start!);
    const applied = await shell.run(apply!);
    // Nothing is missing before plans can be bought.
    expect(applied).not.toContain("(");
    const [, portal] = /The portal of main: (http:\S+)\s*$/.exec(applied)!;
    await shell.run(guard!);
    await until(() => isListening(guarded!));
    expect(await shell.run(gateway!)).toMatch(/Deployments +weather-main-/);
    const [deployment] = /http:[^"]+/.exec(await shell.run("tollgate deployments list weather --json"))!;

    opened = await openPage(portal!);
    const button = (name: string | RegExp) => opened!.page.getByRole("button", { name }).last();
    await opened.page.getByLabel("Email").fill("jo@initech.example");
    await button("Continue").click();
    await until(() => readdirSync(folder.path).includes("mail") && readdirSync(join(folder.path, "mail")).length === 1);
    const [link] = /http:\S+/.exec(await shell.run(mail!))!;
    await opened.page.goto(link);
    await button("Continue").click();
    await opened.page.getByLabel("Company or name").fill("Initech");
    await button("Create account").click();
    await opened.page.getByRole("heading", { name: "Your first key" }).waitFor();
    const [, key] = /Bearer ([^'"\s]+)/.exec(await opened.page.getByText(/^curl /).innerText())!;
    await button("I have stored it").click();

    shell.paste(enterKey!);
    await shell.run(key!);
    const spent = await shell.run(spend!);
    expect(spent).toMatch(/ 1000 200\n +1 429\n[\s\S]*"code":"quota_exceeded"/);

    await opened.page.getByRole("link", { name: "Plans", exact: true }).click();
    await button("Choose Pro").click();
    await opened.page
      .getByRole("dialog")
      .getByRole("row", { name: /Due now/ })
      .getByText("$10.00")
      .waitFor();
    await opened.page.getByRole("dialog").getByRole("button", { name: "Continue to payment" }).click();
    await opened.page.getByLabel("Card that succeeds").check();
    await button(/^Pay /).click();
    await opened.page.getByRole("region", { name: "Your plan" }).getByRole("heading", { name: "Pro" }).waitFor();
    expect(await shell.run(bought!)).toMatch(/\{"sky":"clear"\}\s*\{"sky":"clear"\}/);
    await eventually(() => shell.run("tollgate usage list")).toContain("requests=2/100000 ");
    expect(await shell.run("tollgate invoices list")).toMatch(/W-000001[\s\S]*10\.00/);

    // The gateway enforces the same free plan.
    const created = await shell.run("tollgate consumers create globex --with-key --json");
    await shell.run("tollgate subscriptions create globex --plan free");
    await shell.run(`KEY=${JSON.parse(created).apiKeys[0].key}`);
    const throughGateway = spend!.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, deployment!);
    expect(await shell.run(throughGateway)).toMatch(/ 1000 200\n +1 429\n[\s\S]*"code":"quota_exceeded"/);

    // The other languages, which the page has beside each other, under the same port.
    const { apiKeys } = JSON.parse(await shell.run("tollgate consumers create hooli --with-key --json"));
    await shell.run("tollgate subscriptions create hooli --plan free");
    const [fastapiApp, flaskApp, djangoApp] = blocks("python");
    for (const [command, file, program] of [
      [fastapi!, "guarded.py", fastapiApp!],
      [flask!, "guarded.py", flaskApp!],
      [django!, "guarded.py", djangoApp!],
      [go!, "main.go", blocks("go")[0]!],
    ] as const) {
      const [printed] = /(?<=127\.0\.0\.1:)\d+(?=\/forecast\?)/.exec(page)!;
      const port = String(await freePort());
      await writeFile(join(folder.path, file), program.replaceAll(printed, port));
      await shell.run(command.replaceAll(printed, port));
      const get = (key: string) =>
        fetch(`http://127.0.0.1:${port}/forecast`, { headers: { authorization: `Bearer ${key}` } });
      await until(() => get("none").catch(() => undefined), { what: () => shell.output });
      expect((await get("none")).status).toBe(401);
      const response = await get(apiKeys[0].key);
      expect(await response.json()).toEqual({ sky: "clear" });
    }
    await eventually(() => shell.run("tollgate usage list")).toContain("requests=4/1000 ");
  },
  patienceMs,
);

async function isListening(program: string): Promise<boolean> {
  const [, port] = /app\.listen\((\d+)/.exec(program)!;
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
}
