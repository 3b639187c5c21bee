import { cp } from "node:fs/promises";
import { goEnvironment, pythonEnvironment } from "../../test/clients/cases.ts";
import { findGo, findPython } from "../../test/support/other-languages.ts";
import { projectRoot, stopChild } from "../child-process.ts";
import { createGuard } from "../guarded.ts";
import { load, takeTurns } from "../measure.ts";
import { comparisonRow, forInformation, notMeasuredRow, type Row } from "../row.ts";
import { adminToken } from "../server.ts";
import type { Workspace } from "../workspace.ts";

const path = "/forecast";
/** One request after the other: what a request waits, and not what fits beside others. */
const turn = { connections: 1, warmSeconds: 0.3, seconds: 1, method: "GET", path };

const apps = `${projectRoot}test/clients/apps`;
const languages: Record<string, (folder: string) => Promise<{ command: string[]; environment: object }>> = {
  "JavaScript, Express on Bun": async () => ({
    command: [process.execPath, `${projectRoot}bench/rivals/express-app.ts`],
    environment: {},
  }),
  "Python, FastAPI": async () => ({
    command: [findPython(), `${apps}/python_app.py`, "fastapi"],
    environment: pythonEnvironment,
  }),
  "Go, net/http": buildGo,
};

/** What middleware that verifies a key adds to a request of an app, in each language. */
export async function middleware(workspace: Workspace): Promise<Row[]> {
  await using server = await workspace.startServer(workspace.newDirectory("middleware"));
  const { key } = await createGuard(server);
  const url = `http://127.0.0.1:${server.port}`;
  const options = { url, token: adminToken, account: "default", bucket: "bench", timeout: 60 };
  const rows: Row[] = [];
  for (const [language, prepare] of Object.entries(languages)) {
    const words = {
      what: `middleware, ${language}: p50`,
      against: "the same app without it",
      againstOurselves: true,
      explanation: "One request at a time. The difference of the medians is what a request waits for its verification.",
    };
    const prepared = await prepare(workspace.newDirectory("app")).catch((error: Error) => error);
    if (prepared instanceof Error) {
      rows.push(notMeasuredRow(words, forInformation, prepared.message));
      continue;
    }
    await using app = await startApps(prepared, { guarded: options, open: null });
    const wrong = await fetch(`http://127.0.0.1:${app.ports.guarded}${path}`);
    if (wrong.status !== 401) throw new Error(`without a key, ${language} returned ${wrong.status}`);
    const send = (port: number) => () => load({ port, processId: app.processId }, { ...turn, token: key });
    const turns = await takeTurns(
      `middleware, ${language}`,
      { warmRounds: 1, rounds: 5 },
      { guarded: send(app.ports.guarded!), open: send(app.ports.open!) },
    );
    rows.push(comparisonRow(words, forInformation, turns.guarded, turns.open, "p50Microseconds"));
  }
  return rows;
}

/** Starts the apps of one language, which end with their stdin. */
async function startApps(
  { command, environment }: { command: string[]; environment: object },
  apps: Record<string, object | null>,
) {
  const env = { ...process.env, ...environment, MIDDLEWARE_OPTIONS: JSON.stringify(apps) };
  const child = Bun.spawn(command, { env, stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const ports: Record<string, number> = {};
  let output = "";
  for await (const chunk of child.stdout) {
    output += new TextDecoder().decode(chunk);
    for (const [, name, port] of output.matchAll(/"socket": ?"(\w+)", ?"port": ?(\d+)}\n/g))
      ports[name!] = Number(port);
    if (Object.keys(ports).length === Object.keys(apps).length) break;
  }
  return { ports, processId: child.pid, [Symbol.asyncDispose]: () => stopChild(child) };
}

async function buildGo(folder: string) {
  await cp(`${apps}/go`, folder, { recursive: true });
  const module = Bun.file(`${folder}/go.mod`);
  await module.write((await module.text()).replace(/=> .*/, `=> ${projectRoot}clients/go`));
  const command = `${folder}/app`;
  const env = { ...process.env, ...goEnvironment(`${folder}-go`) };
  const build = Bun.spawn([findGo(), "build", "-o", command, "."], { cwd: folder, env, stderr: "pipe" });
  const errors = await build.stderr.text();
  if ((await build.exited) !== 0) throw new Error(errors);
  return { command: [command], environment: {} };
}
